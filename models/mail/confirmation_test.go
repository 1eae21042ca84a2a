package mail_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	mailing "github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

// owners are those of a desk, whose workspace of the free plan has to be confirmed.
type owners struct {
	*outgoing
	store *mail.Owners
}

var ownerHolder = workspace.Caller{WorkspaceID: modelstest.Workspace, IP: "192.0.2.7", Operation: "/v2/workspace/owner/send-confirmation"}

func newOwners(t *testing.T) *owners {
	t.Helper()
	p := newOutgoing(t)
	addresses := mail.NewAddresses(p.box, "https://redline.test/")
	p.mails = mail.New(p.DB, p.box, addresses, mail.RelayTerms{Own: freePerDay, Total: freeTotal})
	return &owners{p, mail.NewOwners(p.DB, addresses, true, false)}
}

func (o *owners) send() error {
	_, err := o.store.Send(o.T.Context(), modelstest.Workspace, ownerHolder)
	return err
}

// token sends the mail and returns the token of the address that stands in it.
func (o *owners) token() string {
	o.T.Helper()
	require.NoError(o.T, o.send())
	out := o.prepare(o.of(mailing.OwnerConfirmation)[0])
	require.Empty(o.T, out.Result)
	require.True(o.T, out.Host.Operators)
	_, rest, found := strings.Cut(out.Message.Text, "https://redline.test"+mail.ConfirmPath)
	require.True(o.T, found, out.Message.Text)
	token, _, _ := strings.Cut(rest, "\n")
	return token
}

// of are the mails of a template that wait, the newest first.
func (p *outgoing) of(template string) []string {
	p.T.Helper()
	return p.Rows(`SELECT id FROM mails WHERE template = $1 AND result IS NULL ORDER BY created_at DESC, id DESC`, template)
}

func TestOwnerConfirmation_1and2_ATokenIsOfOneWorkspaceAndOneDay(t *testing.T) {
	t.Parallel()
	o := newOwners(t)
	token := o.token()
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	other := "ws_01jd8p3y5t7c2m0w9x4v6k8r1n"
	o.Exec(`INSERT INTO workspaces SELECT (jsonb_populate_record(w, jsonb_build_object('id', $1::text, 'name_key', 'other', 'token_mac', '\x' || repeat('ab', 32)))).* FROM workspaces w WHERE id = $2`, other, modelstest.Workspace)
	for _, wrong := range []string{
		"", ".", "..", token[:len(token)-1], token + "A", token + "\n", "x" + token,
		strings.Join([]string{other, parts[1], parts[2]}, "."), strings.Join([]string{parts[0], "9" + parts[1], parts[2]}, "."),
		strings.Join([]string{parts[0], parts[1], parts[2][:42] + "_"}, "."),
	} {
		_, _, err := o.store.Find(t.Context(), wrong)
		require.True(t, fault.Is(err, fault.StatusNotFound), "%q", wrong)
	}
	found, confirmed, err := o.store.Find(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, []any{modelstest.Workspace, false}, []any{found, confirmed})
	o.Exec(`UPDATE mails SET created_at = created_at - interval '25 hours'`)
	late := o.prepare(o.of(mailing.OwnerConfirmation)[0])
	require.Equal(t, []string{delivery.MailFailed, string(mail.ClassOver)}, []string{late.Result, string(late.Class)}, "its address would be of no use")
	o.Exec(`UPDATE mails SET created_at = created_at + interval '1 hour' + interval '3 seconds'`)
	require.Empty(t, o.prepare(o.of(mailing.OwnerConfirmation)[0]).Result)

	changed, err := o.store.Confirm(t.Context(), modelstest.Workspace, ownerHolder)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, []string{modelstest.Workspace}, o.Rows(`SELECT id FROM workspaces WHERE confirmed_at IS NOT NULL`), "no other one with the same address")
	changed, err = o.store.Confirm(t.Context(), modelstest.Workspace, ownerHolder)
	require.NoError(t, err)
	require.False(t, changed)
	_, confirmed, err = o.store.Find(t.Context(), token)
	require.NoError(t, err)
	require.True(t, confirmed)
	sent, err := o.store.Send(t.Context(), modelstest.Workspace, ownerHolder)
	require.NoError(t, err)
	require.False(t, sent)
	require.Equal(t, []string{"confirmationSentAt", "confirmedAt"}, o.Rows(`SELECT f FROM audit_rows, unnest(changed_fields) f ORDER BY at`))
}

func TestOwnerConfirmation_3_AnotherTokenOfTheWorkspaceLeavesIt(t *testing.T) {
	t.Parallel()
	o := newOwners(t)
	_, err := o.store.Confirm(t.Context(), modelstest.Workspace, ownerHolder)
	require.NoError(t, err)
	_, err = workspace.NewOperator(o.DB, o.box, "story").ResetToken(t.Context(), modelstest.Workspace)
	require.NoError(t, err)
	found, err := o.store.Get(t.Context(), modelstest.Workspace)
	require.NoError(t, err)
	require.NotNil(t, found.ConfirmedAt)
}

func TestOwnerConfirmation_4_WhatFailedForItIsNotSentLater(t *testing.T) {
	t.Parallel()
	o := newOwners(t)
	o.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	o.on(mail.SettingsChange{})
	mailID := o.mentions(modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob"))))
	out := o.prepare(mailID)
	require.Equal(t, []string{delivery.MailFailed, string(mail.ClassOwnerUnconfirmed)}, []string{out.Result, string(out.Class)})
	step, err := o.mails.PrepareStep(t.Context(), mail.StepMail{WorkspaceID: modelstest.Workspace, ExecutionID: "e", StepID: "s", To: "bob@example.com"})
	require.NoError(t, err)
	require.Equal(t, []string{delivery.MailFailed, string(mail.ClassOwnerUnconfirmed)}, []string{step.Result, string(step.Class)})
	require.Equal(t, []string{"0"}, o.Rows(`SELECT relay_used::text FROM email_settings`))
	o.Exec(`UPDATE workspaces SET plan = 'paid'`)
	require.Empty(t, o.prepare(mailID).Result, "another plan needs none")
	o.Exec(`UPDATE workspaces SET plan = 'free', confirmed_at = now()`)
	require.Empty(t, o.prepare(mailID).Result)
	o.Exec(`UPDATE workspaces SET confirmed_at = NULL`)
	o.mails = mail.New(o.DB, o.box, mail.Addresses{}, mail.RelayTerms{Own: freePerDay, OwnersConfirmed: true})
	require.Empty(t, o.prepare(mailID).Result, "all count as confirmed")
}

// Nothing that a caller wrote stands in a mail to somebody who may have nothing to do with them.
func TestTheMailToAnOwnerSaysNothingOfTheCallers(t *testing.T) {
	t.Parallel()
	o := newOwners(t)
	o.Exec(`UPDATE workspaces SET name = 'BUY NOW', owner_name = 'BUY NOW', owner_email = 'strange@example.com'`)
	o.on(mail.SettingsChange{FromCompany: new("BUY NOW"), FromEmail: new("buy@example.com")})
	require.NoError(t, o.send())
	out := o.prepare(o.of(mailing.OwnerConfirmation)[0])
	require.Equal(t, []string{"strange@example.com", "", "", ""}, []string{out.Message.To, out.Message.ToName, out.Message.FromName, out.Message.ReplyTo})
	for _, text := range []string{out.Message.Subject, out.Message.Text, out.Message.HTML} {
		require.NotContains(t, strings.ToUpper(text), "BUY")
	}
	o.on(mail.SettingsChange{Enabled: new(false)})
	require.Empty(t, o.prepare(o.of(mailing.OwnerConfirmation)[0]).Result, "no setting stops it")
}

func TestOwnersAreAskedSoOftenADay(t *testing.T) {
	t.Parallel()
	o := newOwners(t)
	quota := func(err error) {
		t.Helper()
		require.True(t, fault.Is(err, fault.StatusResourceExhausted), err)
		require.Equal(t, "confirmation-quota", fault.From(err).Reason)
	}
	for range 3 {
		require.NoError(t, o.send())
	}
	quota(o.send())
	second := "ws_01jd8p3y5t7c2m0w9x4v6k8r1n"
	o.Exec(`INSERT INTO workspaces SELECT (jsonb_populate_record(w, jsonb_build_object('id', $1::text, 'name_key', 'other', 'token_mac', '\x' || repeat('ab', 32)))).* FROM workspaces w WHERE id = $2`, second, modelstest.Workspace)
	for i := range 3 {
		_, err := o.store.Send(t.Context(), second, ownerHolder)
		if i < 2 {
			require.NoError(t, err)
		} else {
			quota(err)
		}
	}
	require.Len(t, o.of(mailing.OwnerConfirmation), 5, "to one address")
	o.Exec(`UPDATE rate_uses SET at = at - interval '1 day'`)
	require.NoError(t, o.send())
	_, err := mail.NewOwners(o.DB, mail.Addresses{}, false, false).Send(t.Context(), modelstest.Workspace, ownerHolder)
	require.True(t, fault.Is(err, fault.StatusFailedPrecondition))
	require.Equal(t, "no-mail-relay", fault.From(err).Reason)
}

var sixDigits = regexp.MustCompile(`\n([0-9]{6})\n`)

// code is the one that the newest mail has.
func (p *outgoing) code() string {
	p.T.Helper()
	out := p.prepare(p.of(mailing.SenderCode)[0])
	require.Empty(p.T, out.Result)
	require.True(p.T, out.SenderConfirmed)
	require.Equal(p.T, []string{"mail.example.com", "desk@example.com", "desk@example.com"}, []string{out.Host.Name, out.Message.From, out.Message.To})
	return sixDigits.FindStringSubmatch(out.Message.Text)[1]
}

func (p *outgoing) confirm(code string) (*mail.Settings, error) {
	return p.settings.ConfirmSender(p.T.Context(), modelstest.Workspace, keyHolder, code)
}

func refusedAs(t *testing.T, err error, status fault.Status, reason string) {
	t.Helper()
	require.True(t, fault.Is(err, status), err)
	require.Equal(t, reason, fault.From(err).Reason)
}

// byOwnHost is a desk with a mail that goes by a host of its own, whose sender is not confirmed.
func byOwnHost(t *testing.T) (p *outgoing, mailID string) {
	t.Helper()
	p = newOutgoing(t)
	p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	p.on(own())
	p.Add("d", modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob"))))
	return p, p.of(mailing.Mention)[0]
}

func TestSenderConfirmation_1_BeforeItMailsFail(t *testing.T) {
	t.Parallel()
	p, mailID := byOwnHost(t)
	require.False(t, p.prepare(mailID).SenderConfirmed)
	code := p.code()
	after, err := p.confirm(code)
	require.NoError(t, err)
	require.True(t, after.SenderConfirmed)
	require.True(t, p.prepare(mailID).SenderConfirmed)
	_, err = p.confirm(code)
	refusedAs(t, err, fault.StatusFailedPrecondition, "nothing-to-confirm")
	for _, c := range []mail.SettingsChange{{Port: new(587)}, {FromCompany: new("Other")}, {FromEmail: new("desk@example.com")}, {Relay: new("default")}, {Relay: new("smtp")}} {
		after, err = p.set(c)
		require.NoError(t, err)
		require.True(t, after.SenderConfirmed, "what was confirmed stays")
	}
	for _, c := range []mail.SettingsChange{{FromEmail: new("other@example.com")}, {Username: new("other")}, {Host: new("b.example.com"), Username: new("u"), Password: new("p")}} {
		p.Exec(`UPDATE email_settings SET sender_confirmed_at = now()`)
		after, err = p.set(c)
		require.NoError(t, err)
		require.False(t, after.SenderConfirmed, "another one is to be confirmed again")
		require.False(t, p.prepare(mailID).SenderConfirmed)
	}
}

func TestSenderConfirmation_2_ACodeIsOfOneWorkspace(t *testing.T) {
	t.Parallel()
	p, other := newOutgoing(t), newOutgoing(t)
	p.on(own())
	other.on(own())
	require.NotEqual(t, p.code(), other.code())
	_, err := other.confirm(p.code())
	refusedAs(t, err, fault.StatusInvalidArgument, "wrong-code")
	right := other.code()
	wrong := "000000"
	if wrong == right {
		wrong = "000001"
	}
	for range 4 {
		_, err := other.confirm(wrong)
		refusedAs(t, err, fault.StatusInvalidArgument, "wrong-code")
	}
	_, err = other.confirm(right)
	refusedAs(t, err, fault.StatusFailedPrecondition, "nothing-to-confirm")
	other.on(mail.SettingsChange{FromEmail: new("desk@example.com")})
	_, err = other.confirm(other.code())
	require.NoError(t, err)
}

func TestSenderConfirmation_3_TheRelayAndListedHostsNeedNone(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.on(mail.SettingsChange{FromEmail: new("desk@example.com")})
	listed := own()
	listed.Host, listed.Security, listed.Port = new("listed.example.com"), new("none"), new(25)
	p.on(listed)
	require.Empty(t, p.of(mailing.SenderCode))
	found, err := p.settings.Get(t.Context(), modelstest.Workspace)
	require.NoError(t, err)
	require.True(t, found.SenderConfirmed)
	_, err = p.confirm("123456")
	refusedAs(t, err, fault.StatusFailedPrecondition, "nothing-to-confirm")
}

func TestACodeIsSentSoOftenAndForADay(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.on(own())
	first := p.of(mailing.SenderCode)[0]
	for range 4 {
		p.on(own())
	}
	out := p.prepare(first)
	require.Equal(t, []string{delivery.MailFailed, string(mail.ClassOver)}, []string{out.Result, string(out.Class)}, "another has taken its place")
	_, err := p.set(own())
	refusedAs(t, err, fault.StatusResourceExhausted, "confirmation-quota")
	p.on(mail.SettingsChange{Triggers: map[string]bool{mail.TriggerReply: false}})
	code := p.code()
	p.Exec(`UPDATE email_settings SET code_sent_at = code_sent_at - interval '1 day'`)
	_, err = p.confirm(code)
	refusedAs(t, err, fault.StatusFailedPrecondition, "nothing-to-confirm")
	require.Equal(t, string(mail.ClassOver), string(p.prepare(p.of(mailing.SenderCode)[0]).Class))
}

func TestAWorkspaceSendsSoManyMailsADay(t *testing.T) {
	t.Parallel()
	p, mailID := byOwnHost(t)
	p.Exec(`UPDATE email_settings SET mail_day = (now() AT TIME ZONE 'UTC')::date, mails_used = $1`, mail.PerDay-1)
	assert.Empty(t, p.prepare(mailID).Result)
	assert.Empty(t, p.prepare(mailID).Result, "it is counted once")
	p.on(mail.SettingsChange{Relay: new("default")})
	out := p.prepare(mailID)
	assert.Equal(t, []string{delivery.MailFailed, string(mail.ClassMailQuota)}, []string{out.Result, string(out.Class)}, "another way counts again")
	p.Exec(`UPDATE email_settings SET mail_day = mail_day - 1`)
	assert.Empty(t, p.prepare(mailID).Result)
	assert.Equal(t, []string{"1 1"}, p.Rows(`SELECT mails_used || ' ' || relay_used FROM email_settings`))
}

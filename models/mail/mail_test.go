package mail_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

// outgoing is a desk whose workspace can send mails.
type outgoing struct {
	*modelstest.Annotations
	box      *secret.Box
	settings *mail.SettingsStore
	mails    *mail.Mails
}

const freePerDay, freeTotal = 2, 50

func newOutgoing(t *testing.T) *outgoing {
	t.Helper()
	d := modelstest.NewAnnotations(t)
	box := modelstest.NewBox(t)
	strict, err := guard.New(guard.Options{AllowHosts: []string{"listed.example.com"}})
	require.NoError(t, err)
	return &outgoing{
		d, box, mail.NewSettingsStore(d.DB, box, strict, true), mail.New(d.DB, box, mail.NewAddresses(box, "https://redline.test"), mail.RelayTerms{Own: freePerDay, Total: freeTotal, OwnersConfirmed: true}),
	}
}

var keyHolder = workspace.Caller{WorkspaceID: modelstest.Workspace, APIKeyID: "ak_1", IP: "192.0.2.7", Operation: "/v2/workspace/emailconfig/update"}

func (p *outgoing) set(c mail.SettingsChange) (*mail.Settings, error) {
	p.T.Helper()
	return p.settings.Update(p.T.Context(), modelstest.Workspace, keyHolder, c)
}

func (p *outgoing) on(c mail.SettingsChange) {
	p.T.Helper()
	c.Enabled = new(true)
	_, err := p.set(c)
	require.NoError(p.T, err)
}

// own is a mail host of the workspace with a login.
func own() mail.SettingsChange {
	return mail.SettingsChange{
		Relay: new("smtp"), Host: new("mail.example.com"), Port: new(465), Security: new("tls"), FromEmail: new("desk@example.com"),
		FromCompany: new("Desk"), Username: new("user"), Password: new("password"),
	}
}

// waiting are the ids of the mails that wait, in the order of their recipients.
func (p *outgoing) waiting() []string {
	p.T.Helper()
	return p.Rows(`SELECT m.id FROM mails m JOIN deliveries d ON d.mail_id = m.id WHERE m.result IS NULL ORDER BY m.recipient, m.id`)
}

func (p *outgoing) prepare(mailID string) *mail.Outgoing {
	p.T.Helper()
	out, err := p.mails.Prepare(p.T.Context(), modelstest.Workspace, mailID)
	require.NoError(p.T, err)
	return out
}

func withEmail(userID, address string) directory.ProfileChange {
	change := modelstest.Known(userID, strings.ToUpper(userID))
	change.Email = &address
	return change
}

// mentions makes a mail to bob and returns its id.
func (p *outgoing) mentions(n annotation.NewAnnotation) string {
	p.T.Helper()
	p.Add("d", n)
	ids := p.waiting()
	require.NotEmpty(p.T, ids)
	return ids[0]
}

func TestTheWayOfAMailIsThatOfTheMomentItLeaves(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	p.on(mail.SettingsChange{})
	mailID := p.mentions(modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}} <b>", modelstest.Flagged("bob"))))
	first := p.prepare(mailID)
	assert.Empty(t, first.Result)
	assert.True(t, first.Host.Operators)
	assert.Empty(t, first.Message.From, "the operator's address")
	assert.Equal(t, "Hi BOB <b>", strings.TrimSpace(strings.SplitN(first.Message.Text, "\n", 2)[1]))
	assert.Equal(t, []string{"bob@example.com", "BOB", mailID}, []string{first.Message.To, first.Message.ToName, first.Message.ID})
	p.on(own())
	out := p.prepare(mailID)
	assert.False(t, out.Host.Operators)
	assert.Equal(t, []any{"mail.example.com", 465, "tls", "user", "password"}, []any{out.Host.Name, out.Host.Port, out.Host.Security, out.Host.Username, out.Host.Password})
	assert.Equal(t, []string{"desk@example.com", "Desk", ""}, []string{out.Message.From, out.Message.FromName, out.Message.ReplyTo})
	p.on(mail.SettingsChange{Host: new("other.example.com")})
	out = p.prepare(mailID)
	assert.Equal(t, []string{"user", ""}, []string{out.Host.Username, out.Host.Password})
	p.on(mail.SettingsChange{Triggers: map[string]bool{mail.TriggerMention: false}})
	assert.Equal(t, delivery.MailDisabled, p.prepare(mailID).Result)
}

func TestTheLastLookBeforeAMailLeaves(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	p.on(mail.SettingsChange{})
	mailID := p.mentions(modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob"))))
	for _, c := range []struct{ away, back string }{
		{`UPDATE annotations SET visibility = 'restricted', visible_to = ARRAY['eve']`, `UPDATE annotations SET visibility = 'public', visible_to = NULL`},
		{`UPDATE annotations SET visibility = 'organizationPrivate', visible_to_org = 'other'`, `UPDATE annotations SET visibility = 'public', visible_to_org = NULL`},
		{`UPDATE documents SET access = 'restricted'`, `UPDATE documents SET access = NULL`},
		{`UPDATE comments SET seq = 2`, `UPDATE comments SET seq = 1`},
		{`UPDATE comments SET comment_text = 'Hi all'`, `UPDATE comments SET comment_text = 'Hi {{bob}}'`},
	} {
		p.Exec(c.away)
		out := p.prepare(mailID)
		assert.Equal(t, []string{delivery.MailDisabled, string(mail.ClassNotVisible)}, []string{out.Result, string(out.Class)}, c.away)
		p.Exec(c.back)
		assert.Empty(t, p.prepare(mailID).Result, c.back)
	}
	p.Exec(`UPDATE comments SET comment_text = 'Edited, {{bob}}'`)
	assert.Contains(t, p.prepare(mailID).Message.Text, "Edited, BOB")
	p.Exec(`DELETE FROM comments`)
	assert.Equal(t, delivery.MailDisabled, p.prepare(mailID).Result)
	assert.Equal(t, delivery.MailDisabled, p.prepare("eml_none").Result)
}

func TestASlotAtTheRelayIsTakenOnce(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.on(mail.SettingsChange{})
	notes := make([]annotation.NewAnnotation, 20)
	for i := range notes {
		notes[i] = modelstest.Note("", modelstest.Says("ann", "{{bob}}", modelstest.Flagged("bob"), func(c *annotation.NewComment) {
			c.Contacts = []directory.Contact{{UserID: "bob", Contact: directory.ContactPerson{UserID: "bob", Email: new("bob@example.com")}}}
		}))
	}
	p.Add("d", notes...)
	ids := p.waiting()
	require.Len(t, ids, 20)
	for range 2 {
		results := make([]string, len(ids))
		for _, err := range modelstest.AtOnce(len(ids), func(i int) error {
			out, err := p.mails.Prepare(t.Context(), modelstest.Workspace, ids[i])
			if err == nil {
				results[i] = out.Result + string(out.Class)
			}
			return err
		}) {
			require.NoError(t, err)
		}
		sent := 0
		for _, result := range results {
			if result == "" {
				sent++
			} else {
				assert.Equal(t, delivery.MailFailed+string(mail.ClassRelayQuota), result)
			}
		}
		assert.Equal(t, freePerDay, sent, "a second try takes no second slot")
	}
	p.Exec(`UPDATE email_settings SET mail_day = mail_day - 1`)
	refused := p.Rows(`SELECT id FROM mails WHERE NOT relayed LIMIT 1`)[0]
	assert.Empty(t, p.prepare(refused).Result, "another day")
	p.Exec(`UPDATE workspaces SET plan = 'paid'`)
	for _, mailID := range ids {
		assert.Empty(t, p.prepare(mailID).Result)
	}
}

// What is over the limit of all workspaces of the free plan together, or of one address, waits.
func TestTheRelayServesSoManyOfAllAndToOneAddress(t *testing.T) {
	t.Parallel()
	for name, used := range map[string]string{
		"all":     `INSERT INTO relay_uses (day, address, used) SELECT (now() AT TIME ZONE 'UTC')::date, '', 50 WHERE $1::text <> ''`,
		"address": `INSERT INTO relay_uses (day, address, used) VALUES ((now() AT TIME ZONE 'UTC')::date, $1, 20)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newOutgoing(t)
			keyed := hex.EncodeToString(p.box.MAC("redline/relay-use/v1", []byte("bob@example.com")))
			p.Adds(modelstest.Acme, withEmail("bob", "Bob+2@EXAMPLE.com")) // of the mailbox of bob@example.com
			p.on(mail.SettingsChange{})
			mailID := p.mentions(modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob"))))
			p.Exec(used, keyed)
			out := p.prepare(mailID)
			require.Equal(t, []any{"", mail.ClassRelayFull, true}, []any{out.Result, out.Class, out.Wait > 0})
			require.Equal(t, []string{"0"}, p.Rows(`SELECT relay_used::text FROM email_settings`), "it has used nothing of its own")
			p.Exec(`UPDATE relay_uses SET day = day - 1`)
			out = p.prepare(mailID)
			require.Equal(t, []any{"", false}, []any{out.Result, out.Wait > 0}, "another day")
			require.Equal(t, []string{"1", "1"}, p.Rows(`SELECT used::text FROM relay_uses WHERE day > (now() AT TIME ZONE 'UTC')::date - 1`))
			require.Empty(t, p.prepare(mailID).Result, "it is counted once")
			require.Equal(t, []string{"1", "1"}, p.Rows(`SELECT used::text FROM relay_uses WHERE day > (now() AT TIME ZONE 'UTC')::date - 1`))
		})
	}
}

func TestSwitchingMailsOffCancelsWhatWaits(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	p.on(mail.SettingsChange{})
	p.mentions(modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob"))))
	_, err := p.set(mail.SettingsChange{Enabled: new(false)})
	require.NoError(t, err)
	p.Add("d", modelstest.Note("b", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob"))))
	require.Len(t, p.waiting(), 1, "none is made while the service is off")
	destination := p.Rows(`SELECT id FROM destinations WHERE kind = 'mail'`)[0]
	more, err := delivery.New(p.DB, p.box, delivery.Rules{}, mail.DeliveryRows).EndCancelled(t.Context(), destination)
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []string{"disabled mails-disabled dead"},
		p.Rows(`SELECT m.result || ' ' || m.class || ' ' || d.state FROM mails m JOIN deliveries d ON d.mail_id = m.id`))
}

func TestNoMailOfATriggerThatWasSwitchedOffStarts(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	p.on(mail.SettingsChange{})
	p.Add("d", modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob"))), modelstest.Note("b", modelstest.Says("ann", "{{bob}}", modelstest.Flagged("bob"))))
	rows, destination := delivery.New(p.DB, p.box, delivery.Rules{}, mail.DeliveryRows), p.Rows(`SELECT id FROM destinations`)[0]
	to, err := rows.LockDestination(t.Context(), modelstest.Workspace, destination, "owner")
	require.NoError(t, err)
	claim := func() *delivery.Claimed {
		p.Exec(`UPDATE destinations SET paced_until = NULL`)
		claimed, err := rows.Claim(t.Context(), to, "owner", delivery.ClaimLimits{Rows: 1})
		require.NoError(t, err)
		require.Len(t, claimed.Rows, 1)
		return claimed.Rows[0]
	}
	before, later := claim(), claim()
	starts := func() bool {
		may, err := rows.StartLate(t.Context(), before)
		require.NoError(t, err)
		return may
	}
	p.Exec(`UPDATE deliveries SET begun_at = clock_timestamp() + interval '1 day' WHERE id = $1`, later.ID)
	p.on(mail.SettingsChange{Triggers: map[string]bool{mail.TriggerReply: false}})
	assert.True(t, starts(), "it is of another trigger")
	p.on(mail.SettingsChange{Triggers: map[string]bool{mail.TriggerMention: false}})
	var over bool
	require.NoError(t, p.DB.Pool.QueryRow(t.Context(), `SELECT begun_at + $2::interval <= clock_timestamp() FROM deliveries WHERE id = $1`,
		before.ID, delivery.StartWithin).Scan(&over))
	assert.True(t, over, "what was begun before may not start any more when the answer comes; what is begun since is not waited for")
	assert.False(t, starts())
}

func TestMailsThatEndedLongAgoGo(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	p.on(mail.SettingsChange{})
	p.Add("d", modelstest.Note("a", modelstest.Says("ann", "{{bob}}", modelstest.Flagged("bob"))), modelstest.Note("b", modelstest.Says("ann", "{{bob}}", modelstest.Flagged("bob"))))
	ids := p.waiting()
	p.Exec(`UPDATE mails SET result = 'sent', class = 'ok', ended_at = now() WHERE id = $1`, ids[0])
	assert.Equal(t, []string{"sent", "ok"}, []string{p.prepare(ids[0]).Result, string(p.prepare(ids[0]).Class)}, "it is not sent again")
	removed, err := p.mails.Expire(t.Context(), 90, 10)
	require.NoError(t, err)
	require.Zero(t, removed)
	p.Exec(`UPDATE mails SET created_at = now() - interval '91 days'`)
	removed, err = p.mails.Expire(t.Context(), 90, 10)
	require.NoError(t, err)
	require.EqualValues(t, 1, removed)
	removed, err = p.mails.Expire(t.Context(), 90, 1)
	require.NoError(t, err)
	require.Zero(t, removed)
	require.Equal(t, ids[1:], p.Rows(`SELECT mail_id FROM deliveries`), "what waits stays")
}

func TestEmailSettingsAreSealedAuditedAndChecked(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	fresh, err := p.settings.Get(t.Context(), modelstest.Workspace)
	require.NoError(t, err)
	assert.Equal(t, []any{false, "default", 587, "starttls", false}, []any{fresh.Enabled, fresh.Relay, fresh.Port, fresh.Security, fresh.HasPassword()})
	p.on(own())
	assert.Equal(t, []string{"0"}, p.Rows(`SELECT position('password'::bytea IN password_sealed)::text FROM email_settings`))
	assert.Equal(t, []string{modelstest.Workspace + " ak_1 /v2/workspace/emailconfig/update success"},
		p.Rows(`SELECT target_id || ' ' || actor || ' ' || operation || ' ' || outcome FROM audit_rows`))
	assert.Equal(t, []string{"emailServiceConfig.password"}, p.Rows(`SELECT f FROM audit_rows, unnest(changed_fields) f WHERE f LIKE '%password'`))
	for name, c := range map[string]mail.SettingsChange{
		"username without password": {Username: new("user"), Password: new("")},
		"password without username": {Username: new(""), Password: new("x")},
		"no host":                   {Host: new("")},
		"no address":                {FromEmail: new("")},
		"no port":                   {Port: new(0)},
		"refused host":              {Host: new("10.0.0.1")},
		"bare":                      {Security: new("none")},
		"another host's password":   {Host: new("other.example.com"), Username: new("user")},
	} {
		_, err := p.set(c)
		assert.True(t, fault.Is(err, fault.StatusInvalidArgument), name)
	}
	after, err := p.set(mail.SettingsChange{Host: new("listed.example.com"), Security: new("none"), Port: new(25)})
	require.NoError(t, err)
	assert.False(t, after.HasPassword())
	after, err = p.set(mail.SettingsChange{Username: new("")})
	require.NoError(t, err)
	assert.Empty(t, after.Username)
	require.NoError(t, p.mails.Failed(t.Context(), modelstest.Workspace, "auth"))
	after, err = p.settings.Get(t.Context(), modelstest.Workspace)
	require.NoError(t, err)
	assert.Equal(t, "auth", after.FailedClass)
	assert.Len(t, p.Rows(`SELECT id FROM audit_rows`), 3, "refusals of this kind change nothing and are not kept")
}

func SentNames(events []map[string]any) []string {
	var names []string
	for _, e := range events {
		names = append(names, e["event"].(string))
	}
	return names
}

func TestWhatFlaggedCommentsPublish(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Exec(`INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true)`, modelstest.Workspace)
	d.Exec(`INSERT INTO endpoints (id, workspace_id, url, disabled) VALUES ('ep_1', $1, 'https://hooks.test/a', true)`, modelstest.Workspace)
	d.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"), modelstest.Known("bob", "Bob"))
	first := modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob")), modelstest.Says("bob", "x", modelstest.Flagged()), modelstest.Says("ann", "y", modelstest.Flagged()))
	first.Assigned = &person.Person{UserID: "bob"}
	d.Add("d", first)
	events := d.Published()
	require.Equal(t, []string{"comment_annotation.add", "comment_annotation.assign", "comment.add", "comment.add", "comment.add"}, SentNames(events))
	data := events[1]["data"].(map[string]any)
	assert.Nil(t, data["oldAssignedTo"])
	assert.Contains(t, data, "oldAssignedTo")
	assert.NotContains(t, data, "targetComment")
	assert.Equal(t, "Bob", data["newAssignedTo"].(map[string]any)["name"])
	data = events[3]["data"].(map[string]any)
	assert.Equal(t, "bob", data["actionUser"].(map[string]any)["userId"])
	assert.Equal(t, "x", data["targetComment"].(map[string]any)["commentText"])
	assert.NotContains(t, data, "visibility")
	assert.NotContains(t, data, "newAssignedTo")
	shown := data["commentAnnotation"].(map[string]any)
	assert.Len(t, shown["comments"], 3)
	assert.Equal(t, []any{"a", "acme", "d", nil, "rest-api", 3.0, nil}, []any{
		shown["annotationId"], shown["organizationId"], shown["documentId"], shown["folderId"], shown["sourceType"], shown["commentCount"], shown["location"],
	})
	assert.Equal(t, "d", data["metadata"].(map[string]any)["document"].(map[string]any)["documentId"])

	d.Add("d", modelstest.Note("b", modelstest.Says("ann", "silent"), modelstest.Says("bob", "loud", modelstest.Flagged())), modelstest.Note("c", modelstest.Says("ann", "silent")))
	require.Equal(t, []string{"comment.add"}, SentNames(d.Published()[len(events):]))

	closed := modelstest.Restricted(modelstest.Note("e", modelstest.Says("ann", "{{bob}} {{eve}}", modelstest.Flagged("bob", "eve"))), "bob")
	d.Add("d", closed)
	last := d.Published()[len(events)+1]["data"].(map[string]any)
	assert.Equal(t, []any{"eve"}, last["accessDeniedUsers"])
	assert.Equal(t, map[string]any{"type": "restricted", "userIds": []any{"bob"}}, last["visibility"])
}

func TestALongThreadIsShownInPart(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Exec(`INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true)`, modelstest.Workspace)
	d.Exec(`INSERT INTO endpoints (id, workspace_id, url, disabled) VALUES ('ep_1', $1, 'https://hooks.test/a', true)`, modelstest.Workspace)
	long := modelstest.Note("a", modelstest.Says("ann", "root"))
	for range 49 {
		long.Comments = append(long.Comments, modelstest.Says("bob", "x"))
	}
	for i := range long.Comments {
		id := int64(i + 1)
		long.Comments[i].ID = &id
	}
	for _, i := range []int{0, 5, 45} {
		long.Comments[i].Notify = true
	}
	d.Add("d", long)
	events := d.Published()
	require.Len(t, events, 4)
	for i, want := range [][]int{{1, 32}, {1, 32}, {1, 6, 33}, {1, 32}} {
		shown := events[i]["data"].(map[string]any)["commentAnnotation"].(map[string]any)
		assert.EqualValues(t, 50, shown["commentCount"])
		var ids []int
		for _, c := range shown["comments"].([]any) {
			ids = append(ids, int(c.(map[string]any)["commentId"].(float64)))
		}
		require.Len(t, ids, 20)
		assert.Equal(t, want, ids[:len(want)], "root, the one it is about, the newest")
		assert.Equal(t, 50, ids[19])
	}
}

func TestFlaggedCommentsAreRecorded(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	recorded := func(c *annotation.NewComment) { c.Record = true }
	numbered := func(id int64) func(*annotation.NewComment) { return func(c *annotation.NewComment) { c.ID = &id } }
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "1", recorded, numbered(1)), modelstest.Says("bob", "2", numbered(2)), modelstest.Says("eve", "3", recorded, numbered(3))),
		modelstest.Note("b", modelstest.Says("ann", "1", modelstest.Flagged()), modelstest.Says("bob", "2", recorded, numbered(4))), modelstest.Note("c", modelstest.Says("ann", "1", modelstest.Flagged())))
	require.Equal(t, []string{
		"comment comment_annotation.add a 1 ann", "comment comment.add a 3 eve", "comment comment.add b 4 bob",
	}, d.Rows(`SELECT concat_ws(' ', feature_type, action_type, annotation_id, comment_id, action_user->>'userId') FROM activities ORDER BY annotation_id, comment_id`))
	require.Equal(t, []string{"1"}, d.Rows(`SELECT count(DISTINCT created_at)::text FROM activities`))
	d.Exec(`DELETE FROM documents`)
	require.Empty(t, d.Rows(`SELECT id FROM activities`))
}

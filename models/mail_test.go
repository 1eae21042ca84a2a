package models_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
)

// outgoing is a desk whose workspace can send mails.
type outgoing struct {
	*desk
	box      *secret.Box
	settings *models.EmailSettings
	mails    *models.Mails
}

const freePerDay = 2

func newOutgoing(t *testing.T) *outgoing {
	t.Helper()
	d := newDesk(t)
	box := newBox(t)
	strict, err := guard.New(guard.Options{AllowHosts: []string{"listed.example.com"}})
	require.NoError(t, err)
	return &outgoing{
		d, box, models.NewEmailSettings(d.db, box, strict, true), models.NewMails(d.db, box, freePerDay),
	}
}

var keyHolder = models.Caller{WorkspaceID: workspace, APIKeyID: "ak_1", IP: "192.0.2.7", Operation: "/v2/workspace/emailconfig/update"}

func (p *outgoing) set(c models.MailChange) (*models.MailState, error) {
	p.t.Helper()
	return p.settings.Update(p.t.Context(), workspace, keyHolder, c)
}

func (p *outgoing) on(c models.MailChange) {
	p.t.Helper()
	c.Enabled = new(true)
	_, err := p.set(c)
	require.NoError(p.t, err)
}

// own is a mail host of the workspace with a login.
func own() models.MailChange {
	return models.MailChange{
		Relay: new("smtp"), Host: new("mail.example.com"), Port: new(465), Security: new("tls"), FromEmail: new("desk@example.com"),
		FromCompany: new("Desk"), Username: new("user"), Password: new("password"),
	}
}

// waiting are the ids of the mails that wait, in the order of their recipients.
func (p *outgoing) waiting() []string {
	p.t.Helper()
	return p.rows(`SELECT m.id FROM mails m JOIN deliveries d ON d.mail_id = m.id WHERE m.result IS NULL ORDER BY m.recipient, m.id`)
}

func (p *outgoing) prepare(mailID string) *models.Outgoing {
	p.t.Helper()
	out, err := p.mails.Prepare(p.t.Context(), workspace, mailID)
	require.NoError(p.t, err)
	return out
}

func withEmail(userID, address string) models.ProfileChange {
	change := known(userID, strings.ToUpper(userID))
	change.Email = &address
	return change
}

// mentions makes a mail to bob and gives its id.
func (p *outgoing) mentions(n models.NewAnnotation) string {
	p.t.Helper()
	p.add("d", n)
	ids := p.waiting()
	require.NotEmpty(p.t, ids)
	return ids[0]
}

func TestTheWayOfAMailIsThatOfTheMomentItLeaves(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.adds(acme, withEmail("bob", "bob@example.com"))
	p.on(models.MailChange{})
	mailID := p.mentions(note("a", says("ann", "Hi {{bob}} <b>", flagged("bob"))))
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
	p.on(models.MailChange{Host: new("other.example.com")})
	out = p.prepare(mailID)
	assert.Equal(t, []string{"user", ""}, []string{out.Host.Username, out.Host.Password})
	p.on(models.MailChange{Triggers: map[string]bool{models.TriggerMention: false}})
	assert.Equal(t, models.MailDisabled, p.prepare(mailID).Result)
}

func TestTheLastLookBeforeAMailLeaves(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.adds(acme, withEmail("bob", "bob@example.com"))
	p.on(models.MailChange{})
	mailID := p.mentions(note("a", says("ann", "Hi {{bob}}", flagged("bob"))))
	for _, c := range []struct{ away, back string }{
		{`UPDATE annotations SET visibility = 'restricted', visible_to = ARRAY['eve']`, `UPDATE annotations SET visibility = 'public', visible_to = NULL`},
		{`UPDATE annotations SET visibility = 'organizationPrivate', visible_to_org = 'other'`, `UPDATE annotations SET visibility = 'public', visible_to_org = NULL`},
		{`UPDATE documents SET access = 'restricted'`, `UPDATE documents SET access = NULL`},
		{`UPDATE comments SET seq = 2`, `UPDATE comments SET seq = 1`},
	} {
		p.exec(c.away)
		out := p.prepare(mailID)
		assert.Equal(t, []string{models.MailDisabled, string(models.ClassNotVisible)}, []string{out.Result, string(out.Class)}, c.away)
		p.exec(c.back)
		assert.Empty(t, p.prepare(mailID).Result, c.back)
	}
	p.exec(`UPDATE comments SET comment_text = 'Edited, {{bob}}'`)
	assert.Contains(t, p.prepare(mailID).Message.Text, "Edited, BOB")
	p.exec(`DELETE FROM comments`)
	assert.Equal(t, models.MailDisabled, p.prepare(mailID).Result)
	assert.Equal(t, models.MailDisabled, p.prepare("eml_none").Result)
}

func TestAPlaceAtTheRelayIsTakenOnce(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.on(models.MailChange{})
	notes := make([]models.NewAnnotation, 20)
	for i := range notes {
		notes[i] = note("", says("ann", "{{bob}}", flagged("bob"), func(c *models.NewComment) {
			c.Contacts = []models.Contact{{UserID: "bob", Contact: models.ContactPerson{UserID: "bob", Email: new("bob@example.com")}}}
		}))
	}
	p.add("d", notes...)
	ids := p.waiting()
	require.Len(t, ids, 20)
	for range 2 {
		results := make([]string, len(ids))
		for _, err := range atOnce(len(ids), func(i int) error {
			out, err := p.mails.Prepare(t.Context(), workspace, ids[i])
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
				assert.Equal(t, models.MailFailed+string(models.ClassRelayQuota), result)
			}
		}
		assert.Equal(t, freePerDay, sent, "a second try takes no second place")
	}
	p.exec(`UPDATE email_settings SET relay_day = relay_day - 1`)
	refused := p.rows(`SELECT id FROM mails WHERE NOT relayed LIMIT 1`)[0]
	assert.Empty(t, p.prepare(refused).Result, "another day")
	p.exec(`UPDATE workspaces SET plan = 'paid'`)
	for _, mailID := range ids {
		assert.Empty(t, p.prepare(mailID).Result)
	}
}

func TestSwitchingMailsOffCutsWhatWaits(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.adds(acme, withEmail("bob", "bob@example.com"))
	p.on(models.MailChange{})
	p.mentions(note("a", says("ann", "Hi {{bob}}", flagged("bob"))))
	_, err := p.set(models.MailChange{Enabled: new(false)})
	require.NoError(t, err)
	p.add("d", note("b", says("ann", "Hi {{bob}}", flagged("bob"))))
	require.Len(t, p.waiting(), 1, "none is made while the service is off")
	destination := p.rows(`SELECT id FROM destinations WHERE kind = 'mail'`)[0]
	more, err := models.NewDeliveries(p.db, p.box, models.DeliveryRules{}, models.Health{}, models.MailsOfDeliveries).EndCut(t.Context(), destination)
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []string{"disabled mails-disabled dead"},
		p.rows(`SELECT m.result || ' ' || m.class || ' ' || d.state FROM mails m JOIN deliveries d ON d.mail_id = m.id`))
}

func TestNoMailOfATriggerThatWasSwitchedOffStarts(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.adds(acme, withEmail("bob", "bob@example.com"))
	p.on(models.MailChange{})
	p.add("d", note("a", says("ann", "Hi {{bob}}", flagged("bob"))), note("b", says("ann", "{{bob}}", flagged("bob"))))
	rows, destination := models.NewDeliveries(p.db, p.box, models.DeliveryRules{}, models.Health{}, models.MailsOfDeliveries), p.rows(`SELECT id FROM destinations`)[0]
	kind, err := rows.TakeLease(t.Context(), workspace, destination, "driver")
	require.NoError(t, err)
	draw := func() *models.Drawn {
		p.exec(`UPDATE destinations SET paced_until = NULL`)
		drawn, err := rows.Draw(t.Context(), workspace, destination, "driver", models.DrawLimits{Kind: kind, Rows: 1})
		require.NoError(t, err)
		require.Len(t, drawn.Rows, 1)
		return drawn.Rows[0]
	}
	before, later := draw(), draw()
	starts := func() bool {
		may, err := rows.StartLate(t.Context(), before)
		require.NoError(t, err)
		return may
	}
	p.exec(`UPDATE deliveries SET begun_at = clock_timestamp() + interval '1 day' WHERE id = $1`, later.ID)
	p.on(models.MailChange{Triggers: map[string]bool{models.TriggerReply: false}})
	assert.True(t, starts(), "it is of another trigger")
	p.on(models.MailChange{Triggers: map[string]bool{models.TriggerMention: false}})
	var over bool
	require.NoError(t, p.db.Pool.QueryRow(t.Context(), `SELECT begun_at + $2::interval <= clock_timestamp() FROM deliveries WHERE id = $1`,
		before.ID, models.StartWithin).Scan(&over))
	assert.True(t, over, "what was begun before may not start any more when the answer comes; what is begun since is not waited for")
	assert.False(t, starts())
}

func TestMailsThatEndedLongAgoGo(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.adds(acme, withEmail("bob", "bob@example.com"))
	p.on(models.MailChange{})
	p.add("d", note("a", says("ann", "{{bob}}", flagged("bob"))), note("b", says("ann", "{{bob}}", flagged("bob"))))
	ids := p.waiting()
	p.exec(`UPDATE mails SET result = 'sent', class = 'ok', ended_at = now() WHERE id = $1`, ids[0])
	assert.Equal(t, []string{"sent", "ok"}, []string{p.prepare(ids[0]).Result, string(p.prepare(ids[0]).Class)}, "it is not sent again")
	removed, err := p.mails.Expire(t.Context(), 90, 10)
	require.NoError(t, err)
	require.Zero(t, removed)
	p.exec(`UPDATE mails SET created_at = now() - interval '91 days'`)
	removed, err = p.mails.Expire(t.Context(), 90, 10)
	require.NoError(t, err)
	require.EqualValues(t, 1, removed)
	require.Equal(t, ids[1:], p.rows(`SELECT mail_id FROM deliveries`), "what waits stays")
}

func TestEmailSettingsAreSealedAuditedAndChecked(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	fresh, err := p.settings.Get(t.Context(), workspace)
	require.NoError(t, err)
	assert.Equal(t, []any{false, "default", 587, "starttls", false}, []any{fresh.Enabled, fresh.Relay, fresh.Port, fresh.Security, fresh.HasPassword()})
	p.on(own())
	assert.Equal(t, []string{"0"}, p.rows(`SELECT position('password'::bytea IN password_sealed)::text FROM email_settings`))
	assert.Equal(t, []string{workspace + " ak_1 /v2/workspace/emailconfig/update success"},
		p.rows(`SELECT target_id || ' ' || actor || ' ' || operation || ' ' || outcome FROM audit_rows`))
	assert.Equal(t, []string{"emailServiceConfig.password"}, p.rows(`SELECT f FROM audit_rows, unnest(changed_fields) f WHERE f LIKE '%password'`))
	for name, c := range map[string]models.MailChange{
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
		assert.True(t, fault.Is(err, fault.InvalidArgument), name)
	}
	after, err := p.set(models.MailChange{Host: new("listed.example.com"), Security: new("none"), Port: new(25)})
	require.NoError(t, err)
	assert.False(t, after.HasPassword())
	after, err = p.set(models.MailChange{Username: new("")})
	require.NoError(t, err)
	assert.Empty(t, after.Username)
	require.NoError(t, p.mails.Failed(t.Context(), workspace, "auth"))
	after, err = p.settings.Get(t.Context(), workspace)
	require.NoError(t, err)
	assert.Equal(t, "auth", after.FailedClass)
	assert.Len(t, p.rows(`SELECT id FROM audit_rows`), 3, "refusals of this kind change nothing and are not kept")
}

func namesOf(events []map[string]any) []string {
	var names []string
	for _, e := range events {
		names = append(names, e["event"].(string))
	}
	return names
}

func TestWhatFlaggedCommentsRaise(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(`INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true)`, workspace)
	d.adds(acme, known("ann", "Ann"), known("bob", "Bob"))
	first := note("a", says("ann", "Hi {{bob}}", flagged("bob")), says("bob", "x", flagged()), says("ann", "y", flagged()))
	first.Assigned = &person.Person{UserID: "bob"}
	d.add("d", first)
	events := d.told()
	require.Equal(t, []string{"comment_annotation.add", "comment_annotation.assign", "comment.add", "comment.add", "comment.add"}, namesOf(events))
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

	d.add("d", note("b", says("ann", "silent"), says("bob", "loud", flagged())), note("c", says("ann", "silent")))
	require.Equal(t, []string{"comment.add"}, namesOf(d.told()[len(events):]))

	closed := restricted(note("e", says("ann", "{{bob}} {{eve}}", flagged("bob", "eve"))), "bob")
	d.add("d", closed)
	last := d.told()[len(events)+1]["data"].(map[string]any)
	assert.Equal(t, []any{"eve"}, last["accessDeniedUsers"])
	assert.Equal(t, map[string]any{"type": "restricted", "userIds": []any{"bob"}}, last["visibility"])
}

func TestALongThreadIsShownInPart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(`INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true)`, workspace)
	long := note("a", says("ann", "root"))
	for range 49 {
		long.Comments = append(long.Comments, says("bob", "x"))
	}
	for i := range long.Comments {
		id := int64(i + 1)
		long.Comments[i].ID = &id
	}
	for _, i := range []int{0, 5, 45} {
		long.Comments[i].Notify = true
	}
	d.add("d", long)
	events := d.told()
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
	d := newDesk(t)
	recorded := func(c *models.NewComment) { c.Record = true }
	numbered := func(id int64) func(*models.NewComment) { return func(c *models.NewComment) { c.ID = &id } }
	d.add("d", note("a", says("ann", "1", recorded, numbered(1)), says("bob", "2", numbered(2)), says("eve", "3", recorded, numbered(3))),
		note("b", says("ann", "1", flagged()), says("bob", "2", recorded, numbered(4))), note("c", says("ann", "1", flagged())))
	require.Equal(t, []string{
		"comment comment_annotation.add a 1 ann", "comment comment.add a 3 eve", "comment comment.add b 4 bob",
	}, d.rows(`SELECT concat_ws(' ', feature_type, action_type, annotation_id, comment_id, action_user->>'userId') FROM activities ORDER BY annotation_id, comment_id`))
	require.Equal(t, []string{"1"}, d.rows(`SELECT count(DISTINCT created_at)::text FROM activities`))
	d.exec(`DELETE FROM documents`)
	require.Empty(t, d.rows(`SELECT id FROM activities`))
}

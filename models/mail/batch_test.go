package mail_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	mailing "github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/notification"
)

// timed is a workspace that has set when its mails about comments leave.
func timed(t *testing.T, c notification.SettingsChange) *outgoing {
	t.Helper()
	p := newOutgoing(t)
	p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	p.Exec(`UPDATE workspaces SET plan = 'paid'`)
	p.on(mail.SettingsChange{})
	p.notify(c)
	return p
}

func (p *outgoing) notify(c notification.SettingsChange) {
	p.T.Helper()
	_, err := notification.New(p.DB).Configure(p.T.Context(), modelstest.Workspace, keyHolder, c)
	require.NoError(p.T, err)
}

// mention mentions bob n times, each in an annotation of its own.
func (p *outgoing) mention(n int) {
	p.T.Helper()
	for i := range n {
		p.Add("d", modelstest.Note(fmt.Sprint("a", i), modelstest.Says("ann", fmt.Sprintf("No. %d, {{bob}}", i), modelstest.Flagged("bob"))))
	}
}

// due are the mails that wait, the next one first, and whether they leave now.
func (p *outgoing) due() []string {
	p.T.Helper()
	return p.Rows(`SELECT m.template || CASE WHEN o.due_at > clock_timestamp() THEN ' later' ELSE ' now' END
FROM mails m JOIN deliveries d ON d.mail_id = m.id JOIN open_deliveries o ON o.id = d.id WHERE m.result IS NULL AND m.batch_id IS NULL ORDER BY o.due_at, m.id`)
}

// join prepares the mails about comments that have not joined a batch, as they come due.
func (p *outgoing) join() {
	p.T.Helper()
	for _, mailID := range p.Rows(`SELECT id FROM mails WHERE annotation_key IS NOT NULL AND batch_id IS NULL ORDER BY id`) {
		out := p.prepare(mailID)
		require.Equal(p.T, []any{delivery.MailDisabled, mail.ClassBatched}, []any{out.Result, out.Class})
		again := p.prepare(mailID)
		require.Equal(p.T, out.Class, again.Class, "it has joined, whoever dies before that is kept")
	}
}

// batches are the mails of batches, the first one first.
func (p *outgoing) batches() []*mail.Outgoing {
	p.T.Helper()
	var all []*mail.Outgoing
	for _, mailID := range p.Rows(`SELECT id FROM mails WHERE template = 'batch' ORDER BY id`) {
		all = append(all, p.prepare(mailID))
	}
	return all
}

func TestNotificationSettings_1_ADelayedMailThatIsReadOrGone(t *testing.T) {
	t.Parallel()
	p := timed(t, notification.SettingsChange{Delayed: new(true), DelaySeconds: new(60)})
	p.mention(3)
	require.Equal(t, []string{"mention later", "mention later", "mention later"}, p.due())
	ids := p.waiting()
	p.Exec(`UPDATE notification_recipients r SET read_at = clock_timestamp() FROM notifications n JOIN annotations a ON a.key = n.annotation_key
WHERE r.notification_id = n.id AND a.annotation_id = 'a0'`)
	p.Exec(`DELETE FROM annotations WHERE annotation_id = 'a1'`)
	for i, want := range []string{delivery.MailDisabled, delivery.MailDisabled, ""} {
		require.Equal(t, want, p.prepare(ids[i]).Result, i)
	}
	p.notify(notification.SettingsChange{DelaySeconds: new(600)})
	require.Equal(t, []string{"mention later", "mention later", "mention later"}, p.due(), "new numbers are for new ones")
	p.notify(notification.SettingsChange{Delayed: new(false)})
	require.Equal(t, []string{"mention now", "mention now", "mention now"}, p.due(), "switched off, what waits leaves")
}

func TestNotificationSettings_2and3_ManyMentionsLeaveTogether(t *testing.T) {
	t.Parallel()
	for most, want := range map[int][]string{50: {"30 new comments"}, 10: {"10 new comments", "10 new comments", "10 new comments"}} {
		p := timed(t, notification.SettingsChange{User: notification.BatchChange{Enabled: new(true), WindowSeconds: new(600), Most: &most}})
		p.mention(30)
		p.join()
		if most == 50 {
			require.Equal(t, []string{"batch later"}, p.due())
		} else {
			require.Equal(t, []string{"batch now", "batch now", "batch now"}, p.due(), "a full one leaves at once")
		}
		var subjects []string
		for _, out := range p.batches() {
			require.Empty(t, out.Result)
			require.Equal(t, "bob@example.com", out.Message.To)
			subjects = append(subjects, out.Message.Subject)
		}
		require.Equal(t, want, subjects)
		first := p.batches()[0]
		require.Less(t, strings.Index(first.Message.Text, "No. 0,"), strings.Index(first.Message.Text, "No. 9,"), "oldest first")
		require.Equal(t, first.Message, p.batches()[0].Message, "the same in every try")
	}
}

// However much fifty comments say, their mail is no larger than a few of them, and names all.
func TestAMailAboutManyLongCommentsSaysWhatThereIsRoomFor(t *testing.T) {
	t.Parallel()
	const comments = 6
	p := timed(t, notification.SettingsChange{User: notification.BatchChange{Enabled: new(true), WindowSeconds: new(600), Most: new(50)}})
	for i := range comments {
		p.Add("d", modelstest.Note(fmt.Sprint("a", i), modelstest.Says("ann", strings.Repeat("{{bob}} ", 8000), modelstest.Flagged("bob"))))
	}
	p.Exec(`UPDATE comments SET contacts = jsonb_build_array(jsonb_build_object('userId', 'bob', 'contact', jsonb_build_object('userId', 'bob', 'name', repeat('"', 200))))`)
	p.join()
	said := p.batches()[0].Message
	require.Equal(t, comments, strings.Count(said.Text, "mentioned you in"))
	require.Equal(t, 2, strings.Count(said.Text, "\n…"), "what there is no room for")
	require.Less(t, len(said.Text), 4*(64<<10+thread.MaxNamed))
	require.Less(t, len(said.HTML), 4*(64<<10+6*thread.MaxNamed))
}

func TestNotificationSettings_4_OnlyWhatMayStillBeSeen(t *testing.T) {
	t.Parallel()
	p := timed(t, notification.SettingsChange{Document: notification.BatchChange{Enabled: new(true)}})
	p.mention(5)
	p.join()
	p.Exec(`UPDATE annotations SET visibility = 'restricted', visible_to = '{}' WHERE annotation_id IN ('a1', 'a3')`)
	require.Equal(t, "3 new comments", p.batches()[0].Message.Subject)
	p.Exec(`UPDATE annotations SET visibility = 'restricted', visible_to = '{}' WHERE annotation_id IN ('a0', 'a2')`)
	require.Equal(t, "ANN", strings.SplitN(strings.ToUpper(p.batches()[0].Message.Subject), " ", 2)[0], "one item is the ordinary mail")
	p.Exec(`UPDATE annotations SET visibility = 'restricted', visible_to = '{}'`)
	require.Equal(t, []any{delivery.MailDisabled, mail.ClassNotVisible}, []any{p.batches()[0].Result, p.batches()[0].Class})
	p.Exec(`UPDATE annotations SET annotation_id = 'x' || annotation_id`)
	p.mention(1)
	p.notify(notification.SettingsChange{Document: notification.BatchChange{Enabled: new(false)}})
	for _, mailID := range p.Rows(`SELECT id FROM mails WHERE annotation_key IS NOT NULL AND batch_id IS NULL`) {
		require.Empty(t, p.prepare(mailID).Result, "it leaves by itself")
	}
}

// waits are the mails that wait, the next one first, and for how many thousands of seconds.
func (p *outgoing) waits() []string {
	p.T.Helper()
	return p.Rows(`SELECT m.template || ' ' || CASE WHEN o.due_at > clock_timestamp() THEN round(extract(epoch FROM o.due_at - m.created_at) / 1000)::text ELSE 'now' END
FROM mails m JOIN deliveries d ON d.mail_id = m.id JOIN open_deliveries o ON o.id = d.id WHERE m.result IS NULL AND m.batch_id IS NULL ORDER BY o.due_at, m.id`)
}

// mentionAt mentions bob in an annotation of this id.
func (p *outgoing) mentionAt(annotationID string) {
	p.T.Helper()
	p.Add("d", modelstest.Note(annotationID, modelstest.Says("ann", "See {{bob}}", modelstest.Flagged("bob"))))
}

func TestNotificationSettings_NewNumbersAreForNewDelays(t *testing.T) {
	t.Parallel()
	p := timed(t, notification.SettingsChange{Delayed: new(true), DelaySeconds: new(50000)})
	p.mentionAt("a")
	p.notify(notification.SettingsChange{DelaySeconds: new(900000)})
	require.Equal(t, []string{"mention 50"}, p.waits())
	p.mentionAt("b")
	require.Equal(t, []string{"mention 50", "mention 900"}, p.waits())
	p.notify(notification.SettingsChange{DelaySeconds: new(10)})
	require.Equal(t, []string{"mention 50", "mention 900"}, p.waits(), "a shorter one hurries nothing either")
}

func TestNotificationSettings_NewNumbersAreForNewBatches(t *testing.T) {
	t.Parallel()
	p := timed(t, notification.SettingsChange{User: notification.BatchChange{Enabled: new(true), WindowSeconds: new(50000), Most: new(3)}})
	joins := func(annotationID string, want ...string) {
		t.Helper()
		p.mentionAt(annotationID)
		p.join()
		require.Equal(t, want, p.waits())
	}
	joins("a", "batch 50")
	p.notify(notification.SettingsChange{User: notification.BatchChange{WindowSeconds: new(600000), Most: new(2)}})
	require.Equal(t, []string{"batch 50"}, p.waits())
	joins("b", "batch 50")
	joins("c", "batch now")
	joins("d", "batch now", "batch 600")
	p.notify(notification.SettingsChange{User: notification.BatchChange{WindowSeconds: new(10), Most: new(50)}})
	require.Equal(t, []string{"batch now", "batch 600"}, p.waits())
	joins("e", "batch now", "batch now")
}

func TestFilesOfCommentsAreInNoMail(t *testing.T) {
	t.Parallel()
	p := timed(t, notification.SettingsChange{})
	for _, annotationID := range []string{"a", "b"} {
		files := func(c *annotation.NewComment) {
			c.Kept = json.RawMessage(`{"attachments":[{"attachmentId":1,"name":"plan.pdf","bucketPath":"files/plan","url":"https://files.test/plan","thumbnail":"https://files.test/small"}]}`)
		}
		p.Add("d", modelstest.Note(annotationID, modelstest.Says("ann", "See {{bob}}", modelstest.Flagged("bob"), files)))
	}
	one := p.prepare(p.waiting()[0]).Message
	p.notify(notification.SettingsChange{User: notification.BatchChange{Enabled: new(true)}})
	p.join()
	joined := p.batches()[0].Message
	for _, message := range []mailing.Message{one, joined} {
		require.Contains(t, message.Text, "See BOB")
		for _, part := range []string{"plan", "files", "small"} {
			require.NotContains(t, message.Subject+message.Text+message.HTML, part)
		}
	}
	require.Equal(t, []string{"2"}, p.Rows(`WITH emptied AS (UPDATE comments SET kept = NULL WHERE kept::text LIKE '%files.test%' RETURNING 1) SELECT count(*)::text FROM emptied`))
	require.Equal(t, joined, p.batches()[0].Message, "it is the mail of comments without files")
}

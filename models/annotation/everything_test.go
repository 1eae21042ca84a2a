package annotation_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/notification"
)

// wanting makes so many users of acme who want every comment in their inbox.
func wanting(d *modelstest.Annotations, users int) {
	d.Adds(modelstest.In("d"))
	d.Exec(`INSERT INTO notification_preferences (workspace_id, organization_key, user_id, inbox)
		SELECT workspace_id, key, 'fan' || i, 'ALL' FROM organizations, generate_series(1, $1::int) i WHERE organization_id = 'acme'`, users)
}

// flaggedNotes are annotations of one flagged comment each.
func flaggedNotes(count int, tags ...string) []annotation.NewAnnotation {
	notes := make([]annotation.NewAnnotation, count)
	for i := range notes {
		notes[i] = modelstest.Note("n"+strconv.Itoa(i), modelstest.Says("ann", "hi", modelstest.Flagged(tags...)))
	}
	return notes
}

// notify works on the jobs that go on with notifications, as a worker does.
func notify(d *modelstest.Annotations) {
	d.T.Helper()
	for _, jobID := range d.Rows(`SELECT id FROM jobs WHERE kind = 'notification' ORDER BY id`) {
		j, err := job.New(d.DB).Begin(d.T.Context(), jobID)
		require.NoError(d.T, err)
		for more := true; more; {
			rows, err := d.Notified.WritePortion(d.T.Context(), j)
			require.NoError(d.T, err)
			require.LessOrEqual(d.T, rows, int64(2*notification.PortionSize), "a portion at a time")
			more = rows > 0
		}
	}
}

// Who wants every comment is told of each, most in the transaction, those whom the comments
// concern before them, and the others by a job, which may be repeated.
func TestWhomTheTransactionDoesNotNotifyAJobDoes(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	const users, comments = 1001, 11
	wanting(d, users)
	var dropped int
	d.Notes.OnDropped(func(n int) { dropped += n })
	d.Add("d", flaggedNotes(comments, "fan7", "bob")...)

	told := func(where string) []string {
		return d.Rows(`SELECT count(*)::text FROM notification_recipients WHERE ` + where)
	}
	require.Equal(t, []string{strconv.Itoa(notification.AtOnce)}, told(`true`))
	require.Equal(t, []string{strconv.Itoa(2 * comments)}, told(`reason = 'mention'`), "first those whom it concerns")
	require.Equal(t, []string{strconv.Itoa(comments)}, d.Rows(`SELECT count(*)::text FROM notifications`))
	d.Exec(`DELETE FROM notifications WHERE annotation_key = (SELECT max(key) FROM annotations)`)
	gone, left := users+1, (users+1)*comments-notification.AtOnce
	notify(d)
	notify(d)
	require.Equal(t, []string{strconv.Itoa((comments - 1) * gone)}, told(`true`), "but for the one that is gone, of which a job would have notified %d", left)
	require.Empty(t, d.Rows(`SELECT n::text FROM notification_portions`))
	require.Zero(t, dropped)
}

// Mails of the first portion go with the change, the others with the job, and each once.
func TestMailsGoWithTheirPortions(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	wanting(d, 1200)
	d.Exec(`UPDATE notification_preferences SET email = 'ALL'`)
	d.Exec(`INSERT INTO profiles (organization_key, workspace_id, user_id, name, email, initial)
		SELECT organization_key, workspace_id, user_id AS id, user_id AS name, user_id || '@acme.test', 'F' FROM notification_preferences WHERE user_id <> 'fan3'`)
	d.Exec(`INSERT INTO email_settings (workspace_id, enabled) SELECT id, true FROM workspaces ON CONFLICT (workspace_id) DO UPDATE SET enabled = true`)
	d.Add("d", flaggedNotes(1)...)
	count := func() string { return d.Rows(`SELECT count(*)::text FROM mails`)[0] }
	require.Equal(t, "999", count(), "one has no address")
	notify(d)
	require.Equal(t, "1199", count())
	require.Equal(t, []string{"1199"}, d.Rows(`SELECT count(DISTINCT recipient)::text FROM mails WHERE recipient_name = user_id`))
}

// Of a restricted annotation only those are told who are on its list.
func TestWhoWantsEveryCommentIsToldOfWhatTheyMaySee(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	wanting(d, 20)
	d.Adds(modelstest.Acme, modelstest.Known("fan4", "Four"))
	d.Add("d", modelstest.Restricted(flaggedNotes(1)[0], "fan2", "fan3"))
	private := modelstest.Private(modelstest.Note("p", modelstest.Says("ann", "hi", modelstest.Flagged())), "acme")
	d.Add("d", private)
	require.Equal(t, []string{"n0 fan2", "n0 fan3", "p fan4"}, d.Rows(`SELECT a.annotation_id || ' ' || r.user_id FROM notification_recipients r
		JOIN notifications n ON n.id = r.notification_id JOIN annotations a ON a.key = n.annotation_key ORDER BY 1`))
}

// Of one change no more are told than that, whoever wants every comment; the rest is counted.
func TestLong_WhoIsOneTooManyIsNotTold(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	const users, comments = 5000, 25
	wanting(d, users)
	var dropped int
	d.Notes.OnDropped(func(n int) { dropped += n })
	d.Add("d", flaggedNotes(comments, "fan7")...)
	notify(d)
	require.Equal(t, []string{strconv.Itoa(notification.InAll)}, d.Rows(`SELECT count(*)::text FROM notification_recipients`))
	require.Equal(t, users*comments-notification.InAll, dropped)
}

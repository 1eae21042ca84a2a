package annotation_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
)

// threads are annotations of so many flagged comments each, by two authors in turn, with an activity of each.
func threads(count, comments int, tags ...string) []annotation.NewAnnotation {
	notes := make([]annotation.NewAnnotation, count)
	for i := range notes {
		all := make([]annotation.NewComment, comments)
		for n := range all {
			all[n] = modelstest.Says([]string{"ann", "eve"}[n%2], "remark "+strconv.Itoa(n), modelstest.Flagged(tags...), func(c *annotation.NewComment) { c.Record = true })
		}
		notes[i] = modelstest.Note("", all...)
	}
	return notes
}

// An added annotation is so many statements, however many comments and people it has: a statement that adds rows is
// counted once.
func TestAnAddOfManyCommentsIsAsManyStatementsAsThatOfOne(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	const email = "bob@acme.test"
	bob := modelstest.Known("bob", "Bob")
	bob.Email = new(email)
	d.Adds(modelstest.Acme, bob)
	d.Exec(`INSERT INTO email_settings (workspace_id, enabled) SELECT id, true FROM workspaces ON CONFLICT (workspace_id) DO UPDATE SET enabled = true`)
	d.Exec(`INSERT INTO webhook_settings (workspace_id, enabled) SELECT id, true FROM workspaces ON CONFLICT (workspace_id) DO UPDATE SET enabled = true`)
	d.Exec(`INSERT INTO endpoints (id, workspace_id, url) SELECT 'ep_one', id, 'https://hooks.test/a' FROM workspaces`)
	d.Add("d", threads(1, 1, "bob")...)
	writes := func(notes []annotation.NewAnnotation) string {
		d.Exec(`DELETE FROM storage_changes`)
		d.Add("d", notes...)
		return d.Rows(`SELECT count(*)::text FROM storage_changes`)[0]
	}
	one := writes(threads(1, 1, "bob"))
	require.Equal(t, one, writes(threads(1, 90, "bob")))
	require.Equal(t, []string{"92 92 181 92 92 3 4 95"}, d.Rows(`SELECT concat_ws(' ', (SELECT count(*) FROM comments), (SELECT count(*) FROM judgments),
(SELECT count(*) FROM notification_recipients), (SELECT count(*) FROM mails), (SELECT count(*) FROM activities), (SELECT count(*) FROM annotation_mentions),
(SELECT count(*) FROM read_marks), (SELECT count(*) FROM deliveries WHERE message_id IS NOT NULL))`))
}

// What is more than one statement stores comes in several, in the order of the call.
func TestAnAddIsWrittenInPortions(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	added := d.Add("d", threads(3, 500)...)
	require.Equal(t, []string{"1500 1500 6"}, d.Rows(`SELECT concat_ws(' ', (SELECT count(*) FROM comments), (SELECT count(*) FROM work WHERE kind = 'judgment'),
(SELECT count(*) FROM read_marks m JOIN annotations a ON a.key = m.annotation_key WHERE m.seq = 500 - (m.user_id = 'ann')::int))`))
	for i, of := range added {
		require.Equal(t, []string{strconv.Itoa(i * 500)}, d.Rows(`SELECT DISTINCT (j.place - c.seq)::text FROM annotations a JOIN comments c ON c.annotation_key = a.key
JOIN (SELECT origin_id, reasoning, row_number() OVER (ORDER BY key) AS place FROM judgments) j ON j.origin_id = c.annotation_key || '/' || c.seq
WHERE a.annotation_id = $1 AND j.reasoning = c.comment_text`, of.ID))
	}
}

// What it costs to add comments, each of which is flagged and judged.
func BenchmarkAdd(b *testing.B) {
	for _, comments := range []int{1, 100, 1000} {
		b.Run(strconv.Itoa(comments), func(b *testing.B) {
			db := pgtest.New(b)
			modelstest.AddWorkspace(b, db, modelstest.Workspace)
			notes := annotation.New(db)
			for b.Loop() {
				if _, err := notes.Add(b.Context(), modelstest.Workspace, annotation.Addition{
					Container: modelstest.In("d"), Annotations: threads(1, comments),
				}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*comments), "us/comment")
		})
	}
}

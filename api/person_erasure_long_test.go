package api_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// prolific gives a person threads of comments, so many in each.
func (d *jobWorker) prolific(user string, threads, comments int) {
	d.T.Helper()
	for i := range threads {
		kit.Annotate(d.Env, kit.Made("d", kit.Annotated(fmt.Sprintf("%s-%04d", user, i), kit.Wrote(user, "first"))))
	}
	for _, statement := range []string{
		`INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html, text_available, resolver_used, author_id, author, created_ms, updated_ms)
SELECT a.key, n, 0 + n, a.workspace_id, 'comment ' || n, '', true, false, a.author_id, a.author, a.created_ms, a.updated_ms
FROM annotations a CROSS JOIN generate_series(2, $2) n WHERE a.author_id = $1 AND a.comment_count = 1`,
		`UPDATE annotations SET comment_count = $2, last_seq = $2 WHERE author_id = $1 AND comment_count = 1 AND $2 > 1`,
	} {
		_, err := d.db.Pool.Exec(d.Ctx, statement, user, comments)
		require.NoError(d.T, err)
	}
}

// adds makes annotations until it is told to stop, or so many, and returns how long each took.
func adds(env *kit.Env, most int, stop <-chan struct{}) (took []time.Duration) {
	for i := range most {
		select {
		case <-stop:
			return took
		default:
		}
		began := time.Now()
		kit.Annotate(env, kit.Made("beside", kit.Annotated(kit.Unique(fmt.Sprint("beside", i)), kit.Wrote("ann", "on with it"))))
		took = append(took, time.Since(began))
	}
	return took
}

func TestLong_UsersDataDelete_3_SomebodyWithAHundredThousandComments(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	user := kit.Unique("prolific")
	d.prolific(user, 100, 1000)
	alone := adds(env, 200, nil)
	id, _ := erasing(env, map[string]any{"userIds": []string{user}})
	stop, done := make(chan struct{}), make(chan []time.Duration)
	go func() { done <- adds(env, 1_000_000, stop) }()
	began := time.Now()
	d.work(id)
	close(stop)
	beside := <-done
	took := time.Since(began)
	require.True(t, erased(env, id).IsDeleteCompleted)
	require.Empty(t, kit.RowsWith(env, []string{user}))
	var page personData
	env.Call(client.GetUserData, kit.InAcme(map[string]any{"userId": "ann"}), &page)
	require.NotEmpty(t, page.Data.Comments, "others write on")
	t.Logf("erased in %s; adds of others alone %s, beside it %s", took, spread(alone), spread(beside))
}

func TestLong_UsersDataExport_3_AnArchiveOfAHundredThousandComments(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	user := kit.Unique("prolific")
	d.prolific(user, 100, 1000)
	id := exporting(env, user)
	began := time.Now()
	d.work(id)
	require.Equal(t, int64(100_000), exported(env, id).Counts.Comments)
	t.Logf("exported in %s", time.Since(began))
}

func TestLong_UsersDataDelete_JudgmentsInNoOrganizationAreGoneWithTheAnswer(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	kit.Record(env, kit.Verdict("bob", "approve"))
	_, err := d.db.Pool.Exec(d.Ctx, `INSERT INTO judgments OVERRIDING SYSTEM VALUE
SELECT (jsonb_populate_record(j, jsonb_build_object('key', nextval('judgments_key_seq'), 'record_id', 'many-' || n, 'origin_id', 'many-' || n))).*
FROM judgments j CROSS JOIN generate_series(1, 12000) n WHERE j.workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	require.Equal(t, int64(12_001), kit.Judgments(env, nil).Total)
	id, _ := erasing(env, map[string]any{"userIds": []string{"bob"}})
	require.Empty(t, kit.Judgments(env, nil).Results)
	d.work(id)
	require.True(t, erased(env, id).IsDeleteCompleted)
}

// crowded makes a workspace of others: so many threads that tag nobody, each with so many comments.
func (d *jobWorker) crowded(threads, comments int) {
	d.T.Helper()
	kit.Annotate(d.Env, kit.Made("d", kit.Annotated("one", kit.Wrote("carl", "first", kit.TriggerActivities))))
	for _, statement := range []string{
		`INSERT INTO annotations OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(a, jsonb_build_object('key', nextval(pg_get_serial_sequence('annotations', 'key')), 'annotation_id', 'many-' || n))).*
FROM annotations a CROSS JOIN generate_series(1, $1) n WHERE a.author_id = 'carl' AND a.workspace_id = $3 AND $2 > 0`,
		`INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html, text_available, resolver_used, author_id, author, created_ms, updated_ms)
SELECT a.key, n, n AS id, a.workspace_id, 'a comment of usual length, as many of them are: ' || n, '', true, false, a.author_id, a.author, a.created_ms, a.updated_ms
FROM annotations a CROSS JOIN generate_series(1, $2) n WHERE a.annotation_id LIKE 'many-%' AND a.workspace_id = $3 AND $1 > 0`,
		`INSERT INTO activities SELECT (jsonb_populate_record(a, jsonb_build_object('id', 'act_' || n))).*
FROM activities a CROSS JOIN generate_series(1, $1 * 10) n WHERE a.workspace_id = $3 AND $2 > 0`,
	} {
		_, err := d.db.Pool.Exec(d.Ctx, statement, threads, comments, d.Workspace.ID)
		require.NoError(d.T, err)
	}
}

func TestLong_UsersDataDelete_3_SomebodyAmongAMillionCommentsOfOthers(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	d.crowded(10_000, 100)
	who := kit.NewPerson()
	kit.Annotate(env, kit.Made("d", kit.Annotated("theirs", kit.Wrote("ann", "Ask {{"+who.ID+"}}")), kit.Annotated("mine", kit.Wrote(who.ID, "I did"))))
	alone := adds(env, 200, nil)
	id, _ := erasing(env, map[string]any{"userIds": []string{who.ID}})
	stop, done := make(chan struct{}), make(chan []time.Duration)
	go func() { done <- adds(env, 1_000_000, stop) }()
	began, longest := time.Now(), time.Duration(0)
	for more := true; more; {
		portion := time.Now()
		more = d.step(id)
		longest = max(longest, time.Since(portion))
	}
	took := time.Since(began)
	close(stop)
	beside := <-done
	require.True(t, erased(env, id).IsDeleteCompleted)
	require.Empty(t, kit.RowsWith(env, who.Marks()))
	t.Logf("erased in %s, the longest portion %s; adds of others alone %s, beside it %s", took, longest, spread(alone), spread(beside))
}

// spread says what half, 95 of a hundred and all took at most.
func spread(took []time.Duration) string {
	slices.Sort(took)
	return fmt.Sprintf("p50 %s p95 %s longest %s (%d)", took[len(took)/2], took[len(took)*95/100], took[len(took)-1], len(took))
}

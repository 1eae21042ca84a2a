package memory

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/proxy"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// Statements that a worker sends in the midst of its work on judgments: what came before is
// done, and nothing is marked as finished yet.
var (
	indexingPoints = [][2]string{
		{"claimed", "i.revision, i.indexed, j.decision"},
		{"embedded", "INSERT INTO judgment_vectors"},
		{"brought in", "UPDATE judgment_index i SET indexed = true"},
		{"removed", "DELETE FROM judgment_index"},
	}
	detectionPoints = [][2]string{
		{"due", `INSERT INTO "jobs"`},
		{"begun", "INSERT INTO pattern_scopes"},
		{"looked for", "UPDATE pattern_scopes SET job_id = NULL"},
		{"matched", "DELETE FROM patterns"},
		{"at its end", `"ended_at"=`},
	}
)

// opinionsUnderFire are judgments whose worker dies in each stage of what is done with them.
type opinionsUnderFire struct {
	*kit.IsolatedStack
	s      *kit.Env
	rows   *pgx.Conn
	worker *stack.Service
	// ids are those of the judgments that are there, count is how many were ever recorded.
	ids   []string
	count int
}

// TestJudgments_AWorkerKilledInEachStage kills it where it brings judgments in, takes them
// out and looks for patterns. In the end the index has each judgment once, and the patterns
// are those that a worker finds which nobody kills.
func TestJudgments_AWorkerKilledInEachStage(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	f := &opinionsUnderFire{IsolatedStack: isolated, s: isolated.NewWorkspace(isolated.StartProcess("api")), rows: isolated.DB(), worker: isolated.StartProcess("worker")}
	f.worker.Kill()
	const times = 2
	for range times {
		for _, point := range indexingPoints {
			f.killedAt(point, f.passTime)
		}
	}
	for range times {
		for _, point := range detectionPoints {
			f.killedAt(point, func() { rest(f.s, f.rows) })
		}
	}
	f.Restart(f.worker)
	rest(f.s, f.rows)
	kit.RequireWithin(t, kit.Patience, "the patterns are looked for", func() bool { return meets(f.s, f.rows, noDetection) })
	report, err := isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Judgments: len(f.ids)}, report)
	foundAbout(f.s, kit.Liability, min(len(f.ids), 50))
	found := patterns(f.s)
	require.Len(t, found, 2, "each once")
	for _, p := range found {
		require.EqualValues(t, len(f.ids), p.SourceCount)
	}
	f.AtRest()
}

// killedAt records some judgments, deletes one, and kills the worker where it sends the
// statement of the point; meanwhile lets the time pass that is waited for until then.
func (f *opinionsUnderFire) killedAt(point [2]string, meanwhile func()) {
	f.T.Helper()
	held := f.Rows.HoldRequest(proxy.Says(point[1]))
	for _, recorded := range kit.Record(f.s, kit.Listed(opinions(f.count, 3, "reject")...)) {
		f.ids = append(f.ids, recorded.RecordID)
	}
	f.count += 3
	require.True(f.T, kit.Forget(f.s, f.ids[0])[f.ids[0]])
	f.ids = f.ids[1:]
	f.Restart(f.worker) // a new process sends the text of each statement once
	meanwhile()
	kit.RequireReached(f.T, fmt.Sprint(point), held.Reached())
	f.worker.Kill()
	held.Drop()
}

// passTime lets the time pass for which a worker that died keeps others from what it had,
// and that for which what is gone is kept from the index.
func (f *opinionsUnderFire) passTime() {
	f.T.Helper()
	_, err := f.rows.Exec(f.T.Context(), `UPDATE work SET run_at = run_at - interval '1 minute', locked_until = locked_until - interval '1 minute'
		WHERE kind IN ('judgment', 'removed-judgment')`)
	require.NoError(f.T, err)
}

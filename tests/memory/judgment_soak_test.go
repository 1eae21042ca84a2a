package memory

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/proxy"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// verdictsUnderFire are judgments that are recorded and deleted, and looked through for
// patterns, while those who do that and those who bring them into the index die.
type verdictsUnderFire struct {
	*kit.IsolatedStack
	s       *kit.Env
	parts   *stack.Stack
	rows    *pgx.Conn
	workers []*stack.Service
	random  *rand.Rand
	// victims counts kills by what died, and of a worker where it was.
	victims map[string]int
	// calls is how many record judgments between two kills.
	calls int
	// recorded is how many were, forgotten what of it was deleted.
	recorded  int
	forgotten map[string]bool
}

const (
	// callsAsked record the hundred thousand judgments that a long soak is about; between
	// two kills there are at most mostCalls of them.
	callsAsked, mostCalls = 1000, 10
	// forgetPerKill judgments are deleted between two kills.
	forgetPerKill = 20
	// newestLookedThrough is how many judgments are looked through for patterns at most.
	newestLookedThrough = 3000
)

// TestSoak_JudgmentsRecord_5_AllAreFoundOnceAfterKills kills one of two workers or the index
// at random moments, and workers in each stage of their work. Judgments wait for the index
// from their commit on, so nothing is lost or doubled, and one among all of them is found by
// a filter. The servers are those of a stack of its own.
func TestSoak_JudgmentsRecord_5_AllAreFoundOnceAfterKills(t *testing.T) {
	n := kit.Kills(t)
	parts := kit.OwnParts(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f := &verdictsUnderFire{
		IsolatedStack: kit.NewIsolatedStackOn(t, parts), parts: parts, random: rand.New(rand.NewPCG(seed, seed)), victims: map[string]int{}, forgotten: map[string]bool{},
		calls: max(1, min(mostCalls, (callsAsked+n-1)/n)),
	}
	f.s = f.NewWorkspace(f.StartProcess("api"))
	for range 2 {
		f.workers = append(f.workers, f.StartProcess("worker"))
	}
	f.rows = f.IsolatedStack.DB()
	kit.Record(f.s, kit.Verdict("eve", "declined", map[string]any{"recordId": "the one", "content": kit.Liability}))
	for range n {
		f.strike()
	}
	f.settle()
	report, err := f.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, []int{f.recorded - len(f.forgotten) + 1, 0, 0}, []int{report.Judgments, report.Missing, report.Surplus})
	for range 10 {
		f.lookFor(fmt.Sprint("r", f.random.IntN(f.recorded)))
	}
	one := kit.Nearest(f.s, "matter number 7", nil, map[string]any{"decision": "reject", "reviewerId": "eve"})
	require.Equal(t, []string{"the one"}, kit.JudgmentIDs(one))
	require.Equal(t, int64(1), one.TotalInScope)
	found := f.detected()
	require.Len(t, found, 1, "all but one approve, and each is a matter of its own")
	require.EqualValues(t, min(report.Judgments-1, newestLookedThrough), found[0].SourceCount)
	require.Equal(t, found, f.detected())
	f.AtRest(kit.WhileAway...)
	t.Logf("%d kills, %d judgments in %d calls, %d deleted, none lost or doubled", n, f.recorded, f.recorded/100, len(f.forgotten))
	for _, name := range slices.Sorted(maps.Keys(f.victims)) {
		t.Logf("%4d %s", f.victims[name], name)
	}
}

// strike records judgments, kills something between two calls, and brings it back after the
// last one.
func (f *verdictsUnderFire) strike() {
	f.T.Helper()
	victim := []string{"worker", "stage", "stage", "weaviate"}[f.random.IntN(4)]
	worker := f.workers[f.random.IntN(len(f.workers))]
	if victim == "stage" {
		f.victims["worker where it has "+f.killInStage(worker)]++
		f.Restart(worker)
		return
	}
	deadly := f.random.IntN(f.calls)
	for call := range f.calls {
		f.record()
		switch {
		case call == deadly && victim == "worker":
			worker.Kill()
		case call == deadly:
			require.NoError(f.T, f.parts.Part(f.T.Context(), victim, "kill"))
		}
	}
	f.victims[victim]++
	f.forget()
	f.detect()
	if victim == "worker" {
		f.Restart(worker)
		return
	}
	require.NoError(f.T, f.parts.Part(f.T.Context(), victim, "start"))
}

// killInStage kills a worker that has just come where it is about to note some work as done,
// or where it is after a while, since the other worker may do all there is.
func (f *verdictsUnderFire) killInStage(worker *stack.Service) (stage string) {
	f.T.Helper()
	worker.Kill()
	points := slices.Concat(indexingPoints, detectionPoints)
	point := points[f.random.IntN(len(points))]
	held := f.Rows.HoldRequest(proxy.Says(point[1]))
	for range f.calls {
		f.record()
	}
	f.forget()
	f.hurry()
	// The other worker may stand at the point by now, with locks that the operator waits for.
	var asked sync.WaitGroup
	defer asked.Wait()
	defer held.Drop()
	asked.Go(func() {
		_, err := f.RunWith(f.T.Context(), nil, "admin", "--yes", "--as", "test", "patterns", "detect", "--workspace", f.s.Workspace.ID)
		kit.NoError(f.T, err)
	})
	f.Restart(worker)
	stage = point[0]
	select {
	case <-held.Reached():
	case <-time.After(stageIn):
		stage = "nothing of that to do"
	}
	worker.Kill()
	return stage
}

// hurry lets the rest of the time pass for which what was deleted is kept from the index,
// where that was so long ago that whoever may have brought it in has ended.
func (f *verdictsUnderFire) hurry() {
	f.T.Helper()
	_, err := f.rows.Exec(f.T.Context(), `UPDATE work SET run_at = clock_timestamp()
		WHERE kind = 'removed-judgment' AND run_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '15 seconds'`)
	require.NoError(f.T, err)
}

// record records a hundred, each with a content type of its own.
func (f *verdictsUnderFire) record() {
	f.T.Helper()
	list := make([]map[string]any, 100)
	for i := range list {
		n := f.recorded + i
		list[i] = kit.Verdict("ann", "approve", map[string]any{"recordId": fmt.Sprint("r", n), "content": fmt.Sprint("matter number ", n), "contentType": fmt.Sprint("r", n)})
	}
	kit.Record(f.s, kit.Listed(list...))
	f.recorded += len(list)
}

// forget deletes some, indexed or not.
func (f *verdictsUnderFire) forget() {
	f.T.Helper()
	var ids []string
	for range forgetPerKill {
		id := fmt.Sprint("r", f.random.IntN(f.recorded))
		if !f.forgotten[id] {
			f.forgotten[id] = true
			ids = append(ids, id)
		}
	}
	kit.Forget(f.s, ids...)
}

// detect has patterns looked for.
func (f *verdictsUnderFire) detect() {
	f.T.Helper()
	f.Operate("patterns", "detect", "--workspace", f.s.Workspace.ID)
}

// detected are the patterns of what is left.
func (f *verdictsUnderFire) detected() []redline.Pattern {
	f.T.Helper()
	f.detect()
	kit.RequireWithin(f.T, kit.Patience, "the patterns are looked for", func() bool { return meets(f.s, f.rows, noDetection) })
	return patterns(f.s)
}

// settle waits until nothing is pending any more, as long as it takes: it goes on while less
// and less is pending. What was deleted is queued for a minute later; that time is let pass.
func (f *verdictsUnderFire) settle() {
	f.T.Helper()
	for left := f.pending(); left > 0; {
		kit.RequireWithin(f.T, kit.Patience, "some more are brought in", func() bool {
			f.hurry()
			before := left
			left = f.pending()
			return left < before || left == 0
		})
	}
}

func (f *verdictsUnderFire) pending() (count int) {
	f.T.Helper()
	require.NoError(f.T, f.rows.QueryRow(f.T.Context(), `SELECT count(*) FROM judgment_index WHERE NOT indexed`).Scan(&count))
	return count
}

// lookFor searches a judgment by its content type alone.
func (f *verdictsUnderFire) lookFor(id string) {
	f.T.Helper()
	want := []string{}
	if !f.forgotten[id] {
		want = []string{id}
	}
	require.Equal(f.T, want, kit.JudgmentIDs(kit.Nearest(f.s, "any", nil, map[string]any{"contentType": id})))
}

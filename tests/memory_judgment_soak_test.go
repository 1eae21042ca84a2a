package tests

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/stack"
)

// verdictsUnderFire are judgments that are recorded and deleted while those who bring them
// into the index die.
type verdictsUnderFire struct {
	*lab
	s       *scene
	parts   *stack.Stack
	rows    *pgx.Conn
	workers []*stack.Service
	random  *rand.Rand
	victims map[string]int
	// recorded is how many were, forgotten what of it was deleted.
	recorded  int
	forgotten map[string]bool
}

// Between two kills so many judgments are recorded, and so many deleted.
const (
	verdictsPerKill = 1000
	forgetPerKill   = 20
)

// TestSoak_JudgmentsRecord_5_AllAreFoundOnceAfterKills kills one of two workers or the index
// at random moments. Judgments are owed to the index from their commit on, so nothing is
// lost or doubled. The servers are those of a stack of its own.
func TestSoak_JudgmentsRecord_5_AllAreFoundOnceAfterKills(t *testing.T) {
	n := kills(t)
	parts := ownParts(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f := &verdictsUnderFire{
		lab: labOn(t, parts), parts: parts, random: rand.New(rand.NewPCG(seed, seed)), victims: map[string]int{}, forgotten: map[string]bool{},
	}
	settings := []string{"REDLINE_EMBEDDER=lexical", "REDLINE_RATE_MEMORY_READ_PER_MIN=0"}
	f.s = f.begin(f.start("api", settings...))
	for range 2 {
		f.workers = append(f.workers, f.start("worker", settings...))
	}
	f.rows = f.lab.rows()
	for range n {
		f.strike()
	}
	f.settle()
	report, err := f.checkIndex()
	require.NoError(t, err)
	require.Equal(t, []int{f.recorded - len(f.forgotten), 0, 0}, []int{report.Judgments, report.Missing, report.Surplus})
	for range 10 {
		f.lookFor(fmt.Sprint("r", f.random.IntN(f.recorded)))
	}
	f.atRest(whileAway...)
	t.Logf("%d kills %v, %d judgments in %d calls, %d deleted, none lost or doubled", n, f.victims, f.recorded, f.recorded/100, len(f.forgotten))
}

// strike records judgments, kills something between two calls, and brings it back after the
// last one.
func (f *verdictsUnderFire) strike() {
	f.t.Helper()
	victim := []string{"worker", "worker", "weaviate"}[f.random.IntN(3)]
	worker := f.workers[f.random.IntN(len(f.workers))]
	const calls = verdictsPerKill / 100
	deadly := f.random.IntN(calls)
	for call := range calls {
		f.record()
		switch {
		case call == deadly && victim == "worker":
			worker.Kill()
		case call == deadly:
			require.NoError(f.t, f.parts.Part(f.t.Context(), victim, "kill"))
		}
	}
	f.victims[victim]++
	f.forget()
	if victim == "worker" {
		f.again(worker)
		return
	}
	require.NoError(f.t, f.parts.Part(f.t.Context(), victim, "start"))
}

// record records a hundred, each with a content type of its own.
func (f *verdictsUnderFire) record() {
	f.t.Helper()
	list := make([]map[string]any, 100)
	for i := range list {
		n := f.recorded + i
		list[i] = verdict("ann", "approve", map[string]any{"recordId": fmt.Sprint("r", n), "content": fmt.Sprint("matter number ", n), "contentType": fmt.Sprint("r", n)})
	}
	f.s.record(listed(list...))
	f.recorded += len(list)
}

// forget deletes some, indexed or not.
func (f *verdictsUnderFire) forget() {
	f.t.Helper()
	var ids []string
	for range forgetPerKill {
		id := fmt.Sprint("r", f.random.IntN(f.recorded))
		if !f.forgotten[id] {
			f.forgotten[id] = true
			ids = append(ids, id)
		}
	}
	f.s.forget(ids...)
}

// settle waits until nothing is owed any more, as long as it takes: it goes on while less
// and less is owed. What was deleted is owed a minute later; that time is let pass.
func (f *verdictsUnderFire) settle() {
	f.t.Helper()
	for owed := f.owed(); owed > 0; {
		within(f.t, patience, "some more are brought in", func() bool {
			_, err := f.rows.Exec(f.t.Context(), `UPDATE judgment_index i SET due = clock_timestamp()
				WHERE due > clock_timestamp() + interval '46 seconds' AND NOT EXISTS (SELECT FROM judgments WHERE key = i.key)`)
			require.NoError(f.t, err)
			before := owed
			owed = f.owed()
			return owed < before || owed == 0
		})
	}
}

func (f *verdictsUnderFire) owed() (owed int) {
	f.t.Helper()
	require.NoError(f.t, f.rows.QueryRow(f.t.Context(), `SELECT count(*) FROM judgment_index WHERE due IS NOT NULL`).Scan(&owed))
	return owed
}

// lookFor searches a judgment by its content type alone.
func (f *verdictsUnderFire) lookFor(id string) {
	f.t.Helper()
	var want []string
	if !f.forgotten[id] {
		want = []string{id}
	}
	require.Equal(f.t, want, f.s.nearest("any", nil, map[string]any{"contentType": id}).ids())
}

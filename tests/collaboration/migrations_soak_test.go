package collaboration

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// migrationWriters is how many callers write into a document while it migrates.
	migrationWriters = 200
	// writerPause is between two writes of one of them: together they leave
	// something of two processors to readers.
	writerPause = time.Second
)

// moving is a document that is migrated again and again while callers write into it,
// two readers count what it has, and processes die.
type moving struct {
	*kit.IsolatedStack
	s       *kit.Env
	parts   *stack.Stack
	workers []*stack.Service
	random  *rand.Rand
	victims map[string]int
	// at is which of its ids the document has or is about to leave; written counts
	// annotations that were acknowledged.
	at, written atomic.Int64
	over        atomic.Bool
}

func idOf(n int64) string { return fmt.Sprint("d", n) }

// TestSoak_MigrationsSurviveKills migrates a document under 200 writers and kills a
// worker, Temporal or Postgres at a random moment of each migration. Readers find
// everything under one of two ids at every moment, and nothing is lost in the end.
func TestSoak_MigrationsSurviveKills(t *testing.T) {
	n := kit.Kills(t)
	parts := kit.OwnParts(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	m := &moving{IsolatedStack: kit.NewIsolatedStackOn(t, parts), parts: parts, random: rand.New(rand.NewPCG(seed, seed)), victims: map[string]int{}}
	m.s = m.NewWorkspace(m.StartProcess("api"))
	for range 2 {
		m.workers = append(m.workers, m.StartProcess("worker"))
	}
	kit.Fill(m.s, idOf(0), 1)
	m.written.Store(1)
	var busy sync.WaitGroup
	rest := func() {
		m.over.Store(true)
		busy.Wait()
	}
	defer rest()
	for range migrationWriters {
		busy.Go(m.write)
	}
	for range 2 {
		busy.Go(m.read)
	}
	for i := range n {
		m.strike([]string{"worker", "temporal", "postgres"}[i%3])
	}
	rest()
	last := m.at.Load()
	for id := range last {
		require.Zero(t, total(m.s, idOf(id)))
	}
	require.EqualValues(t, m.written.Load(), total(m.s, idOf(last)), "nothing is lost, nothing stands twice")
	judged := kit.Judgments(m.s, map[string]any{"organizationId": "acme", "documentId": idOf(last), "limit": 1})
	require.Equal(t, m.written.Load(), judged.Total, "each remark's judgment went along")
	require.Equal(t, m.written.Load(), kit.Judgments(m.s, map[string]any{"organizationId": "acme", "limit": 1}).Total)
	m.AtRest(kit.WhileAway...)
	t.Logf("%d migrations and kills %v, %d annotations", n, m.victims, m.written.Load())
}

// strike begins a migration, kills something a few looks later, brings it back and
// waits for the end.
func (m *moving) strike(victim string) {
	m.T.Helper()
	from := m.at.Load()
	worker := m.workers[m.random.IntN(len(m.workers))]
	accepted, err := kit.UntilAnswered(m.T, func() (redline.MigrationIDResult, error) {
		return client.Call[redline.MigrationIDResult](m.s.Ctx, m.s.Keyed, client.Migrate, kit.PairOf(idOf(from), idOf(from+1)))
	})
	require.NoError(m.T, err)
	for range m.random.IntN(4) {
		kit.Migration(m.s, accepted.Data.MigrationID)
	}
	m.victims[victim]++
	switch victim {
	case "worker":
		worker.Kill()
		m.Restart(worker)
	case "postgres":
		require.NoError(m.T, m.parts.KillPostgres(m.T.Context()))
		require.NoError(m.T, m.parts.Part(m.T.Context(), victim, "start"))
	default:
		require.NoError(m.T, m.parts.Part(m.T.Context(), victim, "kill"))
		require.NoError(m.T, m.parts.Part(m.T.Context(), victim, "start"))
	}
	kit.RequireWithin(m.T, kit.Patience, "the migration has ended", func() bool {
		found, err := kit.UntilAnswered(m.T, func() (redline.MigrationResult, error) {
			return client.Call[redline.MigrationResult](m.s.Ctx, m.s.Keyed, client.MigrateStatus,
				map[string]any{"organizationId": "acme", "migrationId": accepted.Data.MigrationID})
		})
		require.NoError(m.T, err)
		require.NotEqual(m.T, redline.MigrationStatusFailed, found.Data.Status)
		return found.Data.Status == "completed"
	})
	m.at.Store(from + 1)
}

// write adds annotations to the document, wherever it is, until the test is over.
func (m *moving) write() {
	for !m.over.Load() {
		m.add(kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "A remark.")))
		time.Sleep(writerPause)
	}
}

// add repeats one annotation until it is known to be there. An id that is taken was
// taken by the same annotation, whose answer was lost.
func (m *moving) add(annotation map[string]any) {
	for try := int64(0); ; try++ {
		at := m.at.Load() + try%2
		_, err := kit.UntilAnswered(m.T, func() (json.RawMessage, error) {
			return client.Call[json.RawMessage](m.s.Ctx, m.s.Keyed, client.AddAnnotations,
				kit.Doc(idOf(at), map[string]any{"commentAnnotations": []map[string]any{annotation}}))
		})
		failure := redline.AsError(err)
		switch {
		case err == nil, failure != nil && failure.Status == "ALREADY_EXISTS":
			m.written.Add(1)
			return
		case failure == nil || failure.Status != "NOT_FOUND":
			assert.NoError(m.T, err)
			return
		}
	}
}

// read counts under the id that the document is leaving and under the next one.
func (m *moving) read() {
	type count struct{ Total int }
	for !m.over.Load() {
		atLeast, at := m.written.Load(), m.at.Load()
		found, err := kit.UntilAnswered(m.T, func() (kit.PagedView[map[string]count], error) {
			return kit.TryOlder[map[string]count](m.s, kit.CountNotes, map[string]any{
				"organizationId": "acme", "documentIds": []string{idOf(at), idOf(at + 1), idOf(at + 2)}, "userId": "ann",
			})
		})
		if !kit.NoError(m.T, err) {
			return
		}
		if m.at.Load() > at+1 {
			continue // it took so long that the document may be two ids further
		}
		var totals []int
		for _, c := range found.Data {
			if c.Total > 0 {
				totals = append(totals, c.Total)
			}
		}
		if assert.Len(m.T, totals, 1, "all stands under one id: %v", found.Data) {
			assert.GreaterOrEqual(m.T, int64(totals[0]), atLeast)
		}
	}
}

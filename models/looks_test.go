package models_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/workspace"
)

// However many rows wait beyond those that are counted one by one, a look at them
// reads no more of them, and none reads a whole table.
func TestLong_TheBacklogCostsNoMoreThanIsCounted(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	blocks := func() map[string]int {
		found := map[string]int{}
		for name, look := range models.BacklogStatements() {
			found[name] = modelstest.KeyedBlocks(t, db, look.Text, look.Args)
		}
		return found
	}
	for name, look := range models.BacklogStatements() {
		assert.NotContains(t, modelstest.KeyedPlan(t, db, look.Text, look.Args), "Seq Scan", name)
	}
	modelstest.AddWaiting(t, db, 1, 12_000)
	blocks() // what was just written is tidied up when it is first read
	few := blocks()
	modelstest.AddWaiting(t, db, 12_001, 48_000)
	blocks()
	for name, many := range blocks() {
		assert.LessOrEqual(t, many, few[name]*5/2, name)
	}
	b, err := models.ReadBacklog(t.Context(), db)
	require.NoError(t, err)
	waits := map[queue.Kind]models.Waiting{"delivery": b.Deliveries}
	maps.Copy(waits, b.Queued)
	require.Len(t, waits, len(queue.Kinds())+1)
	for name, waiting := range waits {
		assert.EqualValues(t, models.CountedRows, waiting.Rows, name)
		assert.GreaterOrEqual(t, waiting.Oldest, 48_000.0, name)
	}
}

// BenchmarkLooks gives the share of one core that the looks of all workers take
// together, for so many waiting rows of each kind and so many executions: what waits
// is counted every 15 s and sealed values every 10 minutes, by one of them. The
// larger one makes its rows for eight minutes.
func BenchmarkLooks(b *testing.B) {
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e2")}, []secret.Key{secret.NewKey("h")})
	require.NoError(b, err)
	for _, n := range []struct{ waiting, executions int }{{50_000, 50_000}, {1_000_000, 10_000_000}} {
		b.Run(fmt.Sprintf("waiting=%d/executions=%d", n.waiting, n.executions), func(b *testing.B) {
			db := pgtest.New(b)
			modelstest.AddWaiting(b, db, 1, n.waiting)
			for made := n.waiting; made < n.executions; made += n.waiting {
				modelstest.AddWaitingExecutions(b, db, made+1, made+n.waiting)
			}
			sealed := workspace.NewRewrap(db, box, models.AllSealedColumns)
			var backlog, secrets time.Duration
			b.ResetTimer()
			for range b.N {
				backlog += spent(b, func(ctx context.Context) error { _, err := models.ReadBacklog(ctx, db); return err })
				secrets += spent(b, func(ctx context.Context) error { _, err := sealed.KeyUses(ctx); return err })
			}
			perLook := func(d time.Duration) float64 { return d.Seconds() / float64(b.N) }
			b.ReportMetric(1000*perLook(backlog), "backlog-ms")
			b.ReportMetric(1000*perLook(secrets), "secrets-ms")
			b.ReportMetric(100*(perLook(backlog)/15+perLook(secrets)/600), "%core")
		})
	}
}

func spent(b *testing.B, look func(context.Context) error) time.Duration {
	b.Helper()
	began := time.Now()
	require.NoError(b, look(b.Context()))
	return time.Since(began)
}

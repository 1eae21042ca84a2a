package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/worker"
)

type noDest struct{}

func (noDest) Undriven(context.Context, []string) ([]contract.DeliveryInput, error) { return nil, nil }
func (noDest) Overdue(context.Context) ([]contract.DeliveryInput, error)            { return nil, nil }
func (noDest) Activities() map[string]any                                           { return nil }

var flows = map[string]string{
	"mock":   `{"nodes":[{"nodeId":"a","type":"agent","config":{"agentId":"__mock__"}}],"edges":[]}`,
	"people": `{"nodes":[{"nodeId":"a","type":"human","config":{"reviewerIds":["ann","bob"]}},{"nodeId":"b","type":"agent","config":{"agentId":"__mock__"}}],"edges":[{"from":"a","to":"b"},{"from":"a","to":"b","on":"reject"}]}`,
	"hook":   `{"nodes":[{"nodeId":"a","type":"webhook","config":{"authMode":"none","url":"` + os.Getenv("REDLINE_DEV_RECEIVER_URL") + `/ok/dev"}}],"edges":[]}`,
}

const ws = "ws_dev"

func setup(t *testing.T) (*models.DB, *models.Executions, *worker.Worker) {
	ctx := context.Background()
	require.NoError(t, models.Migrate(ctx, os.Getenv("REDLINE_DATABASE_URL")))
	db, err := models.Open(ctx, os.Getenv("REDLINE_DATABASE_URL"), 20)
	require.NoError(t, err)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	graphs := models.NewDefinitions(db, box)
	nudges := models.NewNudges(db)
	go nudges.Run(ctx)
	ex := models.NewExecutions(db, box, graphs, nudges, models.ExecutionOptions{StepCalls: 200})
	for name, flow := range flows {
		_, err := db.Pool.Exec(ctx, `INSERT INTO definitions (workspace_id, definition_id, status, version, version_id, created_at, updated_at)
VALUES ($1, $2, 'active', 1, $2, now(), now()) ON CONFLICT DO NOTHING`, ws, name)
		require.NoError(t, err)
		_, err = db.Pool.Exec(ctx, `INSERT INTO definition_versions (id, workspace_id, definition_id, version, name, scope_level, snapshot, compiled, size, node_count,
edge_count, defined_at, created_at) VALUES ($2, $1, $2, 1, $2, 'apiKey', $3, '{}', 1, 1, 0, now(), now()) ON CONFLICT DO NOTHING`, ws, name, flow)
		require.NoError(t, err)
	}
	g, err := guard.New(guard.Options{})
	require.NoError(t, err)
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo})))
	w, err := worker.New(worker.Options{
		Address: os.Getenv("REDLINE_TEMPORAL_ADDR"), Namespace: os.Getenv("REDLINE_TEMPORAL_NAMESPACE"),
		Executions: ex, Destinations: noDest{}, Nudges: nudges,
		ExecutionActivities: activities.NewExecutions(ex, activities.NewWebhookSteps(g), 4000), DeliveryActivities: noDest{},
	})
	require.NoError(t, err)
	return db, ex, w
}

func disp(t *testing.T, ex *models.Executions, flow, key string) string {
	d, err := ex.Dispatch(context.Background(), ws, models.Dispatch{DefinitionID: flow, KeySpace: contract.KeysOfCallers, Key: key})
	require.NoError(t, err)
	return d.ExecutionID
}

func waitDone(t *testing.T, db *models.DB, like string, n int) {
	for {
		var c int
		require.NoError(t, db.Pool.QueryRow(context.Background(), `SELECT count(*) FROM executions WHERE idempotency_key LIKE $1 AND status='completed'`, like).Scan(&c))
		if c >= n {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func bareWF(ctx workflow.Context) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 5 * time.Second, ScheduleToCloseTimeout: time.Hour})
	return workflow.ExecuteLocalActivity(ctx, "bareLA").Get(ctx, nil)
}

func TestDev(t *testing.T) {
	db, ex, w := setup(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- w.Run(ctx) }()
	for w.Check(ctx) != nil {
		time.Sleep(10 * time.Millisecond)
	}
	run := strconv.FormatInt(time.Now().Unix(), 36)
	t0 := time.Now()
	disp(t, ex, "mock", run+"-one")
	waitDone(t, db, run+"-one", 1)
	t.Log("first", time.Since(t0))
	t0 = time.Now()
	disp(t, ex, "mock", run+"-two")
	waitDone(t, db, run+"-two", 1)
	t.Log("second", time.Since(t0))

	c, err := client.Dial(client.Options{HostPort: os.Getenv("REDLINE_TEMPORAL_ADDR"), Namespace: os.Getenv("REDLINE_TEMPORAL_NAMESPACE")})
	require.NoError(t, err)
	bw := sdkworker.New(c, "bare", sdkworker.Options{LocalActivityWorkerOnly: true})
	bw.RegisterWorkflow(bareWF)
	var did atomic.Int64
	bw.RegisterActivityWithOptions(func(context.Context) error { did.Add(1); return nil }, activity.RegisterOptions{Name: "bareLA"})
	require.NoError(t, bw.Start())
	n := 1000
	var ratios []float64
	for round := range 3 {
		t0 = time.Now()
		sem := make(chan struct{}, 16)
		var wg sync.WaitGroup
		for i := range n {
			sem <- struct{}{}
			wg.Go(func() {
				defer func() { <-sem }()
				disp(t, ex, "mock", fmt.Sprintf("%s-r%d-%d", run, round, i))
			})
		}
		wg.Wait()
		td := time.Since(t0)
		waitDone(t, db, fmt.Sprintf("%s-r%d-%%", run, round), n)
		ours := float64(n) / time.Since(t0).Seconds()
		t0 = time.Now()
		did.Store(0)
		var wg2 sync.WaitGroup
		for i := range n {
			sem <- struct{}{}
			wg2.Go(func() {
				defer func() { <-sem }()
				r, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: fmt.Sprintf("bare-%s-%d-%d", run, round, i), TaskQueue: "bare", EnableEagerStart: true}, bareWF)
				_ = r
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg2.Wait()
		ts := time.Since(t0)
		for did.Load() < int64(n) {
			time.Sleep(5 * time.Millisecond)
		}
		bare := float64(n) / time.Since(t0).Seconds()
		ratios = append(ratios, ours/bare)
		t.Logf("round %d: dispatch %.0f/s, ours %.0f/s, bare %.0f/s (starts %.0f/s) ratio %.2f", round, float64(n)/td.Seconds(), ours, bare, float64(n)/ts.Seconds(), ours/bare)
	}
	sort.Float64s(ratios)
	t.Log("median", ratios[1])
	bw.Stop()
	t0 = time.Now()
	cancel()
	require.NoError(t, <-done)
	t.Log("stopped in", time.Since(t0))
}

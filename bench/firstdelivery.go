package main

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// deliverySpan is how long executions are dispatched at an even pace.
	deliverySpan = 30 * time.Second
	// benchSecret signs what goes to the benchmark's receivers.
	benchSecret = "a-secret-of-the-benchmark"
	// The best peer on such a machine at 100 events a second, in milliseconds.
	peerP50, peerP95 = 27, 49
)

// benchFirstDelivery dispatches executions of one mock step at half the rate of
// bare workflows and measures, for each event, the time from its row to its
// first request at the receiver. An event's time is taken inside its
// transaction, so the commit itself counts too.
func benchFirstDelivery(ctx context.Context, r *rig) ([]measure.Row, error) {
	if r.bareRate == 0 {
		rate, err := r.bare.Instants(ctx, inARow)
		if err != nil {
			return nil, err
		}
		r.bareRate = rate
	}
	receivers := make([]*receiving.Receiver, 2)
	for i := range receivers {
		var err error
		if receivers[i], err = receiving.Listen(r.authority); err != nil {
			return nil, err
		}
		defer receivers[i].Close()
	}
	definition, err := r.Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return nil, err
	}
	if err := r.quiet(ctx); err != nil {
		return nil, err
	}
	n, err := r.pace(ctx, definition, receivers, r.bareRate/2)
	if err != nil {
		return nil, err
	}
	took, err := r.lags(ctx, definition, receivers, n)
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%d events of %d executions at %.0f/s, 2 receivers", len(took), n, r.bareRate/2)
	return []measure.Row{
		measure.Below(10, measure.Row{
			Name: "first delivery after the event, p50", Unit: "ms", Measured: measure.Percentile(took, 50),
			What: "best peer, 100 events/s, p50", Against: peerP50, Note: note,
		}),
		measure.Below(20, measure.Row{
			Name: "first delivery after the event, p95", Unit: "ms", Measured: measure.Percentile(took, 95),
			What: "best peer, 100 events/s, p95", Against: peerP95, Note: note,
		}),
	}, nil
}

// pace dispatches at an even rate.
func (r *rig) pace(ctx context.Context, definition string, receivers []*receiving.Receiver, rate float64) (int, error) {
	n, err := measure.Evenly(ctx, rate, deliverySpan, func(i int) error {
		_, err := r.Workspace.Dispatch(ctx, redline.DispatchRequest{
			DefinitionID: definition, WebhookURL: new(receivers[i%len(receivers)].Base + "/events"), WebhookSecret: new(benchSecret),
		})
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, r.AwaitEnded(ctx, definition)
}

// lags reads when each event's row was made and when it arrived.
func (r *rig) lags(ctx context.Context, definition string, receivers []*receiving.Receiver, executions int) ([]time.Duration, error) {
	const externals = 3 // dispatched, step completed, execution completed
	err := measure.Until(ctx, func() (bool, error) {
		arrived := 0
		for _, e := range receivers {
			n, _, _ := e.Distinct()
			arrived += n
		}
		return arrived >= executions*externals, nil
	})
	if err != nil {
		return nil, err
	}
	arrived := map[string]time.Time{}
	for _, e := range receivers {
		maps.Copy(arrived, e.Times())
	}
	made, err := r.moments(ctx, `SELECT e.id, e.at FROM events e JOIN executions x ON x.workspace_id = e.workspace_id AND x.id = e.execution_id
WHERE x.workspace_id = $1 AND x.definition_id = $2 AND NOT e.internal`, r.Workspace.ID, definition)
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	for _, m := range made {
		came, ok := arrived[m.ID]
		if !ok {
			return nil, fmt.Errorf("event %s never arrived", m.ID)
		}
		took = append(took, came.Sub(m.At))
	}
	return took, nil
}

// moment is when the row of something was made.
type moment struct {
	ID string
	At time.Time
}

// moments reads ids and times.
func (r *rig) moments(ctx context.Context, query string, args ...any) ([]moment, error) {
	rows, err := r.Rows.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[moment])
}

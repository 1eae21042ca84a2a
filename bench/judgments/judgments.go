package judgments

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// perSecond acts are recorded for so long, of which every tenth is looked for.
	perSecond, span, sampled = 50, 20 * time.Second, 10
	// looks are so far apart: what is measured is that much too long at most.
	looks = 20 * time.Millisecond
	goal  = 3000
)

// Measure returns the row of this package.
func Measure(ctx context.Context, workspace *client.Workspace) ([]measure.Row, error) {
	w := &watch{workspace: workspace, name: measure.Unique("act")}
	if _, err := measure.Evenly(ctx, perSecond, span, func(i int) error { return w.act(ctx, i) }); err != nil {
		return nil, err
	}
	w.finding.Wait()
	if w.failed != nil {
		return nil, w.failed
	}
	return []measure.Row{measure.Below(goal, measure.Row{
		Name: "an act at 50 acts a second until memory/search finds it, p95", Unit: "ms", Measured: measure.Percentile(w.took, 95),
		What: "the same, p50", Against: measure.Percentile(w.took, 50),
	})}, nil
}

// watch records acts and looks for some of them.
type watch struct {
	workspace *client.Workspace
	name      string
	finding   sync.WaitGroup

	mu     sync.Mutex
	took   []time.Duration
	failed error
}

// act records one, whose content type is its own.
func (w *watch) act(ctx context.Context, i int) error {
	own := fmt.Sprint(w.name, "-", i)
	_, err := client.Call[json.RawMessage](ctx, w.workspace.Keyed, "memory/judgments/record", map[string]any{
		"decision": "approve", "reasoning": fmt.Sprint("The figures of draft ", i, " agree with the books."),
		"content": fmt.Sprint("Draft ", i, " of the yearly report."), "contentType": own, "actionUser": map[string]any{"userId": "ann"},
	})
	if err == nil && i%sampled == 0 {
		began := time.Now()
		w.finding.Go(func() { w.find(ctx, own, began) })
	}
	return err
}

func (w *watch) find(ctx context.Context, own string, began time.Time) {
	err := measure.Every(ctx, looks, func() (bool, error) {
		found, err := client.Call[redline.JudgmentsFound](ctx, w.workspace.Keyed, "memory/search", map[string]any{
			"query": "Do the figures agree?", "filters": map[string]any{"contentType": own},
		})
		return len(found.Results) == 1, err
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took = append(w.took, time.Since(began))
	if err != nil {
		w.failed = err
	}
}

package attackers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Service is one process with the usual limits, and a database of its own.
type Service struct {
	URL, Ops string
	// Process is its number.
	Process int
	Rows    *pgxpool.Pool
}

const (
	// updates is how many updates of one document are under way at once, reads how many
	// another workspace makes.
	updates, reads = 110, 200
	// tolerated is how many times as long reads may take beside them, readGoal milliseconds of
	// them at most.
	tolerated, readGoal = 3, 100
	// readPause is between two reads: a key has 1,000 calls a minute.
	readPause = 100 * time.Millisecond
	// memoryGoal is MiB above before.
	memoryGoal = 512
	// sample is how often memory and readiness are looked at.
	sample = 50 * time.Millisecond
)

// Attack measures what another workspace of a service has beside one attacker. It expects a service that nobody else uses.
type Attack func(ctx context.Context, of Service) ([]measure.Row, error)

// All are the attackers.
var All = []Attack{
	besideUpdates, largest, slowFiles, everyComment, hanging, judgments, folder,
}

// workspaces are the attacker's and another one, each with a document that has an annotation.
func (s Service) workspaces(ctx context.Context) (attacker, other *client.Workspace, err error) {
	for _, w := range []**client.Workspace{&attacker, &other} {
		if *w, err = client.CreateWorkspace(ctx, s.URL, measure.Unique("attack")+"@bench.example.com"); err != nil {
			return nil, nil, err
		}
		if err = annotate(ctx, *w, 1); err != nil {
			return nil, nil, err
		}
	}
	return attacker, other, nil
}

// annotatedAtOnce is how many annotations one call adds.
const annotatedAtOnce = 100

// annotate adds so many annotations to document d.
func annotate(ctx context.Context, w *client.Workspace, n int) error {
	if n > annotatedAtOnce {
		if err := annotate(ctx, w, n-annotatedAtOnce); err != nil {
			return err
		}
		n = annotatedAtOnce
	}
	all := make([]any, n)
	for i := range all {
		all[i] = map[string]any{"commentData": []any{map[string]any{"commentText": "Which year is this?", "from": map[string]any{"userId": "ann"}}}}
	}
	return call(ctx, w, client.AddAnnotations, map[string]any{
		"organizationId": "acme", "documentId": "d", "createOrganization": true, "createDocument": true, "commentAnnotations": all,
	})
}

func call(ctx context.Context, w *client.Workspace, operation string, data map[string]any) error {
	_, err := client.Call[json.RawMessage](ctx, w.Keyed, operation, data)
	return err
}

// readAll reads the document of a workspace again and again.
func readAll(ctx context.Context, w *client.Workspace) ([]time.Duration, error) {
	took := make([]time.Duration, reads)
	for i := range took {
		began := time.Now()
		if err := call(ctx, w, client.GetAnnotations, map[string]any{"organizationId": "acme", "documentId": "d"}); err != nil {
			return nil, err
		}
		took[i] = time.Since(began)
		time.Sleep(max(0, readPause-took[i]))
	}
	return took, nil
}

// beside runs what an attacker does, by so many callers again and again whatever they are answered, and
// fn meanwhile.
func beside(ctx context.Context, callers int, attack func(ctx context.Context, i int), fn func() error) error {
	own, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for own.Err() == nil {
				attack(own, i)
			}
		})
	}
	err := fn()
	stop()
	all.Wait()
	return err
}

// besideUpdates reads beside updates of one document, and asks whether the process is ready.
func besideUpdates(ctx context.Context, s Service) ([]measure.Row, error) {
	attacker, other, err := s.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	alone, err := readAll(ctx, other)
	if err != nil {
		return nil, err
	}
	var together []time.Duration
	var unready atomic.Int64
	own, stop := context.WithCancel(ctx)
	var looking sync.WaitGroup
	looking.Go(func() { s.watchReadiness(own, &unready) })
	err = beside(ctx, updates, func(ctx context.Context, i int) {
		_ = call(ctx, attacker, client.UpdateAnnotations, map[string]any{
			"organizationId": "acme", "documentId": "d", "allAnnotations": true, "updatedData": map[string]any{"priority": map[string]any{"id": fmt.Sprint("P", i), "name": "p"}},
		})
	}, func() error {
		var err error
		together, err = readAll(ctx, other)
		return err
	})
	stop()
	looking.Wait()
	if err == nil && unready.Load() > 0 {
		err = fmt.Errorf("the process was not ready %d times", unready.Load())
	}
	row := measure.AtMost(tolerated, measure.Row{
		Name: "reads beside 110 updates of one document at once, p95", Unit: "ms",
		Measured: measure.Percentile(together, 95), What: "alone", Against: measure.Percentile(alone, 95),
	})
	row.Goal, row.Met = row.Goal+fmt.Sprintf(" and at most %d ms", readGoal), new(*row.Met && row.Measured <= readGoal)
	return []measure.Row{row}, err
}

// watchReadiness counts how often the process says that it is not ready, until ctx ends.
func (s Service) watchReadiness(ctx context.Context, unready *atomic.Int64) {
	_ = measure.Every(ctx, sample, func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Ops+"/readyz", http.NoBody)
		if err != nil {
			return false, err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			unready.Add(1)
		}
		return false, nil
	})
}

// peak is how many MiB the process has at most, above what it has now, while fn runs.
func (s Service) peak(ctx context.Context, fn func() error) (float64, error) {
	before, err := measure.Resident(s.Process)
	if err != nil {
		return 0, err
	}
	own, stop := context.WithCancel(ctx)
	highest := before
	var looking sync.WaitGroup
	looking.Go(func() {
		_ = measure.Every(own, sample, func() (bool, error) {
			now, err := measure.Resident(s.Process)
			highest = max(highest, now)
			return false, err
		})
	})
	err = fn()
	stop()
	looking.Wait()
	return highest - before, err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
)

const (
	addedOne, addedMany   = 4000, 100
	addsAtOnce            = 100
	addsWarm              = 500
	addedDocuments        = 64
	addsPerSecond         = 400
	addsPostgres, addsOwn = 2, 1.5
)

// benchAdds adds annotations with one flagged comment, by 16 callers, while one endpoint gets
// their events, then a hundred a call. What an add takes of the processor is that of Postgres
// and of the service until the last event has come: Temporal's statements count with the
// first, vectors that follow when the load ends do not count.
func benchAdds(ctx context.Context, r *rig) ([]measure.Row, error) {
	if err := r.quiet(ctx); err != nil {
		return nil, err
	}
	h, err := r.hooked(ctx)
	if err != nil {
		return nil, err
	}
	target, err := receiving.Listen(r.authority)
	if err != nil {
		return nil, err
	}
	defer target.Close()
	if err := h.endpoint(ctx, target.Base+"/hook", map[string]any{"filterTypes": []string{commentAdd}}); err != nil {
		return nil, err
	}
	if _, err := measure.Spread(ctx, measure.Callers, addsWarm, func(ctx context.Context, i int) error { return h.add(ctx, i, 1) }); err != nil {
		return nil, err
	}
	one, err := r.adds(ctx, h, target, addedOne, 1)
	if err != nil {
		return nil, err
	}
	many, err := r.adds(ctx, h, target, addedMany, addsAtOnce)
	if err != nil {
		return nil, err
	}
	const name = "adds of an annotation with a flagged comment, 16 callers"
	note := fmt.Sprintf("delivered %.0f/s", one.delivered)
	return []measure.Row{
		measure.Above(addsPerSecond, measure.Row{Name: name, Unit: "1/s", Measured: one.accepted, Note: note}),
		measure.Below(addsPostgres, measure.Row{Name: "the same: processor of Postgres for each", Unit: "ms", Measured: one.postgres}),
		measure.Below(addsOwn, measure.Row{Name: "the same: processor of the service for each", Unit: "ms", Measured: one.own}),
		measure.Beside(measure.Row{
			Name: "annotations added, 100 a call", Unit: "1/s", Measured: many.accepted,
			Note: fmt.Sprintf("delivered %.0f/s; Postgres %.2f ms, service %.2f ms each", many.delivered, many.postgres, many.own),
		}),
	}, nil
}

// add adds so many annotations to one of the documents.
func (h *hooked) add(ctx context.Context, i, many int) error {
	annotations := make([]any, many)
	for n := range annotations {
		annotations[n] = map[string]any{"commentData": []any{map[string]any{
			"commentText": fmt.Sprintf("Remark %d of call %d about this paragraph.", n, i), "from": map[string]any{"userId": "u_bench"}, "triggerNotification": true,
		}}}
	}
	return h.keyed(ctx, "commentannotations/add", map[string]any{
		"organizationId": "bench", "documentId": fmt.Sprintf("bench-%d", i%addedDocuments), "createOrganization": true, "createDocument": true,
		"commentAnnotations": annotations,
	})
}

// addedRates are annotations a second, and milliseconds of processor for each.
type addedRates struct{ accepted, delivered, postgres, own float64 }

// adds makes so many calls, and waits until the target has the events of all.
func (r *rig) adds(ctx context.Context, h *hooked, target *receiving.Receiver, calls, each int) (addedRates, error) {
	backend := 0
	if err := r.Rows.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&backend); err != nil {
		return addedRates{}, err
	}
	had, _, _ := target.Distinct()
	postgres, errRows := measure.ServerProcessor(backend)
	own, errOwn := measure.Processor(r.serve.PID())
	begun := time.Now()
	sample, err := measure.Spread(ctx, measure.Callers, calls, func(ctx context.Context, i int) error { return h.add(ctx, i, each) })
	if err := errors.Join(errRows, errOwn, err); err != nil {
		return addedRates{}, err
	}
	added := calls * each
	err = measure.Until(ctx, func() (bool, error) {
		came, _, _ := target.Distinct()
		return came >= had+added, nil
	})
	delivered := float64(added) / time.Since(begun).Seconds()
	postgresAfter, errRows := measure.ServerProcessor(backend)
	ownAfter, errOwn := measure.Processor(r.serve.PID())
	per := func(took time.Duration) float64 { return float64(took.Microseconds()) / 1000 / float64(added) }
	return addedRates{sample.PerSecond() * float64(each), delivered, per(postgresAfter - postgres), per(ownAfter - own)}, errors.Join(err, errRows, errOwn)
}

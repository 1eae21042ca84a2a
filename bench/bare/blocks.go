package bare

import (
	"context"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
)

// Instants runs n workflows of one local activity and returns how many ended a second.
func (b *Temporal) Instants(ctx context.Context, n int) (float64, error) {
	goal, began := b.did.Load()+int64(n), time.Now()
	runs := make([]string, n)
	_, err := measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		run, err := b.start(ctx, b.instant)
		if err == nil {
			runs[i] = run.GetID()
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	err = measure.Until(ctx, func() (bool, error) { return b.did.Load() >= goal, nil })
	rate := float64(n) / time.Since(began).Seconds()
	if err != nil {
		return 0, err
	}
	return rate, b.closed(ctx, runs)
}

// closed waits until the workflows have ended in Temporal too.
func (b *Temporal) closed(ctx context.Context, ids []string) error {
	_, err := measure.Spread(ctx, measure.Callers, len(ids), func(ctx context.Context, i int) error {
		return b.client.GetWorkflow(ctx, ids[i], "").Get(ctx, nil)
	})
	return err
}

// Starts starts n workflows of one local activity; only the starts are in the sample.
func (b *Temporal) Starts(ctx context.Context, n int) (measure.Sample, error) {
	runs := make([]string, n)
	took, err := measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		run, err := b.start(ctx, b.instant)
		if err == nil {
			runs[i] = run.GetID()
		}
		return err
	})
	if err != nil {
		return took, err
	}
	return took, b.closed(ctx, runs)
}

// Updates sends n waiting workflows their update, each of which ends its workflow;
// only the updates are in the sample.
func (b *Temporal) Updates(ctx context.Context, n int) (measure.Sample, error) {
	ids, err := b.startAll(ctx, n, b.waiting)
	if err != nil {
		return measure.Sample{}, err
	}
	took, err := measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error { return b.decide(ctx, ids[i]) })
	if err != nil {
		return took, err
	}
	return took, b.closed(ctx, ids)
}

// startAll starts n workflows that wait for their update. kind takes the
// arguments that args makes of the workflow's number, none without it.
func (b *Temporal) startAll(ctx context.Context, n int, kind any, args ...func(i int) any) ([]string, error) {
	ids := make([]string, n)
	_, err := measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		given := make([]any, len(args))
		for at, arg := range args {
			given[at] = arg(i)
		}
		run, err := b.start(ctx, kind, given...)
		if err == nil {
			ids[i] = run.GetID()
		}
		return err
	})
	return ids, err
}

// Calls returns the median, in milliseconds, of the time from an update's call to the
// request of the activity behind it, over n workflows.
func (b *Temporal) Calls(ctx context.Context, receiver *receiving.Receiver, n int) (float64, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = measure.Unique("call")
	}
	ids, err := b.startAll(ctx, n, b.calling,
		func(int) any { return receiver.Base + "/call" }, func(i int) any { return names[i] })
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, n)
	_, err = measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		began := time.Now()
		if err := b.decide(ctx, ids[i]); err != nil {
			return err
		}
		var err error
		took[i], err = receiver.After(ctx, names[i], began)
		return err
	})
	if err != nil {
		return 0, err
	}
	return measure.Percentile(took, 50), b.closed(ctx, ids)
}

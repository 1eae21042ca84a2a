package measure

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Callers is how many callers work side by side unless a row says otherwise.
const Callers = 16

// Sample is what a number of calls took.
type Sample struct {
	// Took has the time of each call, in the order in which they were begun.
	Took    []time.Duration
	elapsed time.Duration
}

// PerSecond is the rate at which the calls were answered.
func (s Sample) PerSecond() float64 { return float64(len(s.Took)) / s.elapsed.Seconds() }

// P50 is the middle one in milliseconds.
func (s Sample) P50() float64 { return Percentile(s.Took, 50) }

// Percentile of durations, in milliseconds; 0 of none.
func Percentile(took []time.Duration, percent int) float64 {
	if len(took) == 0 {
		return 0
	}
	sorted := slices.Clone(took)
	slices.Sort(sorted)
	at := min(len(sorted)*percent/100, len(sorted)-1)
	return float64(sorted[at].Microseconds()) / 1000
}

// Spread makes n calls from a number of callers, each the next when its last
// was answered. The first error ends it.
func Spread(ctx context.Context, callers, n int, call func(ctx context.Context, i int) error) (Sample, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([]time.Duration, n)
	var next atomic.Int64
	var working sync.WaitGroup
	began := time.Now()
	for range callers {
		working.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				at := time.Now()
				if err := call(ctx, i); err != nil {
					cancel(err)
				}
				took[i] = time.Since(at)
			}
		})
	}
	working.Wait()
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) {
		err = ctx.Err()
	}
	return Sample{Took: took, elapsed: time.Since(began)}, err
}

// median of values; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	if half := len(sorted) / 2; len(sorted)%2 == 1 {
		return sorted[half]
	}
	half := len(sorted) / 2
	return (sorted[half-1] + sorted[half]) / 2
}

// Medians of both sides of blocks.
func Medians(blocks []Pair) (measured, against float64) {
	var ours, theirs []float64
	for _, block := range blocks {
		ours, theirs = append(ours, block.Measured), append(theirs, block.Against)
	}
	return median(ours), median(theirs)
}

// Evenly makes calls at an even rate, each on a goroutine of its own, so that a
// slow answer does not slow the rest. It returns how many these were.
func Evenly(ctx context.Context, rate float64, span time.Duration, call func(i int) error) (int, error) {
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer ticker.Stop()
	var working sync.WaitGroup
	n := int(rate * span.Seconds())
	failed := make(chan error, n)
	for i := range n {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		working.Go(func() {
			if err := call(i); err != nil {
				failed <- err
			}
		})
	}
	working.Wait()
	if len(failed) > 0 {
		return 0, <-failed
	}
	return n, nil
}

package receiving

import (
	"context"
	"fmt"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// ListenAll starts n receivers and returns what ends them all.
func ListenAll(authority *receiver.Authority, n int) ([]*Receiver, func(), error) {
	var receivers []*Receiver
	stop := func() {
		for _, e := range receivers {
			e.Close()
		}
	}
	for range n {
		e, err := Listen(authority)
		if err != nil {
			stop()
			return nil, nil, err
		}
		receivers = append(receivers, e)
	}
	return receivers, stop, nil
}

// Rate waits until so many distinct requests have come to all receivers together and
// returns them a second, from the first to the last.
func Rate(ctx context.Context, receivers []*Receiver, goal int) (float64, error) {
	var first, last time.Time
	err := measure.Until(ctx, func() (bool, error) {
		total := 0
		for _, e := range receivers {
			n, began, ended := e.Distinct()
			total += n
			if n > 0 && (first.IsZero() || began.Before(first)) {
				first = began
			}
			if ended.After(last) {
				last = ended
			}
		}
		return total >= goal, nil
	})
	if err != nil {
		return 0, err
	}
	if !last.After(first) {
		return 0, fmt.Errorf("no time passed between the first and the last of %d", goal)
	}
	return float64(goal) / last.Sub(first).Seconds(), nil
}

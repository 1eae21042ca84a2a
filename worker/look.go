package worker

import (
	"context"

	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/models/queue"
)

// loops are those of all kinds.
type loops map[queue.Kind]*loop

// look notifies the loops of which something is due, every second until ctx ends: one
// question for all of them, as nearly always nothing is.
func (all loops) look(ctx context.Context, o Options) {
	poll.New(pollEvery).Run(ctx, func(ctx context.Context) (more bool) {
		own, cancel := context.WithTimeout(ctx, rowsLimit)
		defer cancel()
		due, err := o.Queue.Due(own)
		if err != nil && ctx.Err() == nil {
			o.Log.WarnContext(ctx, "what is due could not be looked up", "error", err)
		}
		for _, kind := range due {
			if l := all[kind]; l != nil {
				l.poll.Notify()
			}
		}
		return false
	})
}

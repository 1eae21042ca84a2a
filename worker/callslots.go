package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/redline-svc/redline/internal/poll"
)

const (
	// fillSlotsEvery is how often free slots for calls are given away, fillSlotsSoon
	// how long after a call has ended, so that many ends cost one look.
	fillSlotsEvery = time.Second
	fillSlotsSoon  = 100 * time.Millisecond
)

// callSlots gives free slots to the calls of steps that wait longest.
type callSlots struct {
	rows Executions
	log  *slog.Logger
	poll *poll.Loop
}

func newCallSlots(rows Executions, log *slog.Logger) *callSlots {
	return &callSlots{rows: rows, log: log, poll: poll.New(fillSlotsEvery - fillSlotsSoon)}
}

func (s *callSlots) run(ctx context.Context) { s.poll.Run(ctx, s.fill) }

// fill waits for the ends of further calls and gives away what is free then.
func (s *callSlots) fill(ctx context.Context) (more bool) {
	pause(ctx, fillSlotsSoon)
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	if err := s.rows.GrantCallSlots(own); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "free slots could not be given away", "error", err)
	}
	return false
}

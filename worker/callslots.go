package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/redline-svc/redline/internal/pump"
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
	pump *pump.Pump
}

func newCallSlots(rows Executions, log *slog.Logger) *callSlots {
	return &callSlots{rows: rows, log: log, pump: pump.New(fillSlotsEvery - fillSlotsSoon)}
}

func (s *callSlots) run(ctx context.Context) { s.pump.Run(ctx, s.fill) }

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

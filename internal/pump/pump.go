package pump

import (
	"context"
	"time"
)

// Pump does one work again and again: at each wake, and after a while without
// any. It must be made by New.
type Pump struct {
	every time.Duration
	wake  Signal
}

// New makes a pump that works without a wake when none has come for so long;
// zero means never.
func New(every time.Duration) *Pump { return &Pump{every: every, wake: NewSignal()} }

// Wake makes the pump work at once, or once more when it is working. It never
// blocks.
func (p *Pump) Wake() { p.wake.Set() }

// Run waits and works until ctx ends. When the work tells that there may be more
// of it, it is done again without a wait. A wake that came before Run is not
// lost, so Wake first makes it begin with the work; nor is one that comes at the
// end, if Run is called again. Of several Runs at once each wake reaches one.
func (p *Pump) Run(ctx context.Context, work func(ctx context.Context) (more bool)) {
	for p.wait(ctx) {
		for more := true; more && ctx.Err() == nil; {
			more = work(ctx)
		}
	}
}

// wait returns at the next wake or tick; false when ctx has ended.
func (p *Pump) wait(ctx context.Context) bool {
	var tick <-chan time.Time
	if p.every > 0 {
		timer := time.NewTimer(p.every)
		defer timer.Stop()
		tick = timer.C
	}
	select {
	case <-ctx.Done():
	case <-p.wake:
		if ctx.Err() != nil {
			p.wake.Set() // it is the next Run's
		}
	case <-tick:
	}
	return ctx.Err() == nil
}

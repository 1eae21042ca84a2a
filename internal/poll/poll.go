package poll

import (
	"context"
	"time"
)

// Loop does one work again and again: at each notification, and after a while without
// any. It must be made by New.
type Loop struct {
	every    time.Duration
	notified Signal
}

// New makes a loop that works without a notification when none has come for so long;
// zero means never.
func New(every time.Duration) *Loop { return &Loop{every: every, notified: NewSignal()} }

// Notify makes the loop work at once, or once more when it is working. It never
// blocks.
func (p *Loop) Notify() { p.notified.Set() }

// Run waits and works until ctx ends. When the work reports that there may be more
// of it, it is done again without a wait. A notification that came before Run is not
// lost, so Notify first makes it begin with the work; nor is one that comes at the
// end, if Run is called again. Of several Runs at once each notification reaches one.
func (p *Loop) Run(ctx context.Context, work func(ctx context.Context) (more bool)) {
	for p.wait(ctx) {
		for more := true; more && ctx.Err() == nil; {
			more = work(ctx)
		}
	}
}

// wait returns at the next notification or tick; false when ctx has ended.
func (p *Loop) wait(ctx context.Context) bool {
	var tick <-chan time.Time
	if p.every > 0 {
		timer := time.NewTimer(p.every)
		defer timer.Stop()
		tick = timer.C
	}
	select {
	case <-ctx.Done():
	case <-p.notified:
		if ctx.Err() != nil {
			p.notified.Set() // it is the next Run's
		}
	case <-tick:
	}
	return ctx.Err() == nil
}

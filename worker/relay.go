package worker

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redline-svc/redline/internal/pump"
	"github.com/redline-svc/redline/models/execution"
)

const (
	// pollEvery is how often a loop looks without having been woken.
	pollEvery = time.Second
	// rowsLimit is how long one statement of the relay may take.
	rowsLimit = 10 * time.Second
)

// Executions are the rows of executions that the worker drives
// (*execution.Executions).
type Executions interface {
	// ClaimPokes claims up to limit executions that are due a start or poke now, of
	// workspaces in turn, from the one behind after on; they belong to the caller
	// for 15 s.
	ClaimPokes(ctx context.Context, after string, limit int) (execution.PokeBatch, error)
	// AckPoke clears the mark where it still is of that revision.
	AckPoke(ctx context.Context, p execution.Poke) error
	// ReleasePokes gives claims back that could not be sent.
	ReleasePokes(ctx context.Context, pokes []execution.Poke) error
	// Sweep marks what is overdue and undriven, GrantCallSlots gives free slots to
	// waiting calls.
	Sweep(ctx context.Context) (int, error)
	GrantCallSlots(ctx context.Context) error
}

// sendPoke makes one start or poke.
type sendPoke func(ctx context.Context, p execution.Poke) error

// relay turns the marks of the outbox into starts and pokes.
type relay struct {
	rows    Executions
	senders int
	log     *slog.Logger
	pump    *pump.Pump
	// failing is set while the engine takes nothing: then one poke at a time is
	// claimed to find out when it does again.
	failing atomic.Bool
}

func newRelay(rows Executions, senders int, log *slog.Logger) *relay {
	return &relay{rows: rows, senders: senders, log: log, pump: pump.New(pollEvery)}
}

// run claims and sends until ctx ends; then it releases what it has not
// sent and waits for what is under way.
func (r *relay) run(ctx context.Context, send sendPoke) {
	claimed := make(chan execution.Poke, r.senders)
	var senders sync.WaitGroup
	for range r.senders {
		senders.Go(func() {
			for p := range claimed {
				r.send(ctx, send, p)
			}
		})
	}
	r.pump.Wake() // it looks at once
	last := ""
	r.pump.Run(ctx, func(ctx context.Context) bool { return r.claim(ctx, &last, claimed) })
	close(claimed)
	senders.Wait()
}

// claim claims as many pokes as the senders can soon send, behind the workspace last,
// and passes them on. It gives true when there may be more and the engine takes them.
func (r *relay) claim(ctx context.Context, last *string, claimed chan<- execution.Poke) (more bool) {
	limit := cap(claimed)
	if r.failing.Load() {
		pause(ctx, usableEvery)
	}
	if r.failing.Load() {
		limit = 1
	}
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	batch, err := r.rows.ClaimPokes(own, *last, limit)
	if err != nil {
		if ctx.Err() == nil {
			r.log.WarnContext(ctx, "pokes could not be claimed", "error", err)
		}
		return false
	}
	*last = batch.Last
	for i, p := range batch.Pokes {
		select {
		case claimed <- p:
		case <-ctx.Done():
			r.release(ctx, batch.Pokes[i:])
			return false
		}
	}
	return batch.More && !r.failing.Load()
}

// send sends a poke that was claimed and clears its mark. After the end of ctx it
// releases it instead.
func (r *relay) send(ctx context.Context, send sendPoke, p execution.Poke) {
	if ctx.Err() != nil {
		r.release(ctx, []execution.Poke{p})
		return
	}
	if err := send(context.WithoutCancel(ctx), p); err != nil {
		level := slog.LevelDebug // the first failure is a warning, the others say nothing new
		if !r.failing.Swap(true) {
			level = slog.LevelWarn
		}
		r.log.Log(ctx, level, "a run could not be started or poked", "execution_id", p.ExecutionID, "error", err)
		r.release(ctx, []execution.Poke{p})
		return
	}
	if r.failing.Swap(false) {
		r.pump.Wake()
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rowsLimit)
	defer cancel()
	if err := r.rows.AckPoke(own, p); err != nil {
		r.log.WarnContext(ctx, "a mark could not be cleared, its poke is sent again", "execution_id", p.ExecutionID, "error", err)
	}
}

// release gives claims back at once; one that could not be given back runs out after
// 15 s.
func (r *relay) release(ctx context.Context, pokes []execution.Poke) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rowsLimit)
	defer cancel()
	if err := r.rows.ReleasePokes(own, pokes); err != nil {
		r.log.DebugContext(ctx, "claims could not be given back", "error", err)
	}
}

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
	// sendTurn is how long a send counts among those at once: one that hangs holds back
	// none of the others for longer. Temporal takes a hundredth of it, a tenth when it
	// has much to do.
	sendTurn = time.Second
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
	rows Executions
	log  *slog.Logger
	pump *pump.Pump
	// turns holds one for each send at once.
	turns   chan struct{}
	sending sync.WaitGroup
	// failing is set while Temporal takes nothing: then one poke at a time is
	// claimed to find out when it does again.
	failing atomic.Bool
}

// newRelay makes a relay that makes so many sends at once.
func newRelay(rows Executions, atOnce int, log *slog.Logger) *relay {
	return &relay{rows: rows, log: log, pump: pump.New(pollEvery), turns: make(chan struct{}, atOnce)}
}

// run claims and sends until ctx ends; then it releases what it has not
// sent and waits for what is under way.
func (r *relay) run(ctx context.Context, send sendPoke) {
	r.pump.Wake() // it looks at once
	last := ""
	r.pump.Run(ctx, func(ctx context.Context) bool { return r.claim(ctx, &last, send) })
	r.sending.Wait()
}

// claim claims as many pokes as are sent at once, behind the workspace last, and sends each
// when it is its turn. It gives true when there may be more and Temporal takes them.
func (r *relay) claim(ctx context.Context, last *string, send sendPoke) (more bool) {
	limit := cap(r.turns)
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
		case r.turns <- struct{}{}:
			r.sending.Go(func() { r.sendInTurn(ctx, send, p) })
		case <-ctx.Done():
			r.release(ctx, batch.Pokes[i:])
			return false
		}
	}
	return batch.More && !r.failing.Load()
}

// sendInTurn gives the turn on when the poke is sent, or when that takes long.
func (r *relay) sendInTurn(ctx context.Context, send sendPoke, p execution.Poke) {
	next := sync.OnceFunc(func() { <-r.turns })
	defer next()
	defer time.AfterFunc(sendTurn, next).Stop()
	r.send(ctx, send, p)
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

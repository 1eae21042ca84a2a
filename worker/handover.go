package worker

import (
	"context"
	"sync"

	"github.com/redline-svc/redline/models/execution"
)

// handover takes pokes straight from the commits of this process, at most as many
// as there are slots (see the comment of the package).
type handover struct {
	// release gives back claims of pokes that nobody here sends any more.
	release func(ctx context.Context, pokes []execution.Poke)
	slots   chan struct{}
	pokes   chan execution.Poke

	mu sync.Mutex
	// runs counts the runs of the relay: one may still be ending when the next has
	// begun.
	runs int
}

func newHandover(slots int, release func(context.Context, []execution.Poke)) *handover {
	return &handover{release: release, slots: make(chan struct{}, slots), pokes: make(chan execution.Poke, slots)}
}

// reserve reserves a slot for one poke and gives the function that submits it, or
// nil when no slot is free.
func (h *handover) reserve() execution.Handover {
	select {
	case h.slots <- struct{}{}:
		return h.submit
	default:
		return nil
	}
}

// submit takes the poke that has a slot; nil gives the slot up.
func (h *handover) submit(p *execution.Poke) {
	if p == nil {
		<-h.slots
		return
	}
	h.mu.Lock()
	open := h.runs > 0
	if open {
		h.pokes <- *p // never waits: it has its slot
	}
	h.mu.Unlock()
	if !open {
		<-h.slots
		h.release(context.Background(), []execution.Poke{*p})
	}
}

// begin accepts pokes, end refuses them and releases those that nobody took, unless
// another run takes them.
func (h *handover) begin() { h.count(1) }

func (h *handover) end(ctx context.Context) {
	h.count(-1)
	for !h.isOpen() {
		select {
		case p := <-h.pokes:
			<-h.slots
			h.release(ctx, []execution.Poke{p})
		default:
			return
		}
	}
}

func (h *handover) count(runs int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs += runs
}

func (h *handover) isOpen() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runs > 0
}

// next waits for a poke of either kind; none comes any more once claimed is
// closed.
func (h *handover) next(claimed <-chan execution.Poke) (execution.Poke, bool) {
	select {
	case p := <-h.pokes:
		<-h.slots
		return p, true
	case p, more := <-claimed:
		return p, more
	}
}

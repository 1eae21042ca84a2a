package worker

import (
	"context"
	"sync"

	"github.com/redline-svc/redline/models"
)

// handover takes pokes straight from the commits of this process, at most as
// many as there are senders: whoever commits more leaves them to be claimed.
type handover struct {
	// back gives claims back that nobody here sends any more.
	back  func(ctx context.Context, pokes []models.Poke)
	rooms chan struct{}
	pokes chan models.Poke

	mu sync.Mutex
	// runs counts the runs of the relay: the last one may still end while the next
	// has begun.
	runs int
}

func newHandover(rooms int, back func(context.Context, []models.Poke)) *handover {
	return &handover{back: back, rooms: make(chan struct{}, rooms), pokes: make(chan models.Poke, rooms)}
}

// room reserves the room for one poke, or gives nil.
func (h *handover) room() models.Handover {
	select {
	case h.rooms <- struct{}{}:
		return h.take
	default:
		return nil
	}
}

// take takes the poke for which there is room; nil gives the room up.
func (h *handover) take(p *models.Poke) {
	if p == nil {
		<-h.rooms
		return
	}
	h.mu.Lock()
	open := h.runs > 0
	if open {
		h.pokes <- *p // never waits: it has its room
	}
	h.mu.Unlock()
	if !open {
		<-h.rooms
		h.back(context.Background(), []models.Poke{*p})
	}
}

// begin lets pokes in, end keeps them out and gives back those that nobody took,
// unless another run takes them.
func (h *handover) begin() { h.count(1) }

func (h *handover) end(ctx context.Context) {
	h.count(-1)
	for !h.isOpen() {
		select {
		case p := <-h.pokes:
			<-h.rooms
			h.back(ctx, []models.Poke{p})
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
func (h *handover) next(claimed <-chan models.Poke) (models.Poke, bool) {
	select {
	case p := <-h.pokes:
		<-h.rooms
		return p, true
	case p, more := <-claimed:
		return p, more
	}
}

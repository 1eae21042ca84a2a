package pg

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/redline-svc/redline/internal/fault"
)

// A question that is on its way keeps those who come later waiting for gatherFor at most,
// so a connection that hangs does not hold back everybody; it is given up after gatherEnd.
const (
	gatherFor = 20 * time.Millisecond
	gatherEnd = 10 * time.Second
)

// Gather asks for several callers at once. Whoever comes while a question is on its way
// waits for the next one, which is for all who wait by then. So every answer was read
// after its caller had asked, and the more callers, the fewer questions for each.
type Gather[K comparable, V any] struct {
	ask func(ctx context.Context, keys []K) (map[K]V, error)

	mu       sync.Mutex
	waiting  callers[K, V]
	onItsWay *question[K, V]
}

// callers are who wait for the answer about each key.
type callers[K comparable, V any] map[K][]chan<- reply[V]

type reply[V any] struct {
	value V
	err   error
}

// question is one for all who waited when it went.
type question[K comparable, V any] struct{ callers callers[K, V] }

// NewGather asks by a function, which gets each key once. A key that its answer lacks has
// the zero value; its error is that of all who wait.
func NewGather[K comparable, V any](ask func(ctx context.Context, keys []K) (map[K]V, error)) *Gather[K, V] {
	return &Gather[K, V]{ask: ask, waiting: callers[K, V]{}}
}

// Of is the answer about a key.
func (g *Gather[K, V]) Of(ctx context.Context, key K) (V, error) {
	answer := make(chan reply[V], 1) // of a caller who has left it is taken, too
	g.mu.Lock()
	g.waiting[key] = append(g.waiting[key], answer)
	if g.onItsWay == nil {
		g.send()
	}
	g.mu.Unlock()
	select {
	case r := <-answer:
		return r.value, r.err
	case <-ctx.Done():
		var none V
		return none, Translate(ctx.Err())
	}
}

// send asks for all who wait. It is called with the lock held.
func (g *Gather[K, V]) send() {
	q := &question[K, V]{g.waiting}
	g.waiting, g.onItsWay = callers[K, V]{}, q
	go func() {
		late := time.AfterFunc(gatherFor, func() { g.next(q) })
		defer late.Stop()
		ctx, cancel := context.WithTimeout(context.Background(), gatherEnd)
		defer cancel()
		answers, err := g.calmly(ctx, slices.Collect(maps.Keys(q.callers)))
		g.next(q)
		for key, waiting := range q.callers {
			for _, caller := range waiting {
				caller <- reply[V]{answers[key], err}
			}
		}
	}()
}

// calmly makes a panic an error of all who wait: it would end the process here, where no
// request recovers it.
func (g *Gather[K, V]) calmly(ctx context.Context, keys []K) (answers map[K]V, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			answers, err = nil, fault.Panicked(cause)
		}
	}()
	return g.ask(ctx, keys)
}

// next lets those who came after a question go, if nobody did so before.
func (g *Gather[K, V]) next(after *question[K, V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.onItsWay != after {
		return
	}
	if g.onItsWay = nil; len(g.waiting) > 0 {
		g.send()
	}
}

package models

import (
	"context"
	"sync"
)

// turns lets one caller at a time work on a key and keeps the others waiting
// outside the pool: a burst on one execution takes one connection, not all.
type turns struct {
	mu    sync.Mutex
	lines map[string]*line
}

type line struct {
	turn    chan struct{}
	waiting int
}

func newTurns() *turns { return &turns{lines: map[string]*line{}} }

// take waits for the key and gives the function that passes it on.
func (t *turns) take(ctx context.Context, key string) (func(), error) {
	t.mu.Lock()
	l := t.lines[key]
	if l == nil {
		l = &line{turn: make(chan struct{}, 1)}
		t.lines[key] = l
	}
	l.waiting++
	t.mu.Unlock()
	select {
	case l.turn <- struct{}{}:
		return func() { <-l.turn; t.leave(key, l) }, nil
	case <-ctx.Done():
		t.leave(key, l)
		return nil, Translate(ctx.Err())
	}
}

func (t *turns) leave(key string, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		delete(t.lines, key)
	}
}

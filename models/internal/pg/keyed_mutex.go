package pg

import (
	"context"
	"sync"
)

// KeyedMutex lets one caller at a time work on a key and keeps the others waiting
// outside the pool: a burst on one execution takes one connection, not all.
type KeyedMutex struct {
	mu    sync.Mutex
	lines map[string]*line
}

type line struct {
	turn    chan struct{}
	waiting int
}

// NewKeyedMutex makes one on which nobody waits.
func NewKeyedMutex() *KeyedMutex { return &KeyedMutex{lines: map[string]*line{}} }

// Lock waits for the key and returns the function that passes it on.
func (t *KeyedMutex) Lock(ctx context.Context, key string) (func(), error) {
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
		return func() { <-l.turn; t.unlock(key, l) }, nil
	case <-ctx.Done():
		t.unlock(key, l)
		return nil, Translate(ctx.Err())
	}
}

func (t *KeyedMutex) unlock(key string, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		delete(t.lines, key)
	}
}

package console

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// fresh is for how long what was read serves equal views that are read again. With the 2 s
	// between two looks of a page it is on every page within 3 s.
	fresh = 900 * time.Millisecond
	// readingTime is the limit of a read, which goes on when who asked for it has gone: others wait for it.
	readingTime = 40 * time.Second
)

// shared lets equal views share a read.
type shared struct {
	reads singleflight.Group
	mu    sync.Mutex
	kept  map[string]*page
}

func newShared() *shared { return &shared{kept: map[string]*page{}} }

// read returns what read reads. A look again takes what an equal view has just read, or is
// reading; a page that is opened, as after a form, is read by itself.
func (s *shared) read(ctx context.Context, view string, again bool, read func(context.Context) (*page, error)) (*page, error) {
	if !again {
		return read(ctx)
	}
	if found := s.find(view); found != nil {
		return found, nil
	}
	found, err, _ := s.reads.Do(view, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readingTime)
		defer cancel()
		found, err := read(ctx)
		if err == nil {
			s.keep(view, found)
		}
		return found, err
	})
	shown, _ := found.(*page)
	return shown, err
}

func (s *shared) find(view string) *page {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[view]
}

// keep keeps a page until it is no longer fresh.
func (s *shared) keep(view string, found *page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[view] = found
	time.AfterFunc(fresh, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.kept, view)
	})
}

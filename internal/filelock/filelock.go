package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// poll is how often a waiting Acquire tries again.
const poll = 50 * time.Millisecond

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("another process holds the lock")

// Lock is a lock that is held.
type Lock struct{ file *os.File }

// Try takes the lock or gives ErrHeld at once. The folder of the file is made.
func Try(path string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &Lock{file: file}, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrHeld
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

// Acquire waits for the lock until the context ends. waiting, if not nil, is
// called once when another process turns out to hold it.
func Acquire(ctx context.Context, path string, waiting func()) (*Lock, error) {
	for first := true; ; first = false {
		lock, err := Try(path)
		if !errors.Is(err, ErrHeld) {
			return lock, err
		}
		if first && waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(poll):
		}
	}
}

// Release gives the lock back.
func (l *Lock) Release() {
	_ = l.file.Close()
}

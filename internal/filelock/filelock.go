package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// poll is how often a waiting Acquire tries again.
const poll = 50 * time.Millisecond

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("another process holds the lock")

// Lock is a lock that is held.
type Lock struct{ file *flock.Flock }

// Try takes the lock or returns ErrHeld at once. The folder of the file is made.
func Try(path string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file := flock.New(path)
	taken, err := file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !taken {
		return nil, ErrHeld
	}
	return &Lock{file}, nil
}

// Acquire waits for the lock until the context ends. waiting, if not nil, is
// called once when another process turns out to hold it.
func Acquire(ctx context.Context, path string, waiting func()) (*Lock, error) {
	lock, err := Try(path)
	if !errors.Is(err, ErrHeld) {
		return lock, err
	}
	if waiting != nil {
		waiting()
	}
	file := flock.New(path)
	if _, err := file.TryLockContext(ctx, poll); err != nil {
		return nil, err
	}
	return &Lock{file}, nil
}

// Release unlocks it.
func (l *Lock) Release() {
	_ = l.file.Close()
}

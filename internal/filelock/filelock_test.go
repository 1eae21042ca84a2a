package filelock_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/filelock"
)

func TestOneHolderAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "lock")
	first, err := filelock.Try(path)
	require.NoError(t, err)
	_, err = filelock.Try(path)
	require.ErrorIs(t, err, filelock.ErrHeld)

	waiting := make(chan struct{})
	taken := make(chan error)
	go func() {
		second, err := filelock.Acquire(context.Background(), path, func() { close(waiting) })
		if err == nil {
			second.Release()
		}
		taken <- err
	}()
	<-waiting
	first.Release()
	require.NoError(t, <-taken)
}

func TestAcquireEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	held, err := filelock.Try(path)
	require.NoError(t, err)
	defer held.Release()
	ctx, cancel := context.WithCancel(context.Background())
	_, err = filelock.Acquire(ctx, path, cancel)
	require.ErrorIs(t, err, context.Canceled)
}

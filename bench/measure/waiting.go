package measure

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

const (
	// Limit is how long the backlog of a block may take until it is done.
	Limit = 5 * time.Minute
	// Look is the pause between two questions whether a block is done.
	Look = 20 * time.Millisecond
)

// Until asks again until it is so; after Limit it gives up with an error.
func Until(ctx context.Context, so func() (bool, error)) error {
	return Every(ctx, Look, so)
}

// Every is Until that waits longer between two questions.
func Every(ctx context.Context, pause time.Duration, so func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, Limit, errors.New("a block was not done in time"))
	defer cancel()
	for {
		done, err := so()
		if err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w", context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// Unique is a word that nothing else has, so that no block meets what another one
// made.
func Unique(prefix string) string {
	bytes := make([]byte, 6)
	_, _ = rand.Read(bytes)
	return prefix + "-" + hex.EncodeToString(bytes)
}

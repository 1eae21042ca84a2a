package console

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// Whoever opens many pages at once waits for the first of them, and nobody else does.
func TestRequestsOfOnePairOfCredentialsHaveTheirTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, mine := newTurns(2), session{Key: "ak_1"}
		var begun atomic.Int32
		next := make(chan struct{})
		for range 3 {
			go func() {
				if leave, err := all.enter(t.Context(), mine); err == nil {
					begun.Add(1)
					<-next
					leave()
				}
			}()
		}
		synctest.Wait()
		require.EqualValues(t, 2, begun.Load())
		leave, err := all.enter(t.Context(), session{Key: "ak_2"})
		require.NoError(t, err)
		leave()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = all.enter(ctx, mine)
		require.ErrorIs(t, err, context.Canceled)
		close(next)
		synctest.Wait()
		require.EqualValues(t, 3, begun.Load())
		require.Empty(t, all.queues)
	})
}

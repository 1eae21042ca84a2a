package memory

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// draws begins so many pieces of work of a workspace, each of one byte, and counts those
// under way. A value on the channel that it gives ends one of them.
func draws(t *testing.T, s *shares, workspaceID string, count int) (underWay *int, end chan<- struct{}) {
	t.Helper()
	underWay, ends := new(int), make(chan struct{})
	for range count {
		go func() {
			release, err := s.acquire(t.Context(), workspaceID, 1)
			if err != nil {
				return
			}
			*underWay++
			<-ends
			*underWay--
			release()
		}()
		synctest.Wait()
	}
	return underWay, ends
}

func TestOneWorkspaceHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(2, 1)
		many, endMany := draws(t, s, "many", 50)
		require.Equal(t, 1, *many, "its share, though there is room for two")
		one, endOne := draws(t, s, "one", 1)
		require.Equal(t, 1, *one, "it does not wait behind the fifty")

		late, endLate := draws(t, s, "late", 1)
		require.Zero(t, *late, "there is no room")
		endMany <- struct{}{}
		synctest.Wait()
		require.Equal(t, []int{0, 1, 1}, []int{*many, *one, *late}, "it came before the next one of the fifty")
		endLate <- struct{}{}
		endOne <- struct{}{}
		synctest.Wait()
		require.Equal(t, 1, *many)
		for range 49 {
			endMany <- struct{}{}
			synctest.Wait()
		}
		require.Empty(t, s.own)
	})
}

func TestWhoGivesUpLeavesTheShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(2, 2)
		release, err := s.acquire(t.Context(), "a", 2)
		require.NoError(t, err)
		for _, workspaceID := range []string{"a", "b"} { // one waits for its share, the other one for room
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, err := s.acquire(ctx, workspaceID, 2)
				ended <- err
			}()
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-ended, context.Canceled)
		}
		release()
		require.Empty(t, s.own)
		release, err = s.acquire(t.Context(), "b", 2)
		require.NoError(t, err)
		release()
	})
}

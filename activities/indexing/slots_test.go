package indexing

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

const mine = "ws_mine"

// requireFree wants the only slot free, and nobody in anybody's way.
func requireFree(t *testing.T, slots *Slots) {
	t.Helper()
	require.Equal(t, 1, slots.free)
	require.Empty(t, slots.held)
	require.Empty(t, slots.waiting)
	require.Empty(t, slots.turns)
}

func TestWhoWaitsForTheModelKeepsNobodyFromWorking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := NewSlots(1)
		require.NoError(t, slots.Acquire(t.Context(), mine))
		worked := false
		go func() {
			if slots.Acquire(t.Context(), mine) == nil {
				worked = true
				slots.Release(mine)
			}
		}()
		synctest.Wait()
		require.False(t, worked, "the only slot is taken")
		slots.Release(mine)
		synctest.Wait()
		require.True(t, worked)
		slots.Resume(mine)
		slots.Release(mine)
		requireFree(t, slots)
	})
}

func TestTheWaitForASlotEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := NewSlots(1)
		require.NoError(t, slots.Acquire(t.Context(), mine))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- slots.Acquire(ctx, mine) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		slots.Release(mine)
		requireFree(t, slots)
	})
}

func TestWithoutSlotsThereIsOneForEverybody(t *testing.T) {
	var none *Slots
	for range 100 {
		require.NoError(t, none.Acquire(t.Context(), mine))
	}
	none.Release(mine)
	none.Resume(mine)
}

// TestWorkspacesHaveTheirTurns: of two that wait, the one with many gets no more
// slots than the other, and never all of them.
func TestWorkspacesHaveTheirTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := NewSlots(4)
		var order []string
		wait := func(workspaceID string, count int) {
			for range count {
				go func() {
					if slots.Acquire(t.Context(), workspaceID) == nil {
						order = append(order, workspaceID)
					}
				}()
				synctest.Wait()
			}
		}
		wait("ws_many", 64)
		require.Len(t, order, 3, "a slot is kept for others")
		wait("ws_few", 2)
		require.Equal(t, "ws_few", order[3])
		for range 3 {
			slots.Release("ws_many")
			synctest.Wait()
		}
		require.Equal(t, []string{"ws_many", "ws_few", "ws_many"}, order[4:])
		for range 64 - 2 {
			slots.Release("ws_many")
			synctest.Wait()
		}
	})
}

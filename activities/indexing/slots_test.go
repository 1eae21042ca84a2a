package indexing

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestWhoWaitsForTheModelKeepsNobodyFromWorking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := NewSlots(1)
		require.NoError(t, slots.Acquire(t.Context()))
		worked := false
		go func() {
			if slots.Acquire(t.Context()) == nil {
				worked = true
				slots.Release()
			}
		}()
		synctest.Wait()
		require.False(t, worked, "the only slot is taken")
		slots.Release()
		synctest.Wait()
		require.True(t, worked)
		slots.Resume()
		slots.Release()
		require.Empty(t, slots)
	})
}

func TestTheWaitForASlotEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, NewSlots(0).Acquire(ctx), context.Canceled)
}

func TestWithoutSlotsThereIsOneForEverybody(t *testing.T) {
	var none Slots
	for range 100 {
		require.NoError(t, none.Acquire(t.Context()))
	}
	none.Release()
	none.Resume()
}

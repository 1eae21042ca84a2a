package slots

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

const mine = "ws_mine"

// requireFree wants all slots free, and nobody in anybody's way.
func requireFree(t *testing.T, s *Slots) {
	t.Helper()
	require.Equal(t, s.total, s.free)
	require.Empty(t, s.held)
	require.Empty(t, s.waiting)
	require.Empty(t, s.turns)
}

func TestWhoReleasesKeepsNobodyFromWorking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(1)
		require.NoError(t, s.Acquire(t.Context(), mine, 1))
		worked := false
		go func() {
			if s.Acquire(t.Context(), mine, 1) == nil {
				worked = true
				s.Release(mine, 1)
			}
		}()
		synctest.Wait()
		require.False(t, worked, "the only slot is taken")
		s.Release(mine, 1)
		synctest.Wait()
		require.True(t, worked)
		requireFree(t, s)
	})
}

func TestTheWaitForASlotEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(2)
		require.NoError(t, s.Acquire(t.Context(), mine, 2))
		for _, workspaceID := range []string{mine, "ws_other"} { // one waits for its share, the other one for room
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- s.Acquire(ctx, workspaceID, 2) }()
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-ended, context.Canceled)
			require.ErrorIs(t, s.Acquire(ctx, workspaceID, 2), context.Canceled, "nobody begins who has given up")
		}
		s.Release(mine, 2)
		requireFree(t, s)
		require.NoError(t, s.Acquire(t.Context(), "ws_other", 2))
		s.Release("ws_other", 2)
	})
}

func TestWithoutSlotsThereIsOneForEverybody(t *testing.T) {
	t.Parallel()
	var none *Slots
	for range 100 {
		require.NoError(t, none.Acquire(t.Context(), mine, 1))
	}
	none.Release(mine, 1)
}

// beginMany begins so many pieces of work of a workspace, of one slot each, and notes who has
// begun.
func beginMany(t *testing.T, s *Slots, order *[]string, workspaceID string, count int) {
	t.Helper()
	for range count {
		go func() {
			if s.Acquire(t.Context(), workspaceID, 1) == nil {
				*order = append(*order, workspaceID)
			}
		}()
		synctest.Wait()
	}
}

// Of two that wait, the one with many has no more than half of the slots, and never all
// of them where it waits alone. Whoever comes finds one.
func TestWorkspacesHaveTheirTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, order := New(4), []string{}
		beginMany(t, s, &order, "ws_many", 64)
		require.Len(t, order, 3, "a slot is kept for others")
		beginMany(t, s, &order, "ws_few", 2)
		require.Equal(t, []string{"ws_few"}, order[3:])
		for range 3 {
			s.Release("ws_many", 1)
			synctest.Wait()
		}
		require.Equal(t, []string{"ws_few", "ws_many"}, order[4:], "a slot is kept for others all the same")
		for range 2 {
			s.Release("ws_few", 1)
			synctest.Wait()
		}
		for range 64 - 3 {
			s.Release("ws_many", 1)
			synctest.Wait()
		}
		requireFree(t, s)
	})
}

// Who comes late is served before the next one of a workspace that had its turn.
func TestOneWorkspaceHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, order := New(2), []string{}
		beginMany(t, s, &order, "ws_many", 50)
		require.Len(t, order, 1, "its share, though there is room for two")
		beginMany(t, s, &order, "ws_one", 1)
		beginMany(t, s, &order, "ws_late", 1)
		require.Equal(t, []string{"ws_many", "ws_one"}, order, "there is no room for a third one")
		s.Release("ws_many", 1)
		synctest.Wait()
		require.Equal(t, "ws_late", order[2])
		s.Release("ws_one", 1)
		s.Release("ws_late", 1)
		for range 49 {
			synctest.Wait()
			s.Release("ws_many", 1)
		}
		requireFree(t, s)
	})
}

func TestWhatIsLargeHasItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, order := New(4), []string{}
		beginMany(t, s, &order, "ws_one", 1)
		beginMany(t, s, &order, "ws_two", 1)
		large := false
		go func() { large = s.Acquire(t.Context(), "ws_large", 3) == nil }()
		synctest.Wait()
		beginMany(t, s, &order, "ws_three", 1)
		require.Len(t, order, 2, "what is small does not pass by")
		s.Release("ws_one", 1)
		synctest.Wait()
		require.True(t, large)
		s.Release("ws_large", 3)
		synctest.Wait()
		require.Len(t, order, 3)
	})
}

// However slots are taken and given back, there are never more than all, nobody gets
// beyond half while others wait, and whoever waits is served in the end.
func TestSlotsProperties(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) { properties(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func properties(t *testing.T, random *rand.Rand) {
	t.Helper()
	total := 1 + random.Int64N(20)
	s, held := New(total), map[string]int64{}
	type taken struct {
		workspaceID string
		size        int64
	}
	granted := make(chan taken, 100)
	var holding []taken
	begun := 1 + random.IntN(60)
	for range begun {
		piece := taken{[]string{"a", "b", "c"}[random.IntN(3)], 1 + random.Int64N(max(1, total/4))}
		go func() {
			if s.Acquire(context.Background(), piece.workspaceID, piece.size) == nil {
				granted <- piece
			}
		}()
	}
	for range begun {
		synctest.Wait()
		for len(granted) > 0 {
			piece := <-granted
			held[piece.workspaceID] += piece.size
			holding = append(holding, piece)
		}
		require.NotEmpty(t, holding, "somebody waits for ever")
		require.LessOrEqual(t, held["a"]+held["b"]+held["c"], total)
		require.Equal(t, total-held["a"]-held["b"]-held["c"], s.free)
		at := random.IntN(len(holding))
		piece := holding[at]
		holding = append(holding[:at], holding[at+1:]...)
		held[piece.workspaceID] -= piece.size
		s.Release(piece.workspaceID, piece.size)
	}
	requireFree(t, s)
}

// What a workspace may hold of limited slots does not depend on who else waits.
func TestALimitedShareStaysTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, order := NewLimited(8, 2), []string{}
		beginMany(t, s, &order, "ws_many", 5)
		require.Len(t, order, 2)
		beginMany(t, s, &order, "ws_one", 1)
		require.Equal(t, "ws_one", order[2])
		s.Release("ws_one", 1)
		for range 5 {
			s.Release("ws_many", 1)
			synctest.Wait()
		}
		require.Len(t, order, 6)
		requireFree(t, s)
	})
}

func TestForWhomSomethingIsDone(t *testing.T) {
	t.Parallel()
	require.Empty(t, WorkspaceOf(t.Context()))
	workspaceID := ""
	ctx := For(t.Context(), &workspaceID)
	require.Empty(t, WorkspaceOf(ctx))
	workspaceID = mine
	require.Equal(t, mine, WorkspaceOf(ctx), "it may become known later")
}

// However many hold on to all that they can get, whoever comes finds slots, as many as it
// wants of those that are left to it.
func TestWhoComesFindsSlots(t *testing.T) {
	t.Parallel()
	s := New(500)
	require.Equal(t, 400, s.Take("ws_a", 1000), "one alone has four fifths")
	s.Release("ws_a", 400)
	for range 100 {
		for _, workspaceID := range []string{"ws_a", "ws_b", "ws_c"} {
			s.Take(workspaceID, 100)
		}
	}
	require.GreaterOrEqual(t, s.Take("ws_new", 100), 20)
}

// Who takes what there is has no more than half while another one waits, and is granted the
// next slot in its turn.
func TestWhoTakesLeavesThoseWhoWaitTheirTurn(t *testing.T) {
	t.Parallel()
	s := New(10)
	require.Equal(t, 8, s.Take("ws_a", 100))
	require.Equal(t, 1, s.Take("ws_b", 5))
	require.Equal(t, 1, s.Take("ws_c", 5))
	require.Zero(t, s.Take("ws_d", 5))
	d := s.Queue("ws_d", 1)
	s.Release("ws_a", 2)
	<-d.Granted()
	require.Zero(t, s.Take("ws_a", 1), "it has more than it leaves")
	e := s.Queue("ws_b", 4)
	s.Release("ws_a", 2)
	require.Equal(t, 1, s.Take("ws_a", 2), "half of all while another one waits")
	e.Leave()
	d.Leave()
	s.Release("ws_a", 4)
	require.Equal(t, 5, s.Take("ws_a", 9), "nobody waits any more")
	s.Release("ws_a", 6)
	s.Release("ws_b", 1)
	s.Release("ws_c", 1)
	requireFree(t, s)
	require.Nil(t, (*Wait)(nil).Granted())
}

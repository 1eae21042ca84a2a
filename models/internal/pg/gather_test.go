package pg_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Whatever was true when a caller asked, the caller hears of, and nobody hears of another key.
func TestAnswersOfAGatheredQuestionAreNotOlderThanItsCallers(t *testing.T) {
	t.Parallel()
	var now, questions atomic.Int64
	gather := pg.NewGather(func(_ context.Context, keys []int) (map[int][2]int64, error) {
		questions.Add(1)
		found := map[int][2]int64{}
		for _, key := range keys {
			found[key] = [2]int64{int64(key), now.Add(1)}
		}
		return found, nil
	})
	var callers errgroup.Group
	for caller := range 64 {
		callers.Go(func() error {
			for range 500 {
				key, asked := caller%3, now.Add(1)
				answer, err := gather.Of(t.Context(), key)
				if err != nil || answer[0] != int64(key) || answer[1] < asked {
					return fmt.Errorf("asked about %d at %d: %v, %w", key, asked, answer, err)
				}
			}
			return nil
		})
	}
	require.NoError(t, callers.Wait())
	require.Less(t, questions.Load(), int64(64*500), "some were asked together")
}

func TestAGatheredQuestionThatHangsHoldsBackNobodyElse(t *testing.T) {
	t.Parallel()
	hangs, goOn := make(chan struct{}), make(chan struct{})
	gather := pg.NewGather(func(_ context.Context, keys []string) (map[string]string, error) {
		if keys[0] == "slow" {
			close(hangs)
			<-goOn
		}
		return map[string]string{keys[0]: "answer"}, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	slow := make(chan error, 1)
	go func() {
		_, err := gather.Of(ctx, "slow")
		slow <- err
	}()
	<-hangs
	answer, err := gather.Of(t.Context(), "next")
	require.NoError(t, err)
	require.Equal(t, "answer", answer)
	cancel()
	require.True(t, fault.Is(<-slow, fault.DeadlineExceeded), "who has had enough leaves")
	close(goOn)
}

func TestAnErrorOfAGatheredQuestionIsThatOfAllWhoWait(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	gather := pg.NewGather(func(context.Context, []string) (map[string]int, error) { return nil, broken })
	_, err := gather.Of(t.Context(), "any")
	require.ErrorIs(t, err, broken)
	gather = pg.NewGather(func(context.Context, []string) (map[string]int, error) { return map[string]int{}, nil })
	none, err := gather.Of(t.Context(), "any")
	require.NoError(t, err)
	require.Zero(t, none)
}

func TestAPanicOfAGatheredQuestionIsAnErrorOfItsCallers(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	gather := pg.NewGather(func(_ context.Context, keys []string) (map[string]int, error) {
		if calls.Add(1) == 1 {
			panic("broken")
		}
		return map[string]int{keys[0]: 1}, nil
	})
	_, err := gather.Of(t.Context(), "any")
	require.True(t, fault.Is(err, fault.Internal))
	answer, err := gather.Of(t.Context(), "any")
	require.NoError(t, err)
	require.Equal(t, 1, answer)
}

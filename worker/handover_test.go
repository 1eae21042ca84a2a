package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/pump"
	"github.com/redline-svc/redline/models/execution"
)

func TestAFreshPokeIsSentWithoutAClaim(t *testing.T) {
	m := newMarks(0)
	r, stop := running(t, m, 2, func(context.Context, execution.Poke) error { return nil })
	m.until(t, "the first look found nothing", func() bool { return len(m.claims) > 0 })
	submit := r.reserve()
	require.NotNil(t, submit)
	submit(&execution.Poke{ExecutionID: "exec_fresh"})
	m.until(t, "it is sent", func() bool { return m.sent["exec_fresh"] == 1 })
	stop()
	require.Equal(t, 1, m.sent["exec_fresh"])
	require.Zero(t, m.back)
}

func TestFreshPokesHaveAsManySlotsAsThereAreSenders(t *testing.T) {
	m := newMarks(0)
	release := make(chan struct{})
	r, _ := running(t, m, 2, func(context.Context, execution.Poke) error { <-release; return nil })
	m.until(t, "the first look found nothing", func() bool { return len(m.claims) > 0 })
	unused, used := r.reserve(), r.reserve()
	require.NotNil(t, unused)
	require.NotNil(t, used)
	require.Nil(t, r.reserve())
	unused(nil)
	require.NotNil(t, r.reserve(), "a slot that was given up is free again")
	close(release)
}

func TestNoSlotForFreshPokesBeforeThoseThatWait(t *testing.T) {
	const due, senders = 100, 2
	m := newMarks(due)
	release := make(chan struct{})
	r, _ := running(t, m, senders, func(context.Context, execution.Poke) error { <-release; return nil })
	m.until(t, "a full claim was made", func() bool { return len(m.due) < due-senders*claimsPerSender })
	require.Nil(t, r.reserve())
	close(release)
	m.until(t, "all are sent", func() bool { return len(m.sent) == due })
}

func TestFreshPokesThatAreNotSentGoBack(t *testing.T) {
	m := newMarks(0)
	r, stop := running(t, m, 1, func(_ context.Context, p execution.Poke) error {
		if p.ExecutionID == "exec_refused" {
			return errors.New("the engine is away")
		}
		return nil
	})
	m.until(t, "the first look found nothing", func() bool { return len(m.claims) > 0 })
	late := r.reserve()
	require.NotNil(t, late)
	stop()
	late(&execution.Poke{ExecutionID: "exec_late"})
	require.Equal(t, 1, m.back, "the relay had ended when the commit came")
	require.Nil(t, r.reserve(), "and takes no more")
}

// A session may take time to end, with a poke under way, after the next has begun.
func TestTheEndOfARunLeavesTheNextOneItsFreshPokes(t *testing.T) {
	m := newMarks(0)
	sent := func(context.Context, execution.Poke) error { return nil }
	r := newRelay(m, 2, slog.New(slog.DiscardHandler))
	r.pump = pump.New(0) // each run looks once
	stop := started(t, r, sent)
	m.until(t, "the first look found nothing", func() bool { return len(m.claims) > 0 })
	ctx, cancel := context.WithCancel(t.Context())
	var next sync.WaitGroup
	next.Go(func() { r.run(ctx, sent) })
	m.until(t, "the next run looks as well", func() bool { return len(m.claims) > 1 })
	stop()
	submit := r.reserve()
	require.NotNil(t, submit, "it takes fresh pokes")
	submit(&execution.Poke{ExecutionID: "exec_fresh"})
	m.until(t, "it is sent", func() bool { return m.sent["exec_fresh"] == 1 })
	cancel()
	next.Wait()
	require.Nil(t, r.reserve(), "both have ended")
}

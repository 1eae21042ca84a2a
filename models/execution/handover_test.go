package execution_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

// relay plays the relay of this process.
type relay struct {
	mu    sync.Mutex
	full  bool
	taken []*execution.Poke
}

func (r *relay) room() execution.Handover {
	if r.full {
		return nil
	}
	return func(p *execution.Poke) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.taken = append(r.taken, p)
	}
}

func TestAFreshPokeGoesToTheRelayOfItsProcess(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	r := &relay{}
	b.OnPokes(r.room)
	d := b.Accept("people", "k")
	require.Len(t, r.taken, 1)
	require.Equal(t, d.ExecutionID, r.taken[0].ExecutionID)
	none, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, none, "it belongs to the relay that was given it")

	b.Exec(`UPDATE executions SET poke_at = clock_timestamp()`)
	claimed, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, claimed, 1, "when it has run out anybody may send it")
	require.Equal(t, claimed[0], *r.taken[0], "the same poke by either way")
}

func TestADecisionThatDrivesIsHandedOver(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	r := &relay{}
	b.OnPokes(r.room)
	_, err := b.Cancel(t.Context(), modelstest.Workspace, d.ExecutionID, "", "someone", "")
	require.NoError(t, err)
	require.Len(t, r.taken, 1)
	require.True(t, r.taken[0].Started)
	require.True(t, r.taken[0].Ended)
	require.NoError(t, b.AckPokes(t.Context(), []execution.Poke{*r.taken[0]}))
	b.Exec(`UPDATE executions SET poke_at = clock_timestamp() WHERE poke_at IS NOT NULL`)
	none, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestWithoutRoomAPokeIsLeftToBeClaimed(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	r := &relay{full: true}
	b.OnPokes(r.room)
	b.Accept("people", "k")
	claimed, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, claimed, 1)
}

// trapped is a context that panics at its first use after it was armed.
type trapped struct {
	context.Context
	armed atomic.Bool
}

func (c *trapped) Done() <-chan struct{} {
	if c.armed.Swap(false) {
		panic("armed")
	}
	return c.Context.Done()
}

func TestRoomIsGivenUpWhenTheCommitPanics(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	r := &relay{}
	ctx := &trapped{Context: t.Context()}
	b.OnPokes(func() execution.Handover {
		ctx.armed.Store(true) // what comes next is to store
		return r.room()
	})
	require.PanicsWithValue(t, "armed", func() { _, _ = b.Cancel(ctx, modelstest.Workspace, d.ExecutionID, "", "someone", "") })
	require.Equal(t, []*execution.Poke{nil}, r.taken)
	require.PanicsWithValue(t, "armed", func() {
		_, _ = b.Dispatch(ctx, modelstest.Workspace, execution.Dispatch{DefinitionID: "people", KeySpace: contract.KeysOfCallers, Key: "other"})
	})
	require.Equal(t, []*execution.Poke{nil, nil}, r.taken)
}

func TestRoomIsGivenUpWhenNothingIsCommitted(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	r := &relay{}
	b.OnPokes(r.room)
	b.Exec(`ALTER TABLE events ADD CONSTRAINT refuses CHECK (false) NOT VALID`)
	_, err := b.Dispatch(t.Context(), modelstest.Workspace, execution.Dispatch{DefinitionID: "people", KeySpace: contract.KeysOfCallers, Key: "k"})
	require.Error(t, err)
	require.Equal(t, []*execution.Poke{nil}, r.taken)
}

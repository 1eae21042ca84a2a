package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
)

// Of a stopped workspace no attempt begins, no destination wants its run, and what is under way is
// recorded once; then the rest goes on.
func TestNothingOfAStoppedWorkspaceIsSent(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(100)
	underWay := p.claimUpTo(dst, 40).Rows
	require.Len(t, underWay, 40)
	p.exec(`UPDATE workspaces SET suspended_at = now(), stopped_at = now()`)
	claimed := p.claimUpTo(dst, 40)
	require.Empty(t, claimed.Rows)
	require.False(t, claimed.More, "whoever sends does not ask again and again")
	require.Equal(t, 40, p.record(webhook.OK, underWay...).Kept)
	require.NoError(t, p.UnlockDestination(t.Context(), sender, dst, owner, false))
	state, err := p.State(t.Context(), dst)
	require.NoError(t, err)
	require.Nil(t, state.Next)
	require.Equal(t, 60, state.Waiting)
	due, err := p.ClaimDue(t.Context(), []string{dst})
	require.NoError(t, err)
	require.Empty(t, due)

	p.exec(`UPDATE workspaces SET suspended_at = NULL, stopped_at = NULL`)
	due, err = p.ClaimDue(t.Context(), []string{dst})
	require.NoError(t, err)
	require.Len(t, due, 1)
	p.lock(dst)
	require.Equal(t, 60, p.record(webhook.OK, p.claimUpTo(dst, 100).Rows...).Kept)
	attempts := 0
	for _, view := range p.all("exec_1") {
		attempts += len(view.Attempts)
	}
	require.Equal(t, 100, attempts, "each once")
}

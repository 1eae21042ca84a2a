package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// TestSmoke is one test through everything: it is run a second time against a
// program with the race detector.
func TestSmoke(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Pipeline(env)
	r := kit.Dispatch(env, definition, kit.Key("order:1"), kit.WithReceiver(env, "/events"))
	require.Equal(t, r.ID, kit.Dispatch(env, definition, kit.Key("order:1")).ID)
	follower := r.Follow()
	r.WaitsAt("review")
	require.Equal(t, []string{r.ID}, kit.Inbox(env, "ann"))
	require.True(t, r.Decide("review", "ann", "approve", "good").ResumeScheduled)
	r.Ends("completed")
	events := follower.Settle()
	for i, request := range kit.BySeq(t, env.Arrived("/events", receiver.Count(len(events)))) {
		require.NoError(t, receiver.Verify(request, kit.Secret))
		require.Equal(t, events[i].EventID, request.Header.Get("webhook-id"))
	}
	r.Delivered()
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)

	other := kit.Dispatch(env, kit.SignOff(env))
	other.WaitsAt("review")
	require.True(t, other.Cancel())
}

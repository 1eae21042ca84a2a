package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
)

// TestSmoke is one story through everything: it is run a second time against a
// program with the race detector.
func TestSmoke(t *testing.T) {
	s := begin(t)
	definition := s.pipeline()
	r := s.dispatch(definition, key("order:1"), s.withReceiver("/events"))
	require.Equal(t, r.id, s.dispatch(definition, key("order:1")).id)
	follower := r.follow()
	r.waitsAt("review")
	require.Equal(t, []string{r.id}, inbox(s, "ann"))
	require.True(t, r.decide("review", "ann", "approve", "good").ResumeScheduled)
	r.ends("completed")
	events := follower.settle()
	for i, request := range bySeq(t, s.arrived("/events", receiver.Count(len(events)))) {
		require.NoError(t, receiver.Verify(request, secret))
		require.Equal(t, events[i].EventID, request.Header.Get("webhook-id"))
	}
	r.delivered()
	s.once("/before", 1)
	s.once("/after", 1)

	other := s.dispatch(s.signOff())
	other.waitsAt("review")
	require.True(t, other.cancel())
}

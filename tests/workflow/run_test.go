package workflow

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

// history are all events, internal ones too.
func history(r *kit.Run, types ...string) []redline.Event {
	r.S.T.Helper()
	all, err := r.S.Workspace.AllEvents(r.S.Ctx, r.ID, true)
	require.NoError(r.S.T, err, "getEvents")
	return kit.OfType(all, types...)
}

// names are the types of events in their order.
func names(events []redline.Event) []string {
	found := make([]string, len(events))
	for i, event := range events {
		found[i] = event.Type
	}
	return found
}

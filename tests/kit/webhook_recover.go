package kit

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// RecoveryView is how far a recovery is.
type RecoveryView struct {
	RecoveryID, EndpointID, Since, Until, Status string
	Examined, Requeued                           int
}

// Recover begins a recovery of what an endpoint missed since a time and returns it.
func Recover(env *Env, endpointID string, since time.Time, more ...map[string]any) RecoveryView {
	env.T.Helper()
	var begun client.Wrapped[RecoveryView]
	env.Call(client.RecoverMissed, Merged(map[string]any{"endpointId": endpointID, "since": since.UnixMilli()}, more...), &begun)
	require.Equal(env.T, []string{"running", endpointID}, []string{begun.Data.Status, begun.Data.EndpointID})
	return begun.Data
}

package kit

import (
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Recover begins a recovery of what an endpoint missed since a time and returns it.
func Recover(env *Env, endpointID string, since time.Time, more ...map[string]any) redline.Recovery {
	env.T.Helper()
	var begun redline.RecoveryResult
	env.Call(client.RecoverMissed, Merged(map[string]any{"endpointId": endpointID, "since": since.UnixMilli()}, more...), &begun)
	require.Equal(env.T, []string{"running", endpointID}, []string{string(begun.Data.Status), begun.Data.EndpointID})
	return begun.Data
}

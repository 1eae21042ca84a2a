package kit

import (
	"github.com/redline-svc/redline/tests/kit/client"
)

type rotatedView struct {
	EndpointID, Secret      string
	PreviousSecretsExpireAt *string
}

// Rotate returns an endpoint a new secret.
func Rotate(env *Env, endpointID string, more ...map[string]any) rotatedView {
	env.T.Helper()
	var rotated client.Wrapped[rotatedView]
	env.Call(client.RotateSecret, Merged(Of(endpointID), more...), &rotated)
	return rotated.Data
}

func Grace(seconds int) map[string]any { return map[string]any{"gracePeriodSeconds": seconds} }

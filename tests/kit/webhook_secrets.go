package kit

import (
	"github.com/redline-svc/redline/tests/kit/client"
)

// RotatedView is what the rotation of a secret returns.
type RotatedView struct {
	EndpointID, Secret      string
	PreviousSecretsExpireAt *string
}

// Rotate makes a new secret for an endpoint and returns it.
func Rotate(env *Env, endpointID string, more ...map[string]any) RotatedView {
	env.T.Helper()
	var rotated client.Wrapped[RotatedView]
	env.Call(client.RotateSecret, Merged(Of(endpointID), more...), &rotated)
	return rotated.Data
}

// Grace sets for how long the secret before a rotation stays valid.
func Grace(seconds int) map[string]any { return map[string]any{"gracePeriodSeconds": seconds} }

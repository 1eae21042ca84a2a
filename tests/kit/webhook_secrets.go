package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Rotate makes a new secret for an endpoint and returns it.
func Rotate(env *Env, endpointID string, more ...map[string]any) redline.RotatedSecret {
	env.T.Helper()
	var rotated redline.RotatedSecretResult
	env.Call(client.RotateSecret, Merged(Of(endpointID), more...), &rotated)
	return rotated.Data
}

// Grace sets for how long the secret before a rotation stays valid.
func Grace(seconds int) map[string]any { return map[string]any{"gracePeriodSeconds": seconds} }

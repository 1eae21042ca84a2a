package kit

import (
	"github.com/redline-svc/redline/tests/kit/client"
)

// Elsewhere makes another workspace at the same process.
func Elsewhere(env *Env) *Env {
	env.T.Helper()
	other := NewWorkspaceAt(env.T, env.Owner.BaseURL)
	other.Database, other.Trusted = env.Database, env.Trusted
	return other
}

// Public returns a session at the same process without credentials.
func Public(env *Env) *client.Session { return client.Public(env.Owner.BaseURL) }

package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// SignedOff creates a definition in which ann decides and a receiver is called then, and returns
// its id.
func SignedOff(env *Env) string {
	env.T.Helper()
	return Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Hook("publish", env.Receiver().URL("/publish"))},
		client.Both("review", "publish")...)
}

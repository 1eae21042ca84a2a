package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Notifies starts an execution of a definition of one notification node.
func Notifies(env *Env, node client.Node, change ...func(*redline.DispatchRequest)) *Run {
	env.T.Helper()
	return Dispatch(env, Define(env, []client.Node{node}), change...)
}

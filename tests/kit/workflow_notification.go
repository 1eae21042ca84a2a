package kit

import (
	"github.com/redline-svc/redline/tests/kit/client"
)

// Notifies starts an execution of a definition of one notification node.
func Notifies(env *Env, node client.Node, change ...func(*client.Dispatch)) *Run {
	env.T.Helper()
	return Dispatch(env, Define(env, []client.Node{node}), change...)
}

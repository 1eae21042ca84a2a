package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
)

// Notifies starts an execution of a definition of one notification node.
func Notifies(env *Env, node redline.NodeInput, change ...func(*redline.DispatchRequest)) *Run {
	env.T.Helper()
	return Dispatch(env, Define(env, []redline.NodeInput{node}), change...)
}

package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// Retry requires that the execution is retried, without the steps of skip, and returns it.
func (r *Run) Retry(skip ...string) (view redline.Execution) {
	r.S.T.Helper()
	r.S.Call(client.RetryExecution, map[string]any{"executionId": r.ID, "actorId": "boss", "reason": "again", "skipStepIds": append([]string{}, skip...)}, &view)
	return view
}

// Fails makes the receiver refuse the first call at a path for good and take the others.
func Fails(env *Env, path string) {
	env.T.Helper()
	env.Receiver().AnswerBy(path, func(n int, _ receiver.Request) receiver.Answer {
		return receiver.Status(map[bool]int{true: 400, false: 200}[n == 1])
	})
}

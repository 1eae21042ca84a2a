package platform

import (
	"testing"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestAuthTokenReset_5_RunningWorkGoesOn(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	step := r.WaitsAt("review")
	source := kit.Ingest(env, "Invoices are paid within thirty days.")
	fresh := kit.Reset(env, env.Workspace.APIKey)
	env.Keyed = kit.KeySession(env.Keyed, env.Workspace.APIKey, fresh.Token)
	env.Workspace.Keyed = env.Keyed
	env.Call(client.RecordDecision, map[string]any{
		"executionId": r.ID, "stepId": step.StepID, "reviewerId": "ann", "decision": "approve",
	}, nil)
	r.Ends("completed")
	env.Arrived("/events", func(got []receiver.Request) bool { return len(got) >= len(r.Events()) })
	kit.BroughtIn(env, source, "completed")
}

package workflow

import (
	"strings"
	"testing"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// waitingSince is how the UI writes that a step waits, and since when.
func waitingSince(step redline.Step) string {
	return step.NodeID + ": waiting since " + time.UnixMilli(*step.StartedAt).UTC().Format(time.RFC3339)
}

func TestTemporal_DetailsNameAgentsAndCallbacks(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Agent("check", "checker"), kit.Later("author", env.Receiver().URL("/cms"))}))
	of := open(o, r)
	for node, whom := range map[string]string{"check": "the agent checker", "author": "the callback of its receiver"} {
		line := waitingSince(r.WaitsAt(node)) + ", for " + whom
		kit.RequireEventually(t, line, func() bool { return strings.Contains(o.Details(of), line) })
	}
}

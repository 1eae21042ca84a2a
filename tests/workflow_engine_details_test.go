package tests

import (
	"strings"
	"testing"
	"time"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// waitingSince is how the UI writes that a step waits, and since when.
func waitingSince(step client.Step) string {
	return step.NodeID + ": waiting since " + time.UnixMilli(*step.StartedAt).UTC().Format(time.RFC3339)
}

func TestEngine_DetailsNameAgentsAndCallbacks(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	r := s.dispatch(s.define([]client.Node{client.Agent("check", "checker"), later("author", s.receiver().URL("/cms"))}))
	of := o.open(r)
	for node, whom := range map[string]string{"check": "the agent checker", "author": "the callback of its receiver"} {
		line := waitingSince(r.waitsAt(node)) + ", for " + whom
		eventually(t, line, func() bool { return strings.Contains(o.details(of), line) })
	}
}

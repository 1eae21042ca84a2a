package kit

import (
	"encoding/json"
	"maps"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// AgentCall is what an agent is sent.
type AgentCall struct {
	ExecutionID, StepID, NodeID, AgentID string
	Input                                map[string]json.RawMessage
	Attempt                              int
	Callback                             struct {
		Path, URL, Token, TokenHeader string
		ExpiresAt                     int64
	}
}

// AsksAgent dispatches a definition of one agent's node.
func AsksAgent(env *Env, node client.Node, change ...func(*client.Dispatch)) *Run {
	env.T.Helper()
	return Dispatch(env, Define(env, []client.Node{node}), change...)
}

// CalledAgent is what the agent at a path was sent first.
func CalledAgent(env *Env, path string) AgentCall {
	env.T.Helper()
	requests, err := env.Receiver().Wait(env.Ctx, path, receiver.Count(1))
	require.NoError(env.T, err)
	var call AgentCall
	require.NoError(env.T, json.Unmarshal(requests[0].Body, &call))
	return call
}

// Resolves is the data of a resolution of the step.
func (r *Run) Resolves(node, responseID, word string, more ...map[string]any) map[string]any {
	r.S.T.Helper()
	data := map[string]any{"executionId": r.ID, "stepId": r.Step(node).StepID, "responseId": responseID, "resolution": word}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

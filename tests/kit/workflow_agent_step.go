package kit

import (
	"encoding/json"
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// AgentCall is what an agent is sent.
type AgentCall struct {
	ExecutionID string                     `json:"executionId"`
	StepID      string                     `json:"stepId"`
	NodeID      string                     `json:"nodeId"`
	AgentID     string                     `json:"agentId"`
	Input       map[string]json.RawMessage `json:"input"`
	Attempt     int                        `json:"attempt"`
	Callback    struct {
		Path        string `json:"path"`
		URL         string `json:"url"`
		Token       string `json:"token"`
		TokenHeader string `json:"tokenHeader"`
		ExpiresAt   int64  `json:"expiresAt"`
	} `json:"callback"`
}

// AsksAgent starts an execution of a definition of one agent's node.
func AsksAgent(env *Env, node redline.NodeInput, change ...func(*redline.DispatchRequest)) *Run {
	env.T.Helper()
	return Dispatch(env, Define(env, []redline.NodeInput{node}), change...)
}

// CalledAgent waits until the agent at a path is called and returns what it was sent first.
func CalledAgent(env *Env, path string) AgentCall {
	env.T.Helper()
	requests, err := env.Receiver().Wait(env.Ctx, path, receiver.Count(1))
	require.NoError(env.T, err)
	var call AgentCall
	require.NoError(env.T, json.Unmarshal(requests[0].Body, &call))
	return call
}

// Resolves returns the data of a request that resolves the only step of a node with a word.
func (r *Run) Resolves(node, responseID, word string, more ...map[string]any) map[string]any {
	r.S.T.Helper()
	data := map[string]any{"executionId": r.ID, "stepId": r.Step(node).StepID, "responseId": responseID, "resolution": word}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

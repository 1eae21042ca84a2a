package kit

import (
	"maps"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// AgentSecret is the secret of agents in tests that do not try others.
const AgentSecret = "a-secret-of-the-agent"

// AnAgent returns the data of agents/create; changes are its further fields.
func AnAgent(agentID string, changes ...map[string]any) map[string]any {
	data := map[string]any{"agentId": agentID, "name": "Checker", "url": Somewhere, "secret": AgentSecret}
	for _, change := range changes {
		maps.Copy(data, change)
	}
	return data
}

// Register creates an agent.
func Register(env *Env, agentID string, changes ...map[string]any) redline.Agent {
	env.T.Helper()
	var view redline.Agent
	env.Call(client.CreateAgent, AnAgent(agentID, changes...), &view)
	return view
}

// ChangeAgent updates some fields of an agent.
func ChangeAgent(env *Env, agentID string, fields map[string]any) redline.Agent {
	env.T.Helper()
	data := map[string]any{"agentId": agentID}
	maps.Copy(data, fields)
	var view redline.Agent
	env.Call(client.UpdateAgent, data, &view)
	return view
}

// AgentNamed returns a call about the agent with the id.
func AgentNamed(agentID string) map[string]any { return map[string]any{"agentId": agentID} }

package kit

import (
	"maps"

	"github.com/redline-svc/redline/tests/kit/client"
)

// AgentSecret is the secret of agents in tests that do not try others.
const AgentSecret = "a-secret-of-the-agent"

// AgentView is an agent as the operations show it.
type AgentView struct {
	AgentID     string  `json:"agentId"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	URL         string  `json:"url"`
	Disabled    bool    `json:"disabled"`
	CreatedAt   int64   `json:"createdAt"`
	UpdatedAt   int64   `json:"updatedAt"`
}

// AnAgent is the data of agents/create; changes are its further fields.
func AnAgent(agentID string, changes ...map[string]any) map[string]any {
	data := map[string]any{"agentId": agentID, "name": "Checker", "url": Somewhere, "secret": AgentSecret}
	for _, change := range changes {
		maps.Copy(data, change)
	}
	return data
}

func Register(env *Env, agentID string, changes ...map[string]any) AgentView {
	env.T.Helper()
	var view AgentView
	env.Call(client.CreateAgent, AnAgent(agentID, changes...), &view)
	return view
}

// ChangeAgent is agents/update of some fields.
func ChangeAgent(env *Env, agentID string, fields map[string]any) AgentView {
	env.T.Helper()
	data := map[string]any{"agentId": agentID}
	maps.Copy(data, fields)
	var view AgentView
	env.Call(client.UpdateAgent, data, &view)
	return view
}

func AgentNamed(agentID string) map[string]any { return map[string]any{"agentId": agentID} }

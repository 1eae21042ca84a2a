package definition

import (
	"encoding/json"
	"strings"
)

const (
	// AgentRun is the id of the service's own definition, by which one agent runs alone: no caller's id can be it, and no row
	// holds it.
	AgentRun = "__agent"
	// RunNode is its only node.
	RunNode = "agent"
	// runPrefix begins what executions of it have in place of the id of a version.
	runPrefix = "agent:"
)

// RunVersion returns what the execution of a run of an agent has in place of the id of a version.
func RunVersion(agentID string) string { return runPrefix + agentID }

// RunAgent returns the agent of such a run, and whether it is one.
func RunAgent(versionID string) (agentID string, is bool) {
	return strings.CutPrefix(versionID, runPrefix)
}

// RunGraph returns the graph by which an agent runs alone. It looks at the page whose address stands in the triggerContext as
// url.
func RunGraph(agentID string) (*Graph, error) {
	config := map[string]any{"agentId": agentID, "urlPath": "url"}
	text, err := json.Marshal(map[string]any{
		"definitionId": "agent-run", "name": "Agent run", "edges": []any{},
		"nodes": []any{map[string]any{"nodeId": RunNode, "type": AgentNode, "config": config}},
	})
	if err != nil {
		return nil, err
	}
	return GraphOf(text)
}

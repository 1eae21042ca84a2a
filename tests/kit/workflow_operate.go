package kit

import (
	"maps"
)

// By returns the data of a request in which boss acts on the only step of a node.
func (r *Run) By(nodeID string, more map[string]any) map[string]any {
	r.S.T.Helper()
	data := map[string]any{"executionId": r.ID, "stepId": r.Step(nodeID).StepID, "actorId": "boss", "reason": "in a hurry"}
	maps.Copy(data, more)
	return data
}

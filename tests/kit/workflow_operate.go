package kit

import (
	"maps"
)

// By is what boss does to the step of a node.
func (r *Run) By(nodeID string, more map[string]any) map[string]any {
	r.S.T.Helper()
	data := map[string]any{"executionId": r.ID, "stepId": r.Step(nodeID).StepID, "actorId": "boss", "reason": "in a hurry"}
	maps.Copy(data, more)
	return data
}

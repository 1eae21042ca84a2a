package contract

import "time"

// ScheduledInput is all that the runs of a schedule are given: ids.
type ScheduledInput struct {
	WorkspaceID  string `json:"workspaceId"`
	DefinitionID string `json:"definitionId"`
	TriggerID    string `json:"triggerId"`
}

// ScheduleID is the id of the one schedule of the trigger, and the beginning of the ids
// of its runs, to which Temporal adds the instant.
func (s ScheduledInput) ScheduleID() string {
	return "schedule/" + s.WorkspaceID + "/" + s.DefinitionID + "/" + s.TriggerID
}

// FireInput asks to dispatch for one instant of a schedule.
type FireInput struct {
	ScheduledInput

	// At is the instant, in epoch milliseconds.
	At int64 `json:"at"`
}

// FireResult names the execution that answers to the instant; it is empty where the
// trigger is gone or switched off.
type FireResult struct {
	ExecutionID string `json:"executionId,omitempty"`
}

// ScheduleMissed is for how long an instant may wait for Temporal and a worker; then
// it is not made up.
const ScheduleMissed = time.Minute

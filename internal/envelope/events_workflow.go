package envelope

import (
	"encoding/json"
	"fmt"
)

// runSample is the data of an event of an execution as a whole.
func runSample(status, data string) json.RawMessage { return workSample("null", status, data) }

// stepSample is the data of an event of a step.
func stepSample(status, data string) json.RawMessage {
	return workSample(`"step_sign-off_i1_a1_0123456789ab"`, status, data)
}

func workSample(step, status, data string) json.RawMessage {
	if status != "null" {
		status = `"` + status + `"`
	}
	return json.RawMessage(fmt.Sprintf(`{"eventId":"evt_01kdvm9w00abcdefghjkmnpqrs","seq":4,"executionId":"exec_1767225600000_a1b2c3d4",`+
		`"definitionId":"editorial-sign-off","definitionVersion":1,"correlationId":"article-7","stepId":%s,"status":%s,"data":%s}`,
		step, status, data))
}

var workflowEvents = []Event{
	{"execution.dispatched", "an execution was accepted", SourceWorkflow, runSample("pending",
		`{"definitionId":"editorial-sign-off","definitionVersion":1,"rootStepIds":["step_sign-off_i1_a1_0123456789ab"]}`), true},
	{"execution.completed", "an execution ended well", SourceWorkflow, runSample("completed", "null"), true},
	{"execution.failed", "an execution failed", SourceWorkflow, runSample("failed",
		`{"failureReason":{"code":"step-failed","message":"a step failed and nothing leads on"}}`), true},
	{"execution.cancelled", "an execution was cancelled", SourceWorkflow, runSample("cancelled", `{"reason":"withdrawn","actorId":"u_editor"}`), true},
	{"execution.paused", "an execution was paused", SourceWorkflow, runSample("running", `{"actorId":"u_editor","reason":"holidays"}`), true},
	{"execution.resumed", "an execution goes on", SourceWorkflow, runSample("running", `{"actorId":"u_editor"}`), true},
	{"execution.retried", "an execution is tried again", SourceWorkflow, runSample("pending",
		`{"actorId":"u_editor","attempt":2,"stepIds":["step_sign-off_i1_a2_0123456789ab"],"skippedStepIds":[]}`), true},
	{"step.awaiting-approval", "a step waits for somebody", SourceWorkflow, stepSample("waiting",
		`{"waitingForReviewers":["u_editor"],"mandatoryCount":1,"resumeKey":"step_sign-off_i1_a1_0123456789ab"}`), true},
	{"step.completed", "a step ended well", SourceWorkflow, stepSample("completed",
		`{"aggregatorStatus":"resolved","nodeType":"human","decision":"approve"}`), true},
	{"step.failed", "a step failed", SourceWorkflow, stepSample("failed",
		`{"error":{"code":"webhook-http-status","message":"the receiver answered 500 (after 5 tries)"},"httpStatus":500,"latencyMs":12,"retryClass":"transient"}`), true},
	{"step.breached", "a step passed its deadline", SourceWorkflow, stepSample("breached",
		`{"reason":"sla","dueAt":1767225600000}`), true},
	{"step.cancelled", "a step was cancelled", SourceWorkflow, stepSample("cancelled", `{"actorId":"u_editor","reason":"withdrawn"}`), true},
	{"step.reassigned", "a step went to another reviewer", SourceWorkflow, stepSample("waiting",
		`{"fromReviewerId":"u_editor","toReviewerId":"u_chief","actorId":"u_editor","reason":"on leave"}`), true},
	{"group.quorum-met", "a group of steps met its threshold", SourceWorkflow, runSample("null",
		`{"groupId":"readers","total":2,"quorum":2,"completedTotal":2,"expectedSteps":3}`), true},
	{"loop.iteration-started", "the next round of a loop begins", SourceWorkflow, runSample("null",
		`{"loopId":"loop_0123456789ab","iteration":2,"triggeredBy":"rejection"}`), true},
	{"loop.exhausted", "the rounds of a loop are used up", SourceWorkflow, runSample("null",
		`{"loopId":"loop_0123456789ab","iteration":3,"lastRejectedBy":"u_editor","lastRejectionReason":"still too long"}`), true},
}

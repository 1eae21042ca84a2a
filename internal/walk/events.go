package walk

import (
	"strings"

	"github.com/redline-svc/redline/internal/shape"
)

// Shapes of the events' data, in the order in which they are written.
type (
	dispatchedData struct {
		DefinitionID      string   `json:"definitionId"`
		DefinitionVersion int      `json:"definitionVersion"`
		RootStepIDs       []string `json:"rootStepIds"`
	}
	reasonData struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	// byActor is who did something to the execution, and why, where they said so.
	byActor struct {
		ActorID string `json:"actorId,omitempty"`
		Reason  string `json:"reason,omitempty"`
	}
	executionFailedData struct {
		FailureReason reasonData `json:"failureReason"`
	}
	awaitingPeopleData struct {
		Waiting        []string `json:"waitingForReviewers"`
		MandatoryCount int      `json:"mandatoryCount"`
		ResumeKey      string   `json:"resumeKey"`
	}
	peopleCompletedData struct {
		AggregatorStatus string   `json:"aggregatorStatus"`
		NodeType         string   `json:"nodeType"`
		Decision         string   `json:"decision"`
		Overridden       *actMark `json:"overridden,omitempty"`
	}
	mockCompletedData struct {
		AgentID   string `json:"agentId"`
		Synthetic bool   `json:"synthetic"`
		Decision  string `json:"decision"`
	}
	awaitingAgentData struct {
		AgentID          string  `json:"agentId"`
		AgentExecutionID *string `json:"agentExecutionId"`
		PollIntervalMs   int64   `json:"pollIntervalMs"`
	}
	awaitingCallbackData struct {
		CallbackExpected bool `json:"callbackExpected"`
	}
	agentCompletedData struct {
		AgentID              string  `json:"agentId"`
		AgentExecutionID     *string `json:"agentExecutionId"`
		AgentExecutionStatus string  `json:"agentExecutionStatus"`
		Decision             string  `json:"decision"`
		Source               string  `json:"source"`
	}
	agentFailedData struct {
		Error reasonData `json:"error"`
	}
	webhookCompletedData struct {
		HTTPStatus *int   `json:"httpStatus"`
		Decision   string `json:"decision,omitempty"`
	}
	webhookFailedData struct {
		Error      reasonData `json:"error"`
		HTTPStatus *int       `json:"httpStatus"`
		LatencyMs  int64      `json:"latencyMs"`
		RetryClass string     `json:"retryClass"`
	}
	notificationCompletedData struct {
		Channel   string `json:"channel"`
		Delivered int    `json:"delivered"`
	}
	notificationFailedData struct {
		Error      reasonData `json:"error"`
		Channel    string     `json:"channel"`
		RetryClass string     `json:"retryClass"`
	}
	retriedData struct {
		Error      reasonData `json:"error"`
		RetryCount int        `json:"retryCount"`
		NextTryAt  int64      `json:"nextTryAt"`
	}
	breachedData struct {
		Reason string `json:"reason"`
		DueAt  int64  `json:"dueAt"`
	}
	quorumData struct {
		GroupID        string `json:"groupId"`
		Total          int    `json:"total"`
		Quorum         int    `json:"quorum"`
		CompletedTotal int    `json:"completedTotal"`
		ExpectedSteps  int    `json:"expectedSteps"`
	}
	iterationData struct {
		LoopID      string `json:"loopId"`
		Iteration   int    `json:"iteration"`
		TriggeredBy string `json:"triggeredBy"`
	}
	exhaustedData struct {
		LoopID              string `json:"loopId"`
		Iteration           int    `json:"iteration"`
		LastRejectedBy      string `json:"lastRejectedBy,omitempty"`
		LastRejectionReason string `json:"lastRejectionReason,omitempty"`
	}
	responseData struct {
		ReviewerID string `json:"reviewerId"`
		Decision   string `json:"decision"`
		Reason     string `json:"reason,omitempty"`
	}
)

// internalEvents are kept for readers who ask for them and never delivered.
var internalEvents = map[string]bool{
	"step.scheduled": true, "step.started": true, "step.retried": true, "step.resumed": true,
	"step.response-recorded": true, "step.overridden": true, "step.skipped": true,
	"parallel-group.completed": true,
}

// emit writes the next event; its status is that of the step or the execution
// at this moment. Those of groups and loops have none.
func (w *Walk) emit(kind string, s *Step, data any) {
	w.state.Seq++
	e := Event{Seq: w.state.Seq, Type: kind, Internal: internalEvents[kind]}
	switch {
	case s != nil:
		e.StepID, e.Status = s.ID, string(s.Status)
	case strings.HasPrefix(kind, "execution."):
		e.Status = string(w.state.Status)
	}
	if data != nil {
		e.Data = shape.Encode(data)
	}
	w.events = append(w.events, e)
}

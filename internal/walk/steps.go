package walk

import (
	"encoding/json"
	"fmt"

	"github.com/redline-svc/redline/internal/definition"
)

// create makes the step of a node once per iteration and attempt, and starts it
// unless the execution is pending or paused. A node that has its step already
// absorbs the edge.
func (w *Walk) create(node *definition.Node, iteration int, input json.RawMessage) {
	at := stepKey{node.ID, iteration, w.state.Attempt}
	if w.started[at] != nil || w.state.Status.Final() {
		return
	}
	if len(w.state.Steps) >= MaxSteps {
		w.fail("step-limit", fmt.Sprintf("the execution would need more than %d steps", MaxSteps))
		return
	}
	s := &Step{
		ID: StepID(w.state.ExecutionID, node.ID, iteration, w.state.Attempt), NodeID: node.ID,
		NodeType: string(node.Type), NodeName: nameOf(node), GroupID: node.GroupID, Iteration: iteration, Attempt: w.state.Attempt,
		Ordinal: len(w.state.Steps) + 1, Status: StepPending, Input: input, CreatedAt: w.now, isNew: true,
	}
	if node.Human != nil {
		for _, r := range node.Human.Reviewers {
			s.Reviewers = append(s.Reviewers, Reviewer{UserID: r.UserID, Mandatory: r.Mandatory, changed: true})
		}
	}
	w.state.Steps = append(w.state.Steps, s)
	w.started[at] = s
	w.emit("step.scheduled", s, nil)
	if w.state.Status == Running && w.state.PausedAt == 0 {
		w.start(s, node)
	}
}

// start begins the work of a step: people are asked, the mock agent is done at
// once, a call is due now.
func (w *Walk) start(s *Step, node *definition.Node) {
	s.changed, s.StartedAt = true, w.now
	if node.SLAMs > 0 {
		s.DueAt = w.now + node.SLAMs
	}
	switch node.Type {
	case definition.HumanNode:
		w.startPeople(s, node.Human)
	case definition.AgentNode:
		w.startMock(s)
	default:
		s.Status, s.NextTryAt = StepRunning, w.now
		w.emit("step.started", s, nil)
	}
}

func (w *Walk) startPeople(s *Step, work *definition.Human) {
	s.Status = StepWaiting
	w.emit("step.started", s, nil)
	waiting, mandatory := make([]string, len(s.Reviewers)), 0
	for i, r := range s.Reviewers {
		waiting[i] = r.UserID
		if r.Mandatory {
			mandatory++
		}
		s.Reviewers[i].changed = true // from now on the step is open for this person
	}
	s.Output = peopleOutput(s, work, "pending", w.now)
	w.emit("step.awaiting-approval", s, awaitingPeopleData{waiting, mandatory, s.ID})
}

// mockOutput is what the agent that only approves leaves behind: the keys that
// every agent leaves, of which nothing ran, looked at a page or took time.
type mockOutput struct {
	AgentID              string  `json:"agentId"`
	Synthetic            bool    `json:"synthetic"`
	AgentExecutionID     *string `json:"agentExecutionId"`
	AgentExecutionStatus string  `json:"agentExecutionStatus"`
	Resolution           string  `json:"resolution"`
	ResolvedURL          *string `json:"resolvedUrl"`
	AgentDurationMs      int64   `json:"agentDurationMs"`
	Decision             string  `json:"decision"`
	Approved             bool    `json:"approved"`
}

func (w *Walk) startMock(s *Step) {
	s.Status = StepRunning
	w.emit("step.started", s, nil)
	s.Output = encode(mockOutput{
		AgentID: definition.MockAgent, Synthetic: true, AgentExecutionStatus: string(Completed),
		Resolution: "resolved", Decision: ApproveWord, Approved: true,
	})
	s.Decision = ApproveWord
	w.end(s, StepCompleted, ByItself, "step.completed", mockCompletedData{definition.MockAgent, true, ApproveWord})
}

// end ends a step, emits its event, and follows its edges.
func (w *Walk) end(s *Step, status StepStatus, by Ended, event string, data any) {
	w.close(s, status, by)
	w.emit(event, s, data)
	w.follow(s)
}

// close marks the end of a step; nothing of it is driven any more.
func (w *Walk) close(s *Step, status StepStatus, by Ended) {
	s.Status, s.EndedBy, s.CompletedAt, s.changed = status, by, w.now, true
	s.HeldUntil, s.NextTryAt, s.QueuedAt = 0, 0, 0
}

// stepCancelled is the data of step.cancelled.
type stepCancelled struct {
	ActorID string `json:"actorId"`
	Reason  string `json:"reason"`
}

// cancelLive ends every live step for a reason of the service's own.
func (w *Walk) cancelLive(actor, reason string) {
	for _, s := range w.state.Steps {
		if s.Status.Live() {
			w.close(s, StepCancelled, BySystem)
			w.emit("step.cancelled", s, stepCancelled{actor, reason})
		}
	}
}

func nameOf(node *definition.Node) string {
	if node.Name != "" {
		return node.Name
	}
	return node.ID
}

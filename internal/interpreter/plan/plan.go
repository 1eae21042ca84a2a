package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
)

// Of is what Temporal has to drive of a state, seen at now, epoch
// milliseconds. While an execution is paused, or its workspace stopped, nothing of it is driven.
func Of(s *interpreter.State, now int64) contract.Plan {
	p := contract.Plan{Revision: s.Revision, Status: string(s.Status), Failure: s.FailureCode, Details: details(s)}
	if s.Status.Final() || s.Halted() {
		return p
	}
	for _, step := range s.Steps {
		if step.Status.Live() {
			p.Live = append(p.Live, live(step, now))
		}
	}
	return p
}

func live(s *interpreter.Step, now int64) contract.LiveStep {
	l := contract.LiveStep{StepID: s.ID, NodeID: s.NodeID, Need: contract.NeedWait, Try: s.Calls}
	l.Shown = contract.Shown{Status: string(s.Status), Since: s.StartedAt, DueAt: s.DueAt, WaitingFor: WaitingFor(s)}
	if s.Calling() {
		l.Need = contract.NeedCall
		if s.QueuedAt == 0 {
			l.StartIn = in(max(s.NextTryAt, s.LockedUntil), now)
		}
	}
	if end := s.EndsAt(); end != 0 {
		l.DueIn = in(end, now)
	}
	return l
}

func in(at, now int64) *int64 {
	ms := max(0, at-now)
	return &ms
}

// DriveDue is the earliest time at which a live step wants Temporal, zero
// when none does: a call's start or the end of its hold, or a deadline. A call
// that waits for a slot wants nothing of Temporal before it is given one.
func DriveDue(s *interpreter.State) int64 {
	var first int64
	if s.Status.Final() || s.PausedAt != 0 {
		return 0
	}
	for _, step := range s.Steps {
		if !step.Status.Live() {
			continue
		}
		due := step.EndsAt()
		if start := max(step.NextTryAt, step.LockedUntil); step.Calling() && step.QueuedAt == 0 && (due == 0 || start < due) {
			due = start
		}
		if due != 0 && (first == 0 || due < first) {
			first = due
		}
	}
	return first
}

// maxDetails keeps the text for Temporal's UI readable and small, in steps.
const maxDetails = 20

// details is the text for people: the live steps, since when, and for whom they
// wait.
func details(s *interpreter.State) string {
	if s.Status == interpreter.Failed {
		return "failed: " + s.FailureCode
	}
	if s.Status.Final() {
		return string(s.Status)
	}
	lines := []string{string(s.Status)}
	if s.PausedAt != 0 {
		lines[0] += ", paused since " + since(s.PausedAt)
	}
	left := 0
	for _, step := range s.Steps {
		switch {
		case !step.Status.Live():
		case len(lines) > maxDetails:
			left++
		default:
			lines = append(lines, line(step, s.PausedAt != 0))
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(lines, "\n\n")
}

func line(s *interpreter.Step, paused bool) string {
	text := fmt.Sprintf("%s: %s", s.NodeID, s.Status)
	if s.StartedAt != 0 {
		text += " since " + since(s.StartedAt)
	}
	if waiting := WaitingFor(s); len(waiting) > 0 {
		text += ", for " + strings.Join(waiting, ", ")
	}
	switch {
	case s.Agent != nil:
		text += ", for the agent " + s.Agent.AgentID
	case s.NodeType == string(definition.WebhookNode) && s.Status == interpreter.StepWaiting:
		text += ", for the callback of its receiver"
	}
	if s.Retries > 0 {
		text += fmt.Sprintf(", failed tries: %d", s.Retries)
	}
	if s.DueAt != 0 && !paused {
		text += ", due " + since(s.DueAt)
	}
	return text
}

// WaitingFor are the people for whom a step waits.
func WaitingFor(s *interpreter.Step) []string {
	var waiting []string
	for _, r := range s.Reviewers {
		if s.Open(r) {
			waiting = append(waiting, r.UserID)
		}
	}
	return waiting
}

// since writes epoch milliseconds as the people at Temporal's UI read them.
func since(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

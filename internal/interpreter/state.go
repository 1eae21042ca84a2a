package interpreter

import (
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

// Status is the state of an execution.
type Status string

// The states of an execution; the last three are final.
const (
	Pending   Status = "pending"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Final reports whether an execution in this state takes no further course.
func (s Status) Final() bool { return s == Completed || s == Failed || s == Cancelled }

// StepStatus is the state of a step.
type StepStatus string

// The states of a step; the first three are live.
const (
	StepPending   StepStatus = "pending"
	StepRunning   StepStatus = "running"
	StepWaiting   StepStatus = "waiting"
	StepCompleted StepStatus = "completed"
	StepFailed    StepStatus = "failed"
	StepBreached  StepStatus = "breached"
	StepCancelled StepStatus = "cancelled"
	StepSkipped   StepStatus = "skipped"
)

// Live reports whether a step in this state has not ended.
func (s StepStatus) Live() bool {
	return s == StepPending || s == StepRunning || s == StepWaiting
}

// Words of a decision.
const (
	ApproveWord = "approve"
	RejectWord  = "reject"
)

// Ended names what ended a step.
type Ended string

// What may end a step.
const (
	ByReviewers Ended = "reviewers"
	ByCall      Ended = "call"
	ByAgent     Ended = "agent"
	ByCallback  Ended = "callback"
	ByItself    Ended = "itself"
	BySystem    Ended = "system"
	// ByFailure is of the steps that lived when the execution failed.
	ByFailure  Ended = "failure"
	ByDeadline Ended = "deadline"
	ByOperator Ended = "operator"
)

// MaxSteps is how many steps an execution may have; the next one fails it.
const MaxSteps = 2000

// State is an execution as its rows hold it. Times are epoch milliseconds, zero
// where there is none.
type State struct {
	ExecutionID string
	Status      Status
	Attempt     int
	// Seq is the number of the newest event, Revision that of the newest plan.
	Seq, Revision int64
	// Input is the triggerContext; it may be nil when no edge reads it.
	Input       json.RawMessage
	CompletedAt int64
	CancelledAt int64
	PausedAt    int64
	// Stopped says that an operator has stopped the work of the workspace: nothing is driven, and
	// what comes due waits. Unlike a pause it moves no time.
	Stopped        bool
	FailureCode    string
	FailureMessage string
	// Substitutes stand for reviewers in the order in which they came.
	Substitutes []Substitute
	// Groups is what is known of groups, by iteration and attempt.
	Groups []*GroupState
	// Steps are in order of creation. Of ended steps inputs and outputs need not be
	// loaded, apart from outputs of members of groups and inputs of entries of loops in
	// the newest iteration.
	Steps []*Step
}

// Halted reports whether nothing of the execution is driven, though it has not ended.
func (s *State) Halted() bool { return s.PausedAt != 0 || s.Stopped }

// Step is one run of a node in one iteration and attempt.
type Step struct {
	ID, NodeID, NodeType string
	// NodeName is the name of the node, or its id.
	NodeName        string
	GroupID, LoopID string
	// RestartOf is the step of an earlier attempt whose input this one has, in the interpreter
	// that makes it.
	RestartOf string
	// LoopEntry says that an iteration of the loop began with this step.
	LoopEntry          bool
	Iteration, Attempt int
	Ordinal            int
	Status             StepStatus
	Decision           string
	EndedBy            Ended
	// EndAction and EndActor are set on a step that was ended by hand.
	EndAction Action
	EndActor  string
	// Routed says that an edge took the end of this step.
	Routed        bool
	Input, Output json.RawMessage
	ErrorCode     string
	ErrorMessage  string
	CreatedAt     int64
	StartedAt     int64
	CompletedAt   int64
	// DueAt is the deadline. While the execution is paused it, TimeoutAt and NextTryAt are
	// as far from PausedAt as they will be from the moment at which it goes on.
	DueAt int64
	// TimeoutAt is when an agent's time is over.
	TimeoutAt int64
	// Agent is what a step has whose agent is called; nil for others.
	Agent *resolution.Work
	// Callback is what the receiver of an asynchronous webhook step said; nil before.
	Callback *Callback
	// Reviewers are the people of a human step that has started.
	Reviewers []Reviewer
	// Retries counts recorded failures, Calls the calls begun.
	Retries, Calls int
	LockedUntil    int64
	NextTryAt      int64
	// QueuedAt is since when the call waits for one of the workspace's slots.
	QueuedAt int64

	isNew, changed bool
	// rejection is who rejected, where this interpreter ended the step with that decision.
	rejection *rejection
}

// rejection is a rejection that may lead back: by whom, and why. An operator's has
// none.
type rejection struct {
	by        string
	mandatory bool
	reason    string
}

// Reviewer is a person of a human step and what this person said.
type Reviewer struct {
	UserID    string
	Mandatory bool
	Decision  string
	Reason    string
	At        int64
	// Replaces is whom this person was put in the place of, if of anybody.
	Replaces string

	changed bool
	left    string
}

// New reports whether the step was created by this interpreter.
func (s *Step) New() bool { return s.isNew }

// Changed reports whether this interpreter changed the step or created it.
func (s *Step) Changed() bool { return s.changed || s.isNew }

// Changed reports whether this interpreter recorded what the reviewer said.
func (r Reviewer) Changed() bool { return r.changed }

// Left is who gave way to this reviewer in this interpreter, empty for none.
func (r Reviewer) Left() string { return r.left }

// Open reports whether the step waits for this reviewer.
func (s *Step) Open(r Reviewer) bool { return s.Status == StepWaiting && r.Decision == "" }

// Asked are the people for whom the step waits since this interpreter: all of one that began to
// wait, who came in another's place.
func (s *Step) Asked() []string {
	var asked []string
	for _, r := range s.Reviewers {
		if r.changed && s.Open(r) {
			asked = append(asked, r.UserID)
		}
	}
	return asked
}

// EndsAt is when a step ends by itself: at its deadline, or when its agent's time is
// over; zero for never.
func (s *Step) EndsAt() int64 {
	if s.DueAt == 0 || s.TimeoutAt != 0 && s.TimeoutAt < s.DueAt {
		return s.TimeoutAt
	}
	return s.DueAt
}

// Event is one fact of an execution's course.
type Event struct {
	Seq    int64
	Type   string
	StepID string
	// Status is the step's for step events, the execution's for execution
	// events, else empty.
	Status   string
	Internal bool
	Data     json.RawMessage
}

// Change is what an interpreter did beside the state itself.
type Change struct {
	Events []Event
	// Drives says that Temporal has something new to do: a call, a deadline,
	// an end. Details says that only the text for people changed.
	Drives, Details bool
}

// Any reports whether there is anything to store.
func (c Change) Any() bool { return len(c.Events) > 0 || c.Drives || c.Details }

// Step is the step of that id, nil for none.
func (s *State) Step(id string) *Step {
	if i := slices.IndexFunc(s.Steps, func(step *Step) bool { return step.ID == id }); i >= 0 {
		return s.Steps[i]
	}
	return nil
}

// KeptGroups are the groups of which something is decided, nil for none: of the others
// nothing has to be kept.
func (s *State) KeptGroups() *[]*GroupState {
	kept := slices.DeleteFunc(slices.Clone(s.Groups), func(g *GroupState) bool { return !g.Met && !g.Missed && !g.Decided })
	if len(kept) == 0 {
		return nil
	}
	return &kept
}

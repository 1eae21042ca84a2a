package resolution

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/redline-svc/redline/internal/definition"
)

// Words of a resolution.
const (
	Resolved = "resolved"
	Rejected = "rejected"
)

// Who settled an agent's step: the answer to the call itself, somebody with the token
// of the step, or somebody with the keys of the workspace.
const (
	FromAgent    = "agent"
	FromCallback = "callback"
	FromOperator = "operator"
)

// Resolution is what an agent, or somebody for it, says of its step. Word is resolved or
// rejected; Output is a JSON object or nil; Source is one of the three above.
type Resolution struct {
	StepID     string          `json:"-"`
	ResponseID string          `json:"responseId,omitempty"`
	Word       string          `json:"resolution"`
	ActorID    string          `json:"actorId"`
	Reason     string          `json:"reason,omitempty"`
	Source     string          `json:"source"`
	Output     json.RawMessage `json:"output,omitempty"`
}

// Decision is the decision of a step that the resolution settles.
func (r Resolution) Decision() string {
	if r.Word == Rejected {
		return string(definition.Reject)
	}
	return string(definition.Approve)
}

// Reply is what an agent's answer to its call carried; what it did not is empty. A
// Word settles the step at once.
type Reply struct {
	// Lost says that the answer was not read, although a resolution shows that the agent
	// took the call.
	Lost bool
	// AgentName is its name in the registry.
	AgentName    string
	ExecutionID  string
	ResponseIDs  []string
	Word, Reason string
	Output       json.RawMessage
}

// Work is what a step of an agent has beside its state.
type Work struct {
	AgentID string `json:"agentId"`
	// ExecutionID is the agent's own name of its run, empty where it gave none.
	ExecutionID string `json:"executionId,omitempty"`
	// ResponseIDs are what a blocking agent announced: each is settled by itself.
	ResponseIDs []string `json:"responseIds,omitempty"`
	// Answers are the recorded resolutions in their order. Before the agent took the
	// step they are kept, with their outputs.
	Answers []Resolution `json:"answers,omitempty"`
}

// maxResponses is how many responses a blocking agent may announce.
const maxResponses = 500

// maxKept bounds the outputs that a step keeps before its agent took it, in bytes.
const maxKept = 1 << 20

// Take notes the answer to the call. What was recorded before counts before what the
// answer itself says. It reports false when the agent is blocking and does not list the
// responses that it waits for.
func (work *Work) Take(a *definition.Agent, reply Reply) bool {
	work.ExecutionID = reply.ExecutionID
	switch {
	case reply.Word != "" && work.Settling(a) != nil:
	case reply.Word != "":
		work.Answers = append(work.Answers, Resolution{
			Word: reply.Word, ActorID: work.AgentID, Reason: reply.Reason, Source: FromAgent, Output: reply.Output,
		})
	case reply.Lost: // what it announced is not known: any response counts
	case a.Blocking && (len(reply.ResponseIDs) == 0 || len(reply.ResponseIDs) > maxResponses):
		return false
	case a.Blocking:
		work.announce(a, reply.ResponseIDs)
	}
	return true
}

// announce keeps what the step waits for, and of the answers those that are about it. Where
// that is less than the policy needs it cannot be met any more, which is a rejection.
func (work *Work) announce(a *definition.Agent, ids []string) {
	work.ResponseIDs = ids
	work.Answers = slices.DeleteFunc(work.Answers, func(a Resolution) bool { return !slices.Contains(ids, a.ResponseID) })
	if len(ids) < a.MinCount {
		work.Answers = append(work.Answers, Resolution{
			Word: Rejected, ActorID: work.AgentID, Source: FromAgent,
			Reason: fmt.Sprintf("the agent waits for %d of the %d responses that have to be resolved", len(ids), a.MinCount),
		})
	}
}

// Settling is the answer that settles the step, nil while there is none: that of the agent
// itself; of an agent that is not blocking the first one; else the one with which the policy
// is met, or cannot be met any more. Where the announcement was lost the agent may wait for
// as many responses as it could have announced.
func (work *Work) Settling(a *definition.Agent) *Resolution {
	all := 1
	switch {
	case a.Blocking && work.ResponseIDs == nil:
		all = maxResponses
	case a.Blocking:
		all = len(work.ResponseIDs)
	}
	need := cmp.Or(a.MinCount, all)
	resolved, rejected := 0, 0
	for i := range work.Answers {
		if work.Answers[i].Word == Rejected {
			rejected++
		} else {
			resolved++
		}
		if work.Answers[i].Source == FromAgent || resolved == need || rejected > max(0, all-need) {
			return &work.Answers[i]
		}
	}
	return nil
}

// Answered reports whether the response was recorded.
func (work *Work) Answered(responseID string) bool {
	return work != nil && slices.ContainsFunc(work.Answers, func(a Resolution) bool { return a.Source != FromAgent && a.ResponseID == responseID })
}

// Full reports whether the step has no room for one more resolution before its agent took it.
func (work *Work) Full(next Resolution) bool {
	size := len(next.Output)
	for _, a := range work.Answers {
		size += len(a.Output)
	}
	return len(work.Answers) >= maxResponses || size > maxKept
}

// DropOutputs forgets what the output of the step has, or never gets.
func (work *Work) DropOutputs() {
	for i := range work.Answers {
		work.Answers[i].Output = nil
	}
}

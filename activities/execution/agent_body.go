package execution

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/interpreter/output"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/execution"
)

const (
	// resolutionPath is where an agent says what became of its step.
	resolutionPath = "/v2/workflow/steps/recordAgentResolution"
	// maxAgentID is how long an id of an agent's may be, maxAgentReason a reason of it,
	// in characters.
	maxAgentID     = 200
	maxAgentReason = 2000
)

// agentRequest is the body that an agent is sent. Times are epoch milliseconds.
type agentRequest struct {
	ExecutionID string     `json:"executionId"`
	StepID      string     `json:"stepId"`
	NodeID      string     `json:"nodeId"`
	AgentID     string     `json:"agentId"`
	Input       agentInput `json:"input"`
	Attempt     int        `json:"attempt"`
	Callback    callback   `json:"callback"`
	// Agent is the behaviour by which the step goes, with the number of its version.
	Agent map[string]json.RawMessage `json:"agent"`
}

type agentInput struct {
	TriggerContext json.RawMessage            `json:"triggerContext"`
	Previous       json.RawMessage            `json:"previous"`
	URL            *string                    `json:"url"`
	UserContext    map[string]json.RawMessage `json:"userContext"`
	Parameters     map[string]json.RawMessage `json:"parameters"`
	Prompt         *string                    `json:"prompt"`
	Options        any                        `json:"options"`
	DefinitionID   string                     `json:"definitionId"`
	CorrelationID  string                     `json:"correlationId"`
	OrganizationID *string                    `json:"organizationId"`
	DocumentID     *string                    `json:"documentId"`
	FolderID       *string                    `json:"folderId"`
}

type agentOptions struct {
	CrossPageExecute *bool `json:"crossPageExecute,omitempty"`
	MaxURLsToProcess int   `json:"maxUrlsToProcess,omitempty"`
	PollIntervalMs   int64 `json:"pollIntervalMs"`
}

// agentBody writes the body of an agent's request.
func agentBody(call *execution.StepCall, publicURL string) []byte {
	node := call.Agent
	return shape.Encode(agentRequest{
		ExecutionID: call.ExecutionID, StepID: call.StepID, NodeID: call.NodeID, AgentID: node.AgentID, Attempt: call.Attempt,
		Input:    inputOf(call, node),
		Callback: callbackTo(call, publicURL, resolutionPath), Agent: behaviour(call.Contact),
	})
}

// behaviour are the fields of an agent's behaviour beside its version.
func behaviour(of *agent.Contact) map[string]json.RawMessage {
	fields := maps.Clone(map[string]json.RawMessage(of.Behaviour))
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	fields["version"] = json.RawMessage(strconv.Itoa(of.Version))
	return fields
}

func inputOf(call *execution.StepCall, node *definition.Agent) agentInput {
	trigger, previous := objectOr(call.TriggerContext), objectOr(call.Input)
	in := agentInput{
		TriggerContext: trigger, Previous: previous, UserContext: map[string]json.RawMessage{}, Parameters: map[string]json.RawMessage{},
		Options:      agentOptions{node.CrossPageExecute, node.MaxURLsToProcess, node.PollIntervalMs},
		DefinitionID: call.DefinitionID, CorrelationID: call.CorrelationID,
		OrganizationID: call.OrganizationID, DocumentID: call.DocumentID, FolderID: call.FolderID,
	}
	if page, _ := output.PageOf(node, trigger); page != "" {
		in.URL = &page
	}
	if call.DefinitionID == definition.AgentRun {
		in.Options, in.UserContext = runOptions(trigger, node), members(shape.Value(trigger, "userContext"))
	}
	if node.PromptOverride != "" {
		in.Prompt = &node.PromptOverride
	}
	asked, before := shape.TreeOf(trigger), shape.TreeOf(previous)
	for name, path := range node.UserContextMapping {
		in.UserContext[name] = asked.At(path).Text()
	}
	for name, path := range node.InputMapping {
		in.Parameters[name] = parameter(path, asked, before)
	}
	// Each of fifty names may lead to all that there is: they are held to the limit of a step's input, as that is.
	output.Shorten(in.UserContext, output.InputLimit)
	output.Shorten(in.Parameters, output.InputLimit)
	return in
}

// runOptions are what a run of one agent was asked with, beside what every agent is handed.
func runOptions(asked json.RawMessage, node *definition.Agent) map[string]json.RawMessage {
	options := map[string]json.RawMessage{"pollIntervalMs": json.RawMessage(strconv.FormatInt(node.PollIntervalMs, 10))}
	maps.Copy(options, members(asked))
	return options
}

// members are those of an object, none of what is none.
func members(object json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, pair := range shape.MembersOf(object) {
		all[pair.Name] = pair.Value
	}
	return all
}

// parameter is the value of a path that begins at the step's input or at the
// triggerContext.
func parameter(path string, trigger, previous *shape.Tree) json.RawMessage {
	if rest, ok := strings.CutPrefix(path, "input."); ok {
		return previous.At(rest).Text()
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(path, "execution."), ".")
	return trigger.At(rest).Text()
}

// agentReply reads an agent's answer. What is not of the right form is as if it were not
// there: the agent took the step all the same.
func agentReply(reply *guard.Response) resolution.Reply {
	body := replyJSON(reply)
	r := resolution.Reply{ExecutionID: short(shape.Text(body, "agentExecutionId"), maxAgentID)}
	var ids []string
	if json.Unmarshal(shape.Value(body, "responseIds"), &ids) == nil && distinct(ids) {
		r.ResponseIDs = ids
	}
	if word := shape.Text(body, "resolution"); word == resolution.Resolved || word == resolution.Rejected {
		r.Word, r.Reason = word, short(shape.Text(body, "reason"), maxAgentReason)
		if output := shape.Value(body, "output"); len(output) <= outputLimit && shape.MembersOf(output) != nil {
			r.Output = output
		}
	}
	return r
}

// short is a text that is not longer than it may be, else none.
func short(text string, most int) string {
	if utf8.RuneCountInString(text) > most || strings.ContainsRune(text, 0) {
		return ""
	}
	return text
}

// distinct reports whether these are ids of responses, each once.
func distinct(ids []string) bool {
	seen := map[string]bool{}
	for _, id := range ids {
		if short(id, maxAgentID) == "" || seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}

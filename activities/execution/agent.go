package execution

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/execution"
)

// Codes of an agent's step whose call did not succeed.
const (
	codeAgentMissing     = "agent-not-found"
	codeAgentDisabled    = "agent-disabled"
	codeAgentBlocked     = "agent-url-blocked"
	codeAgentRefused     = "agent-refused"
	codeAgentUnreachable = "agent-unreachable"
)

// agentReplyLimit is how much of an agent's answer is read.
const agentReplyLimit = 1 << 20

// AgentCaller makes the calls of agents' nodes.
type AgentCaller struct {
	client    func(key string) sender
	publicURL string
}

// Call sends the request of an agent's node to where the agent is now; now is the time by
// Postgres.
func (a *AgentCaller) Call(ctx context.Context, call *execution.StepCall, now func() time.Time) interpreter.Outcome {
	switch agent := call.Contact; {
	case agent == nil:
		return *permanent(call, codeAgentMissing, "no agent "+strconv.Quote(call.Agent.AgentID)+" is registered")
	case agent.Disabled:
		return *permanent(call, codeAgentDisabled, "the agent "+strconv.Quote(call.Agent.AgentID)+" is disabled")
	}
	body := agentBody(call, a.publicURL)
	request := guard.Request{
		Method: http.MethodPost, URL: call.Contact.URL, Body: body, ReadLimit: agentReplyLimit, WorkspaceID: call.WorkspaceID,
		Header: webhook.AgentHeaders(call.Contact.Secrets, call.StepID, call.Number, now(), body),
	}
	got := send(ctx, a.client(connections(call.WorkspaceID, call.Contact.URL)), request, interpreter.AgentLimit, now)
	defer got.reply.Done()
	outcome := agentOutcome(call, got)
	outcome.Call, outcome.LatencyMs = call.Number, got.took
	return outcome
}

// agentOutcome is the table from what came back to what it means for the step.
func agentOutcome(call *execution.StepCall, got answered) interpreter.Outcome {
	switch {
	case guard.Refused(got.err):
		return *permanent(call, codeAgentBlocked, "the address is refused by policy")
	case got.err != nil:
		return noAnswer(codeAgentUnreachable, "agent", got.err)
	}
	o := interpreter.Outcome{HTTPStatus: got.reply.Status, Message: "the agent answered " + strconv.Itoa(got.reply.Status)}
	switch {
	case expected(nil, got.reply.Status):
		o.Kind, o.Agent = interpreter.Success, agentReply(got.reply)
		o.Agent.AgentName = call.Contact.Name
	case passing(got.reply.Status):
		o.Kind, o.Code, o.RetryAfterMs = interpreter.Transient, codeAgentUnreachable, retryAfter(got.reply, got.at)
	default:
		o.Kind, o.Code = interpreter.Permanent, codeAgentRefused
	}
	return o
}

package execution

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/execution"
)

// Codes of a webhook step that did not succeed.
const (
	codeBlocked       = "webhook-url-blocked"
	codeStatus        = "webhook-http-status"
	codeUnreachable   = "webhook-unreachable"
	codeSecretMissing = "webhook-secret-missing"
	codeTokenMissing  = "webhook-auth-token-missing"
)

// How a node proves to its receiver who calls.
const (
	authHMAC  = "hmac"
	authToken = "token"
)

// replyLimit is how much of a reply is read.
const replyLimit = 64 << 10

// WebhookCaller makes the calls of webhook nodes.
type WebhookCaller struct {
	client    func(key string) sender
	publicURL string
}

// Call sends the request of a webhook node within the node's own limit; now
// is the time by Postgres.
func (w *WebhookCaller) Call(ctx context.Context, call *execution.StepCall, now func() time.Time) interpreter.Outcome {
	request, refusal := writeRequest(call, w.publicURL, now())
	if refusal != nil {
		return *refusal
	}
	limit := time.Duration(call.Webhook.TimeoutMs) * time.Millisecond
	got := send(ctx, w.client(connections(call.WorkspaceID, call.Webhook.URL)), request, limit, now)
	outcome := outcomeOf(call, got)
	outcome.Call, outcome.LatencyMs = call.Number, got.took
	return outcome
}

// writeRequest writes the request, or returns why it cannot be written; at is the
// time that it is signed with.
func writeRequest(call *execution.StepCall, publicURL string, at time.Time) (guard.Request, *interpreter.Outcome) {
	node := call.Webhook
	request := guard.Request{Method: node.Method, URL: node.URL, Body: stepBody(call, publicURL), ReadLimit: replyLimit}
	switch {
	case node.AuthMode == authHMAC && call.ReceiverSecret == "":
		return request, permanent(call, codeSecretMissing, "the execution has no receiver secret to sign with")
	case node.AuthMode == authHMAC:
		key := webhook.NodeKey([]byte(call.ReceiverSecret), call.NodeID)
		request.Header = webhook.Headers([]byte(key), call.StepID, call.Number, at, request.Body)
	default:
		request.Header = webhook.Unsigned(call.StepID, call.Number)
	}
	if request.Body == nil {
		request.Header.Del("content-type")
	}
	for name, value := range node.RequestHeaders {
		request.Header.Set(name, value)
	}
	if node.AuthMode != authToken {
		return request, nil
	}
	if call.AuthToken == "" || !httpguts.ValidHeaderFieldValue(call.AuthToken) {
		return request, permanent(call, codeTokenMissing, "triggerContext.webhookAuth has no usable token for this node")
	}
	request.Header.Set(node.AuthTokenHeader, call.AuthToken)
	return request, nil
}

func permanent(call *execution.StepCall, code, message string) *interpreter.Outcome {
	return &interpreter.Outcome{Call: call.Number, Kind: interpreter.Permanent, Code: code, Message: message}
}

// outcomeOf is the table from what came back to what it means for the step.
func outcomeOf(call *execution.StepCall, got answered) interpreter.Outcome {
	switch {
	case guard.Refused(got.err):
		return *permanent(call, codeBlocked, "the address is refused by policy")
	case got.err != nil:
		return noAnswer(codeUnreachable, "receiver", got.err)
	}
	reply := got.reply
	o := interpreter.Outcome{HTTPStatus: reply.Status}
	o.Output, o.Decision, o.Empty = stepOutput(call.NodeID, reply)
	switch {
	case expected(call.Webhook.ExpectedStatusCodes, reply.Status):
		o.Kind = interpreter.Success
		return o
	case passing(reply.Status):
		o.Kind, o.RetryAfterMs = interpreter.Transient, retryAfter(reply, got.at)
	default:
		o.Kind = interpreter.Permanent
	}
	o.Code, o.Message = codeStatus, "the receiver answered "+strconv.Itoa(reply.Status)
	return o
}

// noAnswer is that of a call that got no whole answer from who.
func noAnswer(code, who string, err error) interpreter.Outcome {
	return interpreter.Outcome{Kind: interpreter.Transient, Code: code, Message: "the " + who + " gave no whole answer (" + string(guard.ClassOf(err)) + ")"}
}

// expected: the node's own list replaces the rule that 2xx is success.
func expected(codes []int, status int) bool {
	if len(codes) > 0 {
		return slices.Contains(codes, status)
	}
	return status >= 200 && status < 300
}

// passing reports whether such an answer may be another one later.
func passing(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// retryAfter is how long a 429 or 503 asks to be left alone, in milliseconds;
// zero when there is nothing to honour.
func retryAfter(reply *guard.Response, at time.Time) int64 {
	if reply.Status != http.StatusTooManyRequests && reply.Status != http.StatusServiceUnavailable {
		return 0
	}
	wait, _ := webhook.RetryAfter(reply.Header, at)
	return wait.Milliseconds()
}

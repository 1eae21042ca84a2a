package execution

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/execution"
)

const (
	// outputLimit is how large the output of a step may be, as JSON in bytes.
	outputLimit = 64 << 10
	// headerValueLimit is how much of a reply's header value is kept, in bytes.
	headerValueLimit = 2000
	// maxDepth is how deep a reply may be nested to be kept as JSON. Postgres
	// refuses texts that go deeper than its stack, and a step whose outcome
	// cannot be stored would be called again for ever.
	maxDepth = 200
)

// keptHeaders are the headers of a reply that its step's output shows.
var keptHeaders = []string{"content-type", "date", "etag", "location", "retry-after", "x-request-id"}

// envelope is the body that a webhook node sends by default.
type envelope struct {
	ExecutionID       string          `json:"executionId"`
	DefinitionID      string          `json:"definitionId"`
	DefinitionVersion int             `json:"definitionVersion"`
	StepID            string          `json:"stepId"`
	NodeID            string          `json:"nodeId"`
	Iteration         int             `json:"iteration"`
	Attempt           int             `json:"attempt"`
	CorrelationID     string          `json:"correlationId"`
	OrganizationID    *string         `json:"organizationId"`
	DocumentID        *string         `json:"documentId"`
	FolderID          *string         `json:"folderId"`
	TriggerContext    json.RawMessage `json:"triggerContext"`
	Input             json.RawMessage `json:"input"`
	Callback          *callback       `json:"callback,omitempty"`
}

// callback is where whoever was called says later what became of the step, and with what.
// ExpiresAt is when the token of a step that has ended opens nothing any more, in epoch
// milliseconds: a day after the step's time is over, null for never.
type callback struct {
	Path        string `json:"path"`
	URL         string `json:"url"`
	Token       string `json:"token"`
	TokenHeader string `json:"tokenHeader"`
	ExpiresAt   *int64 `json:"expiresAt"`
}

// completionPath is where receivers call back, tokenHeader carries the token that opens
// the step.
const (
	completionPath = "/v2/workflow/webhook-callback/complete"
	tokenHeader    = "x-svc-callback-token"
)

func callbackTo(call *execution.StepCall, publicURL, path string) callback {
	return callback{path, strings.TrimSuffix(publicURL, "/") + path, call.CallbackToken, tokenHeader, call.ExpiresAt}
}

// calledBack is what a body that passes the input on has of the callback.
type calledBack struct {
	URL         string `json:"callbackUrl"`
	Token       string `json:"callbackToken"`
	TokenHeader string `json:"callbackTokenHeader"`
}

// passedOn is the input of a step, with the callback if there is one.
func passedOn(input json.RawMessage, back *callback) []byte {
	if back == nil {
		return shape.Encode(objectOr(input))
	}
	own := slices.DeleteFunc(shape.MembersOf(objectOr(input)), func(m shape.Pair) bool { return m.Name == "_svc" })
	own = append(own, shape.Pair{Name: "_svc", Value: shape.Encode(calledBack{back.URL, back.Token, back.TokenHeader})})
	return shape.AppendMembers([]byte(`{}`), own)
}

// stepBody writes the body of a node's request; nil for none.
func stepBody(call *execution.StepCall, publicURL string) []byte {
	var back *callback
	if call.CallbackToken != "" {
		c := callbackTo(call, publicURL, completionPath)
		back = &c
	}
	switch call.Webhook.BodyTemplate {
	case "none":
		return nil
	case "pass-through":
		return passedOn(call.Input, back)
	default:
		return shape.Encode(envelope{
			ExecutionID: call.ExecutionID, DefinitionID: call.DefinitionID, DefinitionVersion: call.DefinitionVersion,
			StepID: call.StepID, NodeID: call.NodeID, Iteration: call.Iteration, Attempt: call.Attempt,
			CorrelationID: call.CorrelationID, OrganizationID: call.OrganizationID, DocumentID: call.DocumentID,
			FolderID: call.FolderID, TriggerContext: objectOr(call.TriggerContext), Input: objectOr(call.Input), Callback: back,
		})
	}
}

func objectOr(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage(`{}`)
	}
	return text
}

// webhookOutput is the output of a webhook step. Text and JSON of the reply
// share the limit, the JSON first.
type webhookOutput struct {
	HTTPStatus        int               `json:"httpStatus"`
	ResponseHeaders   map[string]string `json:"responseHeaders"`
	ResponseJSON      json.RawMessage   `json:"responseJson,omitempty"`
	ResponseText      string            `json:"responseText"`
	ResponseTruncated bool              `json:"responseTruncated"`
	Decision          string            `json:"decision,omitempty"`
	RejectedBy        string            `json:"rejectedBy,omitempty"`
	RejectorMandatory bool              `json:"rejectorMandatory,omitempty"`
}

// stepOutput makes the step's output of a whole reply, with the decision that
// it carries and whether it was empty.
func stepOutput(nodeID string, reply *guard.Response) (output json.RawMessage, decision string, empty bool) {
	out := webhookOutput{HTTPStatus: reply.Status, ResponseHeaders: replyHeaders(reply), ResponseTruncated: reply.Truncated}
	parsed := replyJSON(reply)
	if out.Decision = decisionOf(parsed); out.Decision == "reject" {
		out.RejectedBy, out.RejectorMandatory = nodeID, true
	}
	left := outputLimit - len(shape.Encode(out)) - len(`"responseJson":,`)
	if len(parsed) <= left {
		out.ResponseJSON = parsed
		left -= len(parsed)
	}
	text := strings.ToValidUTF8(string(reply.Body), "\uFFFD")
	out.ResponseText = truncateEncoded(text, left)
	out.ResponseTruncated = out.ResponseTruncated || len(out.ResponseText) < len(text)
	return shape.Encode(out), out.Decision, len(bytes.TrimSpace(reply.Body)) == 0
}

func replyHeaders(reply *guard.Response) map[string]string {
	kept := map[string]string{}
	for _, name := range keptHeaders {
		if value := reply.Header.Get(name); value != "" {
			kept[name] = truncateEncoded(strings.ToValidUTF8(value, "\uFFFD"), headerValueLimit)
		}
	}
	return kept
}

// replyJSON returns the reply's body without white space when it is whole and
// JSON, else nil.
func replyJSON(reply *guard.Response) json.RawMessage {
	if reply.Truncated || !utf8.Valid(reply.Body) || !json.Valid(reply.Body) || depth(reply.Body) > maxDepth {
		return nil
	}
	return shape.Encode(json.RawMessage(reply.Body))
}

// depth is how deep valid JSON is nested.
func depth(text []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// decisionOf returns the top-level decision of a reply, if it is one of the two
// words.
func decisionOf(body json.RawMessage) string {
	var reply map[string]json.RawMessage
	var word string
	if json.Unmarshal(body, &reply) != nil || json.Unmarshal(reply["decision"], &word) != nil {
		return ""
	}
	if word != "approve" && word != "reject" {
		return ""
	}
	return word
}

// truncateEncoded returns the longest beginning of text that takes at most limit
// bytes as the inside of a JSON string.
func truncateEncoded(text string, limit int) string {
	size := 0
	for i, r := range text {
		if size += encodedSize(r); size > limit {
			return text[:i]
		}
	}
	return text
}

// encodedSize is how many bytes a character takes in the JSON that shape.Encode
// writes.
func encodedSize(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
		return 2
	case r < ' ', r == '\u2028', r == '\u2029':
		return 6
	default:
		return utf8.RuneLen(r)
	}
}

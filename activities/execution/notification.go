package execution

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/execution"
)

// Codes of a notification's step that reached nobody.
const (
	codeMailsOff      = "notification-email-not-configured"
	codeMailsFailed   = "notification-email-delivery-failed"
	codeSlackBlocked  = "notification-slack-url-blocked"
	codeBlocksInvalid = "notification-slack-blocks-invalid-json"
	codeSlackFailed   = "notification-slack-api-error"
	codeTextTooLarge  = "notification-too-large"
)

// NotificationCaller sends what notification nodes send.
type NotificationCaller struct {
	client func(key string) sender
	mails  Mailer
}

// Call sends the mails of a notification, or its request to Slack; now is the time by
// Postgres.
func (n *NotificationCaller) Call(ctx context.Context, call *execution.StepCall, now func() time.Time) interpreter.Outcome {
	began := now()
	limit := call.Notification.CallLimit()
	filled, ok := fillNotification(call)
	if !ok {
		return *permanent(call, codeTextTooLarge, "the filled template is larger than 256 KiB")
	}
	var outcome interpreter.Outcome
	if call.Notification.Channel == definition.EmailChannel {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		outcome = n.sendMails(ctx, call, filled)
	} else {
		outcome = n.post(ctx, call, filled, limit, now)
	}
	outcome.Call, outcome.LatencyMs = call.Number, now().Sub(began).Milliseconds()
	return outcome
}

// notificationOutput is the output of a notification's step. Failed are the recipients
// who were not reached, empty for Slack.
type notificationOutput struct {
	Channel   string   `json:"channel"`
	Delivered int      `json:"delivered"`
	Failed    []missed `json:"failed"`
}

// missed is a recipient who was not reached, and why.
type missed struct {
	Recipient string        `json:"recipient"`
	Class     webhook.Class `json:"class"`
}

// slackMessage is the body that Slack's incoming addresses take.
type slackMessage struct {
	Text   string          `json:"text,omitempty"`
	Blocks json.RawMessage `json:"blocks,omitempty"`
}

// post sends the request to Slack.
func (n *NotificationCaller) post(
	ctx context.Context, call *execution.StepCall, filled notificationText, limit time.Duration, now func() time.Time,
) interpreter.Outcome {
	message := slackMessage{Text: filled.body}
	if call.Notification.Format == formatBlocks {
		var blocks []json.RawMessage
		if json.Unmarshal([]byte(filled.body), &blocks) != nil || blocks == nil {
			return *permanent(call, codeBlocksInvalid, "the filled template is no JSON array")
		}
		message = slackMessage{Blocks: json.RawMessage(filled.body)}
	}
	target := call.Notification.SlackTarget
	request := guard.Request{
		Method: http.MethodPost, URL: target, Body: shape.Encode(message), ReadLimit: replyLimit, Header: webhook.Unsigned(call.StepID, call.Number),
	}
	return slackOutcome(call, send(ctx, n.client(connections(call.WorkspaceID, target)), request, limit, now))
}

// slackOutcome is the table from what came back to what it means for the step.
func slackOutcome(call *execution.StepCall, got answered) interpreter.Outcome {
	switch {
	case guard.Refused(got.err):
		return *permanent(call, codeSlackBlocked, "the address is refused by policy")
	case got.err != nil:
		return noAnswer(codeSlackFailed, "address", got.err)
	}
	o := interpreter.Outcome{Kind: interpreter.Permanent, HTTPStatus: got.reply.Status}
	o.Code, o.Message = codeSlackFailed, "the address answered "+strconv.Itoa(got.reply.Status)
	switch {
	case expected(nil, got.reply.Status):
		o = interpreter.Outcome{Kind: interpreter.Success, HTTPStatus: got.reply.Status, Delivered: 1}
	case passing(got.reply.Status):
		o.Kind, o.RetryAfterMs = interpreter.Transient, retryAfter(got.reply, got.at)
	}
	o.Output = shape.Encode(notificationOutput{call.Notification.Channel, o.Delivered, []missed{}})
	return o
}

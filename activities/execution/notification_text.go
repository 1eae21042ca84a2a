package execution

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/template"
	"github.com/redline-svc/redline/models/execution"
)

// Forms of a notification's text; the third one is plain text.
const (
	formatHTML   = "html"
	formatBlocks = "slack-blocks"
)

// notificationText is what a notification says. The subject is that of mails.
type notificationText struct{ subject, body string }

// executionRoot is what `execution.*` reads in templates.
type executionRoot struct {
	ExecutionID    string          `json:"executionId"`
	DefinitionID   string          `json:"definitionId"`
	CorrelationID  string          `json:"correlationId"`
	TriggerContext json.RawMessage `json:"triggerContext"`
	Input          json.RawMessage `json:"input"`
}

// fillNotification fills the templates of a notification. It reports false where one of
// them becomes too large. A mail without a subject has the name of its node.
func fillNotification(call *execution.StepCall) (notificationText, bool) {
	node, trigger := call.Notification, objectOr(call.TriggerContext)
	roots := template.Roots{
		"input":     objectOr(call.Input),
		"execution": shape.Encode(executionRoot{call.ExecutionID, call.DefinitionID, call.CorrelationID, trigger, trigger}),
		"step":      shape.Encode(facts(call)),
	}
	form := map[string]template.Form{formatHTML: template.HTML, formatBlocks: template.JSON}[node.Format]
	body, bodyOK := template.Fill(node.BodyTemplate, roots, form)
	subject, subjectOK := template.Fill(node.SubjectTemplate, roots, template.Text)
	return notificationText{cmp.Or(strings.TrimSpace(subject), call.NodeName), body}, bodyOK && subjectOK
}

func facts(call *execution.StepCall) interpreter.StepFacts {
	return interpreter.StepFacts{
		StepID: call.StepID, NodeID: call.NodeID, Status: string(interpreter.StepRunning), RetryCount: call.Retries, Iteration: call.Iteration, Attempt: call.Attempt,
	}
}

// mail writes the text as a mail.
func (t notificationText) mail(format string) mail.Content {
	if format == formatHTML {
		return mail.HTMLNotification(t.subject, t.body)
	}
	return mail.PlainNotification(t.subject, t.body)
}

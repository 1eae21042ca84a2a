package judgment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// maxContent is how long the content of a judgment may be, in characters, maxContentType how
// long its type: callers may ask for one of that length, and an index has no place for any.
const maxContent, maxContentType = 50_000, 64

// defaultContentType is that of a step's judgment whose definition names none.
const defaultContentType = "workflow"

// Step is a reviewer's decision that was recorded, or a resolution of an agent's step.
type Step struct {
	WorkspaceID, ExecutionID, StepID, ReviewerID string
	// Word is the reviewer's, approve or reject; Reason may be empty.
	Word, Reason string
	// Agent is whose step was resolved; nil for a reviewer's. ReviewerID is then who
	// resolved it.
	Agent *StepAgent
	// TriggerContext is the execution's, without secrets; its member content is
	// what was judged.
	TriggerContext json.RawMessage
	// DefinitionName stands for content that nobody gave, ContentType is the
	// definition's.
	DefinitionName, ContentType string
	// OrganizationID and DocumentID are what the execution is about, Subjects are
	// their keys.
	OrganizationID, DocumentID *string
	Subjects                   subject.Keys
	DecidedAt                  time.Time
}

// StepAgent is the agent of a step, and which of its responses was settled; what is empty
// is not known.
type StepAgent struct{ ID, Name, ExecutionID, ResponseID string }

// inJudgment is the agent as judgments show it, NULL for none.
func (a *StepAgent) inJudgment() any {
	if a == nil {
		return nil
	}
	type fields struct {
		URL    *string         `json:"url"`
		Reason json.RawMessage `json:"reason"`
	}
	text, _ := json.Marshal(struct { // texts are always written
		AgentID     string  `json:"agentId"`
		AgentType   string  `json:"agentType"`
		AgentName   *string `json:"agentName"`
		ExecutionID *string `json:"executionId"`
		AgentFields fields  `json:"agentFields"`
	}{a.ID, "svc", pg.Optional(a.Name), pg.Optional(a.ExecutionID), fields{}})
	return string(text)
}

// insertStepJudgment takes the reviewer as known in the organization at this
// moment. The content falls back to the document's name, then to the
// definition's. An execution goes on when what it is about is removed, and makes no
// judgments any more. SQL by hand: it goes with the batch of the decision.
var insertStepJudgment = owing(`
INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
       user_id, user_name, user_email, agent, organization_key, document_key, created_at)
SELECT $1, $2, 'step', $3, $4, $5, coalesce($6, nullif(d.name, ''), $7), $8, $9, $16,
       $10::text, coalesce(nullif(p.name, ''), $10::text), nullif(p.email, ''), $17::json, $11::bigint, $12::bigint, $13
FROM (SELECT) AS one
LEFT JOIN organizations o ON o.workspace_id = $1 AND o.organization_id = $14::text
LEFT JOIN profiles p ON p.organization_key = o.key AND p.user_id = $10::text
LEFT JOIN documents d ON d.organization_key = o.key AND d.document_id = $15::text
WHERE ` + subject.Shown("$11::bigint", "$12::bigint") + `
ON CONFLICT DO NOTHING`)

// insertBareJudgment is insertStepJudgment outside of any organization, where
// nothing more is known of reviewer and document.
var insertBareJudgment = owing(`
INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence,
       user_id, user_name, document_key, created_at, judge_type, agent)
VALUES ($1, $2, 'step', $3, $4, $5, coalesce($6, $7), $8, $9, $10, $10, $11, $12, $13, $14)
ON CONFLICT DO NOTHING`)

// Queue adds the judgment to the transaction of the decision.
func (j Step) Queue(b *pgx.Batch) {
	contentType := cmp.Or(shape.Unblank(shortened(storable(j.ContentType), maxContentType)), defaultContentType)
	judgeType, confidence, from := "human", judgment.Confidence(j.Reason), j.ReviewerID
	if j.Agent != nil {
		judgeType, confidence, from = "agent", judgment.AgentConfidence, j.Agent.ResponseID
	}
	made := []any{
		j.WorkspaceID, id.New(id.Judgment), strings.Join([]string{j.ExecutionID, j.StepID, from}, "/"),
		judgment.Word(j.Word), j.Reason, triggerContent(j.TriggerContext), j.DefinitionName, contentType, confidence, j.ReviewerID,
	}
	at := j.DecidedAt.Truncate(time.Millisecond)
	if j.OrganizationID == nil {
		b.Queue(insertBareJudgment, append(made, j.Subjects.Document, at, judgeType, j.Agent.inJudgment())...)
		return
	}
	b.Queue(insertStepJudgment, append(made, j.Subjects.Organization, j.Subjects.Document, at, j.OrganizationID, j.DocumentID, judgeType, j.Agent.inJudgment())...)
}

// triggerContent is the member content of a triggerContext: a text as it is,
// anything else as compact JSON; nil when there is none.
func triggerContent(trigger json.RawMessage) *string {
	content := shape.Value(trigger, "content")
	if len(content) == 0 || string(content) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(content, &text) != nil {
		text = compactJSON(content)
	}
	text = shortened(storable(text), maxContent)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return &text
}

// compactJSON takes out the white space between the parts of a JSON text.
func compactJSON(text json.RawMessage) string {
	var compact bytes.Buffer
	_ = json.Compact(&compact, text) // what is stored was read as JSON
	return compact.String()
}

// shortened cuts a text to so many characters.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	characters := []rune(text)
	return string(characters[:min(len(characters), most)])
}

// storable leaves out NUL, for which a column of text has no place; JSON columns
// keep it as an escape.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// ActionUser is who judged, as known at that time. Name falls back to the id.
type ActionUser struct {
	UserID string  `json:"userId"`
	Name   string  `json:"name"`
	Email  *string `json:"email"`
}

// View is a judgment as callers read it. CreatedAt is epoch
// milliseconds; what is not known is null.
type View struct {
	RecordID       string          `json:"recordId"`
	Reasoning      string          `json:"reasoning"`
	Decision       string          `json:"decision"`
	Confidence     float64         `json:"confidence"`
	JudgeType      string          `json:"judgeType"`
	ContentType    string          `json:"contentType"`
	ActionUser     ActionUser      `json:"actionUser"`
	CreatedAt      int64           `json:"createdAt"`
	OrganizationID *string         `json:"organizationId"`
	DocumentID     *string         `json:"documentId"`
	Agent          json.RawMessage `json:"agent"`
}

// Judgments that are made from now on have higher keys.
var forgetUsers = subject.Leave(`nextval('judgments_key_seq')`)

// ForgetUsers hides the judgments of users who leave an organization. RemoveBatch removes
// them.
func ForgetUsers(b *pgx.Batch, workspaceID, organizationID string, userIDs []string) {
	b.Queue(forgetUsers, workspaceID, organizationID, userIDs)
}

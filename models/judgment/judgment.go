package judgment

import (
	"bytes"
	"cmp"
	_ "embed"
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

// The judgment of a step goes with the batch of the decision: SQL by hand.
var (
	//go:embed insert_step.sql
	insertStep string
	//go:embed insert_bare_step.sql
	insertBareStep string
)

// Queue adds the judgment to the transaction of the decision.
func (j Step) Queue(tx *pg.Tx, b *pgx.Batch) {
	judgeType, confidence, from := "human", judgment.Confidence(j.Reason), j.ReviewerID
	if j.Agent != nil {
		judgeType, confidence, from = "agent", judgment.AgentConfidence, j.Agent.ResponseID
	}
	recordID, statement := id.New(id.Judgment), insertStep
	if j.OrganizationID == nil {
		statement = insertBareStep
	}
	b.Queue(statement, pgx.NamedArgs{
		"workspace": j.WorkspaceID, "record": recordID, "origin_id": strings.Join([]string{j.ExecutionID, j.StepID, from}, "/"),
		"decision": judgment.Word(j.Word), "reasoning": j.Reason, "content": triggerContent(j.TriggerContext), "definition": j.DefinitionName,
		"content_type": cmp.Or(shape.Unblank(shortened(storable(j.ContentType), maxContentType)), defaultContentType), "confidence": confidence,
		"user": j.ReviewerID, "organization_key": j.Subjects.Organization, "document_key": j.Subjects.Document,
		"decided": j.DecidedAt.Truncate(time.Millisecond), "organization": j.OrganizationID, "document": j.DocumentID,
		"judge_type": judgeType, "agent": j.Agent.inJudgment(),
	})
	bringIn(tx, j.WorkspaceID, recordID)
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

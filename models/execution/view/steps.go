package view

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// ListedStep is a step in a list over many executions.
type ListedStep struct {
	StepView
	ExecutionID   string `json:"executionId"`
	DefinitionID  string `json:"definitionId"`
	CorrelationID string `json:"correlationId"`
}

// StepFilter narrows a list of steps; empty fields do not. ReviewerID keeps the
// steps that are open for this person: listed, not yet decided, still waiting.
type StepFilter struct {
	ReviewerID     string `json:"reviewerId"`
	Status         string `json:"status"`
	NodeType       string `json:"nodeType"`
	ExecutionID    string `json:"executionId"`
	DefinitionID   string `json:"definitionId"`
	OrganizationID string `json:"organizationId"`
	DocumentID     string `json:"documentId"`
}

// StepPosition is where a page of steps ended: microseconds since the epoch,
// the execution, and the step's number in it.
type StepPosition struct {
	At          int64  `json:"at"`
	ExecutionID string `json:"executionId"`
	Ordinal     int    `json:"ordinal"`
}

// StepPage is a page of steps, newest first.
type StepPage = list.Page[ListedStep, StepPosition]

// newestStep is the order of a list of steps, newestInbox the same one in a
// person's inbox.
var (
	newestStep  = list.Descending("s.created_at", "s.execution_id", "s.ordinal")
	newestInbox = list.Descending("i.step_created", "i.execution_id", "i.step_ordinal")
)

// ListSteps reads a page of steps, newest first. A page ends early when it
// becomes larger than 8 MiB; it has one step at least.
func (v *Views) ListSteps(ctx context.Context, workspaceID string, f StepFilter, after *StepPosition, size int) (*StepPage, error) {
	var found list.Found[ListedStep, StepPosition]
	about := subject.Filter{OrganizationID: f.OrganizationID, DocumentID: f.DocumentID, Removed: true}
	err := about.Read(ctx, v.db, workspaceID, func(b *pgx.Batch, n subject.Narrow) {
		query, args := stepQuery(workspaceID, f, n, after, size)
		b.Queue(query, args...).Query(found.Collect(func(row pgx.CollectableRow) (ListedStep, StepPosition, error) {
			return scanListedStep(row, &found.Count)
		}))
	})
	if err != nil {
		return nil, err
	}
	return found.Page(), nil
}

// scanListedStep reads a row of stepQuery, and how many rows there are.
func scanListedStep(row pgx.Row, count *int) (ListedStep, StepPosition, error) {
	var s ListedStep
	var execution ExecutionView
	var output []byte
	var created time.Time
	var paused *time.Time
	var ordinal int
	v, err := scanStep(row, &execution.OrganizationID, &execution.DocumentID, &execution.FolderID, &paused,
		&s.ExecutionID, &s.DefinitionID, &s.CorrelationID, &output, &created, &ordinal, count, nil, nil)
	v.Output, execution.PausedAt = pg.OrEmpty(output), pg.OptionalMillis(paused)
	v.in(&execution)
	s.StepView = v
	return s, StepPosition{created.UnixMicro(), s.ExecutionID, ordinal}, err
}

// stepQuery walks the person's inbox when a reviewer is asked for, else the
// steps themselves; each has its index, so a page costs the same anywhere.
func stepQuery(workspaceID string, f StepFilter, about subject.Narrow, after *StepPosition, size int) (string, []any) {
	q := pg.NewConditions(workspaceID)
	from, order := "steps s", newestStep
	if f.ReviewerID != "" {
		from = "step_reviewers i JOIN steps s ON s.workspace_id = i.workspace_id AND s.execution_id = i.execution_id AND s.id = i.step_id"
		order = newestInbox
		q.And("i.workspace_id = $1 AND i.open AND i.user_id = %s", f.ReviewerID)
	}
	q.Equal("s.status", f.Status)
	q.Equal("s.node_type", f.NodeType)
	q.Equal("s.execution_id", f.ExecutionID)
	q.Equal("s.definition_id", f.DefinitionID)
	about.Keep(q, "s.organization_key", "s.document_key")
	if after != nil {
		order.After(q, time.UnixMicro(after.At), after.ExecutionID, after.Ordinal)
	}
	rows := order.First(q, `SELECT `+stepColumns+`, `+subject.ID("e.organization_key")+`, `+subject.ID("e.document_key")+`, e.folder_id, e.paused_at,
       s.execution_id, s.definition_id, e.correlation_id, s.output, s.created_at, s.ordinal
FROM `+from+` JOIN executions e ON e.workspace_id = s.workspace_id AND e.id = s.execution_id
WHERE s.workspace_id = $1`, size)
	return newestStep.Fit(q, rows, stepBytes, size), q.Args
}

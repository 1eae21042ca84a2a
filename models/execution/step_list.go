package execution

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
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

// StepPage is one page, newest first, and where the next one begins; nil on the
// last page.
type StepPage struct {
	Items []ListedStep
	Next  *StepPosition
}

// ListSteps reads a page of steps, newest first. A page ends early when it
// becomes larger than 8 MiB; it has one step at least.
func (e *Executions) ListSteps(ctx context.Context, workspaceID string, f StepFilter, after *StepPosition, size int) (*StepPage, error) {
	query, args := stepQuery(workspaceID, f, after, size)
	rows, err := e.db.Pool.Query(ctx, query, args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	page, last, found := &StepPage{}, StepPosition{}, 0
	page.Items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (ListedStep, error) {
		var s ListedStep
		var output []byte
		var created time.Time
		v, err := scanStepView(row, &s.ExecutionID, &s.DefinitionID, &s.CorrelationID, &output, &created, &last.Ordinal, &found, nil, nil)
		v.Output = pg.OrEmpty(output)
		s.StepView, last.At, last.ExecutionID = v, created.UnixMicro(), s.ExecutionID
		return s, err
	})
	if err != nil {
		return nil, pg.Translate(err)
	}
	if len(page.Items) < found {
		page.Next = &last
	}
	return page, nil
}

// stepQuery walks the person's inbox when a reviewer is asked for, else the
// steps themselves; each has its index, so a page costs the same anywhere.
func stepQuery(workspaceID string, f StepFilter, after *StepPosition, size int) (string, []any) {
	q := pg.NewConditions(workspaceID)
	from, order := "steps s", "s.created_at DESC, s.execution_id DESC, s.ordinal DESC"
	position := "(s.created_at, s.execution_id, s.ordinal) < (%s, %s, %s)"
	if f.ReviewerID != "" {
		from = "step_reviewers i JOIN steps s ON s.workspace_id = i.workspace_id AND s.execution_id = i.execution_id AND s.id = i.step_id"
		order = "i.step_created DESC, i.execution_id DESC, i.step_ordinal DESC"
		position = "(i.step_created, i.execution_id, i.step_ordinal) < (%s, %s, %s)"
		q.And("i.workspace_id = $1 AND i.open AND i.user_id = %s", f.ReviewerID)
	}
	q.Equal("s.status", f.Status)
	q.Equal("s.node_type", f.NodeType)
	q.Equal("s.execution_id", f.ExecutionID)
	q.Equal("s.definition_id", f.DefinitionID)
	q.Equal("s.organization_id", f.OrganizationID)
	q.Equal("s.document_id", f.DocumentID)
	if after != nil {
		q.And(position, time.UnixMicro(after.At), after.ExecutionID, after.Ordinal)
	}
	rows := `SELECT ` + stepColumns + `, s.execution_id, s.definition_id, e.correlation_id, s.output, s.created_at, s.ordinal
FROM ` + from + ` JOIN executions e ON e.workspace_id = s.workspace_id AND e.id = s.execution_id
WHERE s.workspace_id = $1` + q.Text() + ` ORDER BY ` + order + ` LIMIT ` + q.Value(size+1)
	return pg.PageThatFits(rows, stepBytes, "p.created_at DESC, p.execution_id DESC, p.ordinal DESC", q.Value(size), q.Value(pg.AnswerLimit)), q.Args
}

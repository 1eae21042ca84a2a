package view

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// MaxFindings is how many findings of one execution are read.
const MaxFindings = 100

// Finding is an annotation in which an agent says what it found.
type Finding struct {
	AnnotationID, DocumentID string
	// URL is the page that it is about, Reason what was found.
	URL    *string
	Reason json.RawMessage
}

// Findings are how many annotations agents made in an execution, in all and by how grave they are.
type Findings struct {
	Total      int64
	BySeverity map[string]int64
}

const countFindings = `
SELECT wanted.id, a.agent->'reason'->>'severity', count(*) FROM unnest($2::text[]) wanted (id)
JOIN annotations a ON a.workspace_id = $1 AND hashtextextended(a.agent->>'executionId', 0) = hashtextextended(wanted.id, 0)
    AND a.agent->>'executionId' = wanted.id GROUP BY 1, 2`

// CountFindings counts what agents found in executions, by these; one without findings is not among them.
func (v *Views) CountFindings(ctx context.Context, workspaceID string, executionIDs []string) (map[string]Findings, error) {
	rows, err := v.db.Pool.Query(ctx, countFindings, workspaceID, executionIDs)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found := map[string]Findings{}
	var id, severity string
	var count int64
	_, err = pgx.ForEachRow(rows, []any{&id, &severity, &count}, func() error {
		f := found[id]
		if f.BySeverity == nil {
			f.BySeverity = map[string]int64{}
		}
		f.Total, f.BySeverity[severity] = f.Total+count, count
		found[id] = f
		return nil
	})
	return found, pg.Translate(err)
}

const readFindings = `
SELECT a.annotation_id, (SELECT d.document_id FROM document_rows d WHERE d.key = a.document_key), a.agent->>'url', a.agent->'reason' FROM annotations a
WHERE a.workspace_id = $1 AND hashtextextended(a.agent->>'executionId', 0) = hashtextextended($2, 0) AND a.agent->>'executionId' = $2
ORDER BY a.annotation_id LIMIT $3`

// Findings reads what agents found in an execution, at most MaxFindings, by their ids.
func (v *Views) Findings(ctx context.Context, workspaceID, executionID string) ([]Finding, error) {
	rows, err := v.db.Pool.Query(ctx, readFindings, workspaceID, executionID, MaxFindings)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Finding, err error) {
		err = row.Scan(&f.AnnotationID, &f.DocumentID, &f.URL, &f.Reason)
		return f, err
	})
	return found, pg.Translate(err)
}

package view

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// listedSteps is how many of an execution's newest steps a list shows.
	listedSteps = 50
	// stepBytes is about how large a listed step p is, from its columns and the
	// names that they have in an answer.
	stepBytes = `600 + octet_length(p::text)`
)

// Wanted says what is read of the steps of an execution: all of them where StepIDs is nil, with
// what they began with where Input is set.
type Wanted struct {
	StepIDs []string
	Input   bool
}

// Get reads an execution with its steps at one moment. Inputs, outputs and reviewers of the oldest
// steps are left out when all together exceed 8 MiB. Errors: NOT_FOUND.
func (v *Views) Get(ctx context.Context, workspaceID, executionID string, wanted Wanted) (*ExecutionView, error) {
	var e ExecutionView
	found := false
	err := v.db.ReadBatch(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT `+executionColumns+`, e.trigger_context FROM executions e WHERE e.workspace_id = $1 AND e.id = $2`,
			workspaceID, executionID).QueryRow(func(row pgx.Row) (err error) {
			var input []byte
			e, err = scanExecution(row, &input)
			e.TriggerContext, found = pg.OrEmpty(input), err == nil
			if pg.IsNoRow(err) {
				return nil
			}
			return err
		})
		queueSteps(b, &e, workspaceID, executionID, wanted)
	})
	if err == nil && !found {
		err = fault.NotFound("execution")
	}
	return &e, err
}

// queueSteps reads steps newest first, so that those whose input, output and reviewers no
// longer fit are the oldest; the answer has them in order of creation. Running
// totals are made in the database: what does not fit is not even sent.
func queueSteps(b *pgx.Batch, e *ExecutionView, workspaceID, executionID string, wanted Wanted) {
	const query = `SELECT ` + stepHead + `, CASE WHEN s.fits THEN s.reviewers END, s.fits, CASE WHEN s.fits THEN s.output END, CASE WHEN s.fits AND $5 THEN s.input END
FROM (SELECT *, sum(coalesce(octet_length(output::text), 2) + coalesce(octet_length(reviewers::text), 0)
             + CASE WHEN $5 THEN coalesce(octet_length(input::text), 2) ELSE 0 END) OVER (ORDER BY ordinal DESC) <= $4 AS fits
      FROM (SELECT s.*, CASE WHEN s.node_type = 'human' THEN ` + stepReviewers + ` END AS reviewers FROM steps s
            WHERE s.workspace_id = $1 AND s.execution_id = $2 AND ($3::text[] IS NULL OR s.id = ANY ($3))) all_steps) s ORDER BY s.ordinal`
	b.Queue(query, workspaceID, executionID, wanted.StepIDs, list.AnswerLimit, wanted.Input).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var output, input []byte
			var fits bool
			s, err := scanStep(rows, &fits, &output, &input)
			if err != nil {
				return err
			}
			s.Output, s.OutputOmitted = pg.OrEmpty(output), !fits
			if fits && wanted.Input {
				s.Input = pg.OrEmpty(input)
			}
			s.in(e)
			e.Steps = append(e.Steps, s)
		}
		return rows.Err()
	})
}

// Filter narrows a list; empty fields do not.
type Filter struct {
	DefinitionID   string `json:"definitionId"`
	Status         string `json:"status"`
	CorrelationID  string `json:"correlationId"`
	IdempotencyKey string `json:"idempotencyKey"`
	// StartedAfter is inclusive, StartedBefore exclusive; epoch milliseconds.
	StartedAfter  *int64 `json:"startedAfter"`
	StartedBefore *int64 `json:"startedBefore"`
}

// Position is where a page of executions ended: at the start and the id of its
// last one.
type Position = list.Position

// Page is a page of executions, newest first.
type Page = list.Page[ExecutionView, Position]

// newestStart is the order of a list, newestID the same one by its key: ids begin
// with the time of the start.
var (
	newestStart = list.Descending("e.started_at", "e.id")
	newestID    = list.Descending("e.id")
)

// List reads a page of executions, newest first, each with its latest 50 steps
// without outputs. A page ends early when it becomes larger than 8 MiB.
func (v *Views) List(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	var found list.Found[ExecutionView, Position]
	query, args := listQuery(workspaceID, f, after, size)
	b := &pgx.Batch{}
	b.Queue(query, args...).Query(found.Collect(func(row pgx.CollectableRow) (ExecutionView, Position, error) {
		var started time.Time
		e, err := scanExecution(row, &started)
		return e, list.PositionOf(started, e.ExecutionID), err
	}))
	if err := v.db.Pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, pg.Translate(err)
	}
	found.Cut(size)
	kept, err := v.listSteps(ctx, workspaceID, found.Items)
	if err != nil {
		return nil, err
	}
	found.Cut(kept)
	return found.Page(), nil
}

// listQuery has the conditions in use only, so that each has its index. What a
// workspace has in all is read by its key.
func listQuery(workspaceID string, f Filter, after *Position, size int) (string, []any) {
	q := pg.NewConditions(workspaceID)
	q.Equal("(e.definition_id || '')", f.DefinitionID) // as its index has it
	q.Equal("e.status", f.Status)
	q.Equal("e.correlation_id", f.CorrelationID)
	q.Equal("e.idempotency_key", f.IdempotencyKey)
	order := newestStart
	if all := len(q.Parts) == 0; all {
		order = newestID
		f.ids(q, after)
	} else {
		f.times(q, after)
	}
	return order.First(q, `SELECT `+executionColumns+`, e.started_at FROM executions e WHERE e.workspace_id = $1`, size), q.Args
}

// ids bounds a list by the ids of its executions, times by when they started.
func (f Filter) ids(q *pg.Conditions, after *Position) {
	if f.StartedAfter != nil {
		q.And("e.id >= %s", id.FirstExecution(time.UnixMilli(*f.StartedAfter)))
	}
	if f.StartedBefore != nil {
		q.And("e.id < %s", id.FirstExecution(time.UnixMilli(*f.StartedBefore)))
	}
	if after != nil {
		newestID.After(q, after.ID)
	}
}

func (f Filter) times(q *pg.Conditions, after *Position) {
	if f.StartedAfter != nil {
		q.And("e.started_at >= %s", time.UnixMilli(*f.StartedAfter))
	}
	if f.StartedBefore != nil {
		q.And("e.started_at < %s", time.UnixMilli(*f.StartedBefore))
	}
	if after != nil {
		newestStart.After(q, after.Values()...)
	}
}

// latestSteps reads the latest steps of executions, of those that fit into one
// answer: bytes are the sizes of the executions themselves, summed up, about is that
// of the ids which each of their steps repeats.
const latestSteps = `
SELECT * FROM (
    SELECT p.*, p.bytes + sum(` + stepBytes + ` + p.about) OVER (ORDER BY p.position) AS total FROM (
        SELECT ` + stepColumns + `, s.ordinal, wanted.bytes, wanted.about, wanted.position
        FROM unnest($2::text[], $3::bigint[], $4::integer[]) WITH ORDINALITY AS wanted (id, bytes, about, position)
        CROSS JOIN LATERAL (SELECT * FROM steps WHERE workspace_id = $1 AND execution_id = wanted.id ORDER BY ordinal DESC LIMIT $5) s
    ) p
) p WHERE p.total <= $6 OR p.position = 1 ORDER BY p.position, p.ordinal`

// listSteps fills in the latest steps and returns how many executions fit into
// one answer, one at least.
func (v *Views) listSteps(ctx context.Context, workspaceID string, items []ExecutionView) (int, error) {
	ids, bytes, about := make([]string, len(items)), make([]int64, len(items)), make([]int, len(items))
	kept, total := min(1, len(items)), int64(0)
	for i, item := range items {
		text, err := json.Marshal(item)
		if err != nil {
			return 0, err
		}
		total += int64(len(text))
		ids[i], bytes[i] = item.ExecutionID, total
		about[i] = len(pg.Present(item.OrganizationID)) + len(pg.Present(item.DocumentID)) + len(pg.Present(item.FolderID))
	}
	rows, err := v.db.Pool.Query(ctx, latestSteps, workspaceID, ids, bytes, about, listedSteps, list.AnswerLimit)
	if err != nil {
		return 0, pg.Translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		s, err := scanStep(rows, nil, nil, nil, &kept, nil)
		if err != nil {
			return 0, pg.Translate(err)
		}
		s.in(&items[kept-1])
		items[kept-1].Steps = append(items[kept-1].Steps, s)
	}
	return kept, pg.Translate(rows.Err())
}

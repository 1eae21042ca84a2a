package job

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Filter narrows a list of jobs. Kinds are those that are listed; a Status that is empty does not narrow.
type Filter struct {
	Kinds  []string `json:"kinds"`
	Status string   `json:"status"`
}

// Listed is a job in a list. Done is how many rows it has dealt with.
type Listed struct {
	ID, Kind string
	// Status is pending, in_progress, completed or failed.
	Status    string
	CreatedAt time.Time
	EndedAt   *time.Time
	Done      int64
	// Failure is nil unless the job has failed.
	Failure *Failure
}

// Position is where a page of jobs ended.
type Position = list.Position

// Page is a page of jobs, newest first.
type Page = list.Page[Listed, Position]

var newest = list.Descending("j.created_at", "j.id")

// status is the state of a job j.
const status = `CASE WHEN j.error_code IS NOT NULL THEN 'failed' WHEN j.ended_at IS NOT NULL THEN 'completed'
     WHEN j.started_at IS NOT NULL THEN 'in_progress' ELSE 'pending' END`

// List reads a page of the jobs of a workspace, newest first.
func (j *Jobs) List(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	q := pg.NewConditions(workspaceID)
	q.And("j.kind = ANY (%s)", f.Kinds)
	q.Equal("("+status+")", f.Status)
	if after != nil {
		newest.After(q, after.Values()...)
	}
	query := newest.First(q, `SELECT j.id, j.kind, `+status+`, j.created_at, j.ended_at, j.done, j.error_code, j.error_message
FROM jobs j WHERE j.workspace_id = $1`, size)
	rows, err := j.db.Pool.Query(ctx, query, q.Args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var found list.Found[Listed, Position]
	if err := found.Collect(scanListed)(rows); err != nil {
		return nil, pg.Translate(err)
	}
	found.Cut(size)
	return found.Page(), nil
}

func scanListed(row pgx.CollectableRow) (Listed, Position, error) {
	var l Listed
	var code, message *string
	err := row.Scan(&l.ID, &l.Kind, &l.Status, &l.CreatedAt, &l.EndedAt, &l.Done, &code, &message)
	if code != nil {
		l.Failure = &Failure{*code, *message}
	}
	return l, list.PositionOf(l.CreatedAt, l.ID), err
}

package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// List gives the living endpoints, newest first. Errors: the gate.
func (w *Webhooks) List(ctx context.Context, workspaceID string, mark *Mark, size int) (*Turn[EndpointView], error) {
	if err := gate(ctx, w.db.Pool, workspaceID, ""); err != nil {
		return nil, Translate(err)
	}
	where := newConditions(workspaceID)
	where.and("deleted_at IS NULL")
	return listing[EndpointView]{
		columns: endpointColumns, from: "endpoints WHERE workspace_id = $1", where: where, at: "created_at", scan: scanEndpoint,
		mark: func(e EndpointView) Mark { return Mark{At: e.CreatedAt, ID: e.ID} },
	}.page(ctx, w.db, mark, size)
}

// EndpointAttempt is one attempt at an endpoint that ended.
type EndpointAttempt struct {
	ID, MessageID, EndpointID, Event string
	Attempt                          int
	Cause                            string
	Succeeded                        bool
	Class                            string
	// HTTPStatus and ResponseBody are nil where no response came, DurationMs
	// where it is not known.
	HTTPStatus, DurationMs *int
	StartedAt              time.Time
	NextAttemptAt          *time.Time
	URL                    string
	ResponseBody           *string
}

// AttemptFilter narrows a list of attempts; empty fields narrow nothing, but one
// of the ids is needed.
type AttemptFilter struct {
	MessageID, EndpointID string
	Succeeded             *bool
	Class                 string
	// After and Before are the bounds of StartedAt, both left out themselves.
	After, Before *time.Time
}

// Attempts gives attempts, newest first. Ids that are not known have none.
// Errors: the gate.
func (w *Webhooks) Attempts(ctx context.Context, workspaceID string, f AttemptFilter, mark *Mark, size int) (*Turn[EndpointAttempt], error) {
	if err := gate(ctx, w.db.Pool, workspaceID, ""); err != nil {
		return nil, Translate(err)
	}
	where := newConditions(workspaceID)
	where.equal("message_id", f.MessageID)
	if f.EndpointID != "" {
		endpointID, err := w.endpointNamed(ctx, workspaceID, f.EndpointID)
		if err != nil {
			return nil, Translate(err)
		}
		where.equal("endpoint_id", endpointID)
	}
	where.equal("class", f.Class)
	if f.Succeeded != nil {
		where.and("succeeded = %s", *f.Succeeded)
	}
	if f.After != nil {
		where.and("started_at > %s", *f.After)
	}
	if f.Before != nil {
		where.and("started_at < %s", *f.Before)
	}
	return listing[EndpointAttempt]{
		columns: `id, message_id, endpoint_id, event, attempt, cause, succeeded, class, http_status, duration_ms, started_at, next_attempt_at,
       url, response_body`, from: "endpoint_attempts WHERE workspace_id = $1", where: where, at: "started_at", scan: scanEndpointAttempt,
		mark: func(a EndpointAttempt) Mark { return Mark{At: a.StartedAt, ID: a.ID} },
	}.page(ctx, w.db, mark, size)
}

// endpointNamed gives the id behind an endpoint's id, a deleted one's too, or a
// living one's uid; what is neither stays as it is.
func (w *Webhooks) endpointNamed(ctx context.Context, workspaceID, ref string) (string, error) {
	var endpointID string
	err := w.db.Pool.QueryRow(ctx, `SELECT id FROM endpoints WHERE workspace_id = $1 AND (id = $2 OR uid = $2 AND deleted_at IS NULL)
ORDER BY (id = $2) DESC LIMIT 1`, workspaceID, ref).Scan(&endpointID)
	if IsNoRow(err) {
		return ref, nil
	}
	return endpointID, err
}

func scanEndpointAttempt(row pgx.CollectableRow) (EndpointAttempt, error) {
	var a EndpointAttempt
	err := row.Scan(&a.ID, &a.MessageID, &a.EndpointID, &a.Event, &a.Attempt, &a.Cause, &a.Succeeded, &a.Class, &a.HTTPStatus, &a.DurationMs,
		&a.StartedAt, &a.NextAttemptAt, &a.URL, &a.ResponseBody)
	return a, err
}

package delivery

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// endpointColumns are read by scanEndpoint.
const endpointColumns = `id, url, description, filter_types, channels, disabled, rate_limit, uid, metadata, created_at, updated_at`

func scanEndpoint(row pgx.CollectableRow) (Endpoint, error) {
	var e endpointRow
	err := row.Scan(&e.ID, &e.URL, &e.Description, (*[]string)(&e.FilterTypes), (*[]string)(&e.Channels), &e.Disabled, &e.RateLimit, &e.UID, &e.Metadata,
		&e.CreatedAt, &e.UpdatedAt)
	if err != nil {
		return Endpoint{}, err
	}
	return e.view()
}

// List returns the endpoints that are not deleted, newest first. Errors: the gate.
func (w *Endpoints) List(ctx context.Context, workspaceID string, from *list.TwoWayPosition, size int) (*list.TwoWayPage[Endpoint], error) {
	if err := requireEnabled(ctx, w.db.Gorm, workspaceID); err != nil {
		return nil, pg.Translate(err)
	}
	where := pg.NewConditions(workspaceID)
	where.And("deleted_at IS NULL AND NOT simple")
	return list.TwoWay[Endpoint]{
		Columns: endpointColumns, From: "endpoints WHERE workspace_id = $1", Where: where, Order: list.Descending("created_at", "id"), Scan: scanEndpoint,
		Position: func(e Endpoint) list.TwoWayPosition { return list.TwoWayPosition{At: e.CreatedAt, ID: e.ID} },
	}.Page(ctx, w.db, from, size)
}

// Attempt is one attempt at an endpoint that ended.
type Attempt struct {
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

// AttemptFilter narrows a list of attempts; an empty field matches all, but one of
// the ids is required.
type AttemptFilter struct {
	MessageID, EndpointID string
	Succeeded             *bool
	Class                 string
	// After and Before are the bounds of StartedAt, both left out themselves.
	After, Before *time.Time
}

// Attempts returns attempts, newest first. Ids that are not known have none.
// Errors: the gate.
func (w *Endpoints) Attempts(ctx context.Context, workspaceID string, f AttemptFilter, from *list.TwoWayPosition, size int) (*list.TwoWayPage[Attempt], error) {
	if err := requireEnabled(ctx, w.db.Gorm, workspaceID); err != nil {
		return nil, pg.Translate(err)
	}
	where := pg.NewConditions(workspaceID)
	where.Equal("message_id", f.MessageID)
	if f.EndpointID != "" {
		endpointID, err := w.endpointNamed(ctx, workspaceID, f.EndpointID)
		if err != nil {
			return nil, pg.Translate(err)
		}
		where.Equal("destination_id", endpointID)
	}
	f.outcome(where)
	if f.After != nil {
		where.And("started_at > %s", *f.After)
	}
	if f.Before != nil {
		where.And("started_at < %s", *f.Before)
	}
	return list.TwoWay[Attempt]{
		Columns: `id, message_id, destination_id, event, attempt, cause, class = 'ok', class, http_status, duration_ms, started_at, next_attempt_at,
       url, response_body`, From: "attempts WHERE workspace_id = $1 AND message_id IS NOT NULL", Where: where, Order: list.Descending("started_at", "id"),
		Scan:     scanEndpointAttempt,
		Position: func(a Attempt) list.TwoWayPosition { return list.TwoWayPosition{At: a.StartedAt, ID: a.ID} },
	}.Page(ctx, w.db, from, size)
}

// outcome narrows by how an attempt went, in the words of the indexes: the class of a good
// one is always the same.
func (f AttemptFilter) outcome(where *pg.Conditions) {
	where.Equal("class", f.Class)
	switch {
	case f.Succeeded == nil:
	case *f.Succeeded:
		where.Equal("class", string(webhook.OK))
	default:
		where.And("class <> 'ok'")
	}
}

// endpointNamed returns the id of the endpoint with that id, which may be deleted, or
// with that uid, which may not; anything else stays as it is.
func (w *Endpoints) endpointNamed(ctx context.Context, workspaceID, ref string) (string, error) {
	byID := clause.OrderBy{Expression: gorm.Expr("(id = ?) DESC", ref)}
	row, err := gorm.G[endpointRow](w.db.Gorm).Select("id").Scopes(pg.Tenant(workspaceID)).
		Where("id = ? OR uid = ? AND deleted_at IS NULL", ref, ref).Order(byID).Take(ctx)
	if pg.IsNoRow(err) {
		return ref, nil
	}
	return row.ID, err
}

func scanEndpointAttempt(row pgx.CollectableRow) (Attempt, error) {
	var a Attempt
	err := row.Scan(&a.ID, &a.MessageID, &a.EndpointID, &a.Event, &a.Attempt, &a.Cause, &a.Succeeded, &a.Class, &a.HTTPStatus, &a.DurationMs,
		&a.StartedAt, &a.NextAttemptAt, &a.URL, &a.ResponseBody)
	return a, err
}

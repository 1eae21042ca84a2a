package delivery

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/workspace"
)

// EndpointChange is what an update sends: a field that is set is changed, one
// in Cleared becomes unset.
type EndpointChange struct {
	URL, Description      *string
	FilterTypes, Channels []string
	Disabled              *bool
	RateLimit             *int
	Metadata              map[string]string
	Cleared               Cleared
}

// Cleared names the fields of an endpoint that an update unsets.
type Cleared struct{ Description, FilterTypes, Channels, RateLimit, Metadata bool }

// Empty reports whether nothing was sent.
func (c EndpointChange) Empty() bool { return len(c.fields()) == 0 }

func (c EndpointChange) applied(e *Endpoint) {
	pg.SetIfSent(&e.URL, c.URL)
	pg.SetIfSent(&e.Disabled, c.Disabled)
	if c.Description != nil || c.Cleared.Description {
		e.Description = c.Description
	}
	if c.FilterTypes != nil || c.Cleared.FilterTypes {
		e.FilterTypes = c.FilterTypes
	}
	if c.Channels != nil || c.Cleared.Channels {
		e.Channels = c.Channels
	}
	if c.RateLimit != nil || c.Cleared.RateLimit {
		e.RateLimit = c.RateLimit
	}
	if c.Metadata != nil || c.Cleared.Metadata {
		e.Metadata = c.Metadata
	}
}

func (c EndpointChange) fields() []string {
	return workspace.SentNames(
		workspace.Sent("url", c.URL != nil), workspace.Sent("description", c.Description != nil || c.Cleared.Description),
		workspace.Sent("filterTypes", c.FilterTypes != nil || c.Cleared.FilterTypes),
		workspace.Sent("channels", c.Channels != nil || c.Cleared.Channels), workspace.Sent("disabled", c.Disabled != nil),
		workspace.Sent("rateLimit", c.RateLimit != nil || c.Cleared.RateLimit), workspace.Sent("metadata", c.Metadata != nil || c.Cleared.Metadata),
	)
}

// updateEndpoint writes all that may change, in one trip with what follows from it.
// Enabling ends the failure streak.
const updateEndpoint = `
UPDATE endpoints SET url = $3, description = $4, filter_types = $5, channels = $6, disabled = $7, rate_limit = $8, metadata = $9,
       failing_since = CASE WHEN $10 THEN NULL ELSE failing_since END, failures = CASE WHEN $10 THEN 0 ELSE failures END,
       last_attempt_at = CASE WHEN $10 THEN NULL ELSE last_attempt_at END, updated_at = clock_timestamp()
WHERE workspace_id = $1 AND id = $2 RETURNING updated_at`

// Update changes what is sent and gives the endpoint. Disabling ends what waits
// for it; no attempt starts after it returns. Errors: the gate; NOT_FOUND.
func (w *Endpoints) Update(ctx context.Context, workspaceID string, caller workspace.Caller, ref string, c EndpointChange) (Endpoint, error) {
	var e Endpoint
	disables, enables := c.Disabled != nil && *c.Disabled, c.Disabled != nil && !*c.Disabled
	err := w.db.InTx(ctx, func(tx *pg.Tx) error {
		var err error
		if e, err = findListed(ctx, tx, workspaceID, ref, lockToChange); err != nil {
			return err
		}
		c.applied(&e)
		b := &pgx.Batch{}
		b.Queue(updateEndpoint, workspaceID, e.ID, e.URL, e.Description, e.FilterTypes, e.Channels, e.Disabled, e.RateLimit,
			metadataOrNil(e.Metadata), enables).QueryRow(func(row pgx.Row) error { return row.Scan(&e.UpdatedAt) })
		if enables {
			tx.Notify(notifier.Destinations, e.ID)
		}
		if disables {
			CancelPending(tx, b, workspaceID, []string{e.ID}, webhook.EndpointDisabled)
		}
		caller.Audit(e.ID, c.fields()...).Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return Endpoint{}, err
	}
	if disables {
		err = AwaitStarts(ctx, w.db, []string{e.ID})
	}
	return e, err
}

// Delete ends an endpoint: its secrets go, what waits for it ends, and no
// attempt starts after it returns. It gives the endpoint's id. Errors: the gate;
// NOT_FOUND.
func (w *Endpoints) Delete(ctx context.Context, workspaceID string, caller workspace.Caller, ref string) (endpointID string, err error) {
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := findListed(ctx, tx, workspaceID, ref, lockToChange)
		if err != nil {
			return err
		}
		endpointID = e.ID
		b := &pgx.Batch{} // one trip with the audit row
		b.Queue(`UPDATE endpoints SET deleted_at = clock_timestamp(), updated_at = clock_timestamp() WHERE id = $1`, e.ID)
		b.Queue(`DELETE FROM endpoint_secrets WHERE endpoint_id = $1`, e.ID)
		CancelPending(tx, b, workspaceID, []string{e.ID}, webhook.EndpointDeleted)
		caller.Audit(e.ID, "endpoint", "secret").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return "", err
	}
	return endpointID, AwaitStarts(ctx, w.db, []string{endpointID})
}

// expireEndpoints removes many rows and gives their ids in one statement, which
// GORM's deletes do not.
const expireEndpoints = `
DELETE FROM endpoints WHERE id = ANY(ARRAY(
	SELECT id FROM endpoints WHERE deleted_at < now() - make_interval(days => $1) ORDER BY deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id`

// Expire removes endpoints that were deleted so many days ago, so many at once, with
// their destinations: their messages are gone by then.
func (w *Endpoints) Expire(ctx context.Context, days, atOnce int) error {
	for gone := atOnce; gone == atOnce; {
		err := w.db.InTx(ctx, func(tx *pg.Tx) (err error) {
			gone, err = expire(ctx, tx, days, atOnce)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// expire removes one batch and gives how many endpoints it had.
func expire(ctx context.Context, tx *pg.Tx, days, atOnce int) (int, error) {
	rows, err := tx.Query(ctx, expireEndpoints, days, atOnce)
	if err != nil {
		return 0, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM destinations WHERE id = ANY($1)`, ids)
	return len(ids), err
}

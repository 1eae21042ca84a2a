package models

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/webhook"
)

// draw takes due rows, oldest first, no more of an origin than it has room for
// and none without the lease. Each row's attempt begins with it. The rows are
// found by the index, locked without waiting, and updated by their ids alone: an
// array instead of a join keeps the plan from ever reading the whole table, and
// a condition on the state would make it read the whole index of waiting rows.
const draw = `
WITH lease AS (
    SELECT clock_timestamp() AS now FROM destinations WHERE workspace_id = $1 AND id = $2 AND driver = $3
), due AS (
    SELECT d.id, d.due_at, o.slow
    FROM lease l CROSS JOIN waiting_origins($2) o CROSS JOIN LATERAL (
        SELECT w.id, w.due_at FROM deliveries w
        WHERE w.destination_id = $2 AND w.origin = o.origin AND w.state = 'pending' AND w.due_at <= l.now
        ORDER BY w.due_at, w.id LIMIT greatest(0, least(o.room, $4)) FOR UPDATE SKIP LOCKED
    ) d
    WHERE o.room > 0 AND o.ready_at <= l.now
), chosen AS (
    SELECT id, slow FROM (
        SELECT id, due_at, slow, row_number() OVER (PARTITION BY slow ORDER BY due_at, id) AS place FROM due
    ) ranked WHERE NOT slow OR place <= $5 ORDER BY due_at, id LIMIT $4
), drawn AS (
    UPDATE deliveries SET state = 'sending', attempt = attempt + 1, begun_at = (SELECT now FROM lease),
           held_until = (SELECT now FROM lease) + $6::interval
    WHERE id = ANY(ARRAY(SELECT id FROM chosen))
    RETURNING id, workspace_id, execution_id, seq, origin, attempt, due_at
)
SELECT d.id, d.workspace_id, d.origin, (SELECT c.slow FROM chosen c WHERE c.id = d.id), d.attempt - 1, coalesce(x.receiver_url, ''),
       x.receiver_secret, e.type, e.id, d.execution_id, x.definition_id, x.definition_version, e.step_id, e.status, d.seq, e.at,
       x.correlation_id, e.data
FROM drawn d
JOIN executions x ON x.workspace_id = d.workspace_id AND x.id = d.execution_id
JOIN events e ON e.workspace_id = d.workspace_id AND e.execution_id = d.execution_id AND e.seq = d.seq
ORDER BY d.due_at, d.id`

// DrawLimits bound one draw.
type DrawLimits struct {
	// Kind is the destination's, as TakeLease gave it.
	Kind string
	// Rows is how many can be sent at once, Slow how many of them to origins in
	// the slow lane.
	Rows, Slow int
}

// moreDue tells whether rows are due that could not be drawn.
const moreDue = `SELECT EXISTS (SELECT 1 FROM deliveries WHERE destination_id = $1 AND state = 'pending' AND due_at <= clock_timestamp())`

// Batch is what one draw gave. More tells that due rows were left, for want of
// room, of places or of the lease.
type Batch struct {
	Rows []*Drawn
	More bool
	// Of endpoints and mails: Cut tells that rows are left for EndCut, Slow that
	// the destination is in the slow lane, Again how long its pace allows nothing.
	Cut, Slow bool
	Again     time.Duration
}

// Draw begins attempts for driver. No rows and no error means that nothing is
// due, that origins have no room, or that another drives now.
func (d *Deliveries) Draw(ctx context.Context, workspaceID, destinationID, driver string, l DrawLimits) (Batch, error) {
	if paced(l.Kind) {
		return d.drawPaced(ctx, workspaceID, destinationID, driver, l)
	}
	var drawn Batch
	batch := &pgx.Batch{}
	batch.Queue(draw, workspaceID, destinationID, driver, l.Rows, l.Slow, receiverHold).Query(func(rows pgx.Rows) (err error) {
		drawn.Rows, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Drawn, error) {
			return d.scanDrawn(ctx, row, destinationID)
		})
		return err
	})
	batch.Queue(moreDue, destinationID).QueryRow(func(row pgx.Row) error { return row.Scan(&drawn.More) })
	if err := d.db.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return Batch{}, translate(err)
	}
	return drawn, nil
}

// scanDrawn opens the receiver's secret. One that does not open leaves it nil:
// the sender says so and the row stays held.
func (d *Deliveries) scanDrawn(ctx context.Context, row pgx.CollectableRow, destinationID string) (*Drawn, error) {
	r := &Drawn{DestinationID: destinationID, Limit: ReceiverLimit}
	e := &r.Event
	var sealed, data []byte
	err := row.Scan(&r.ID, &r.WorkspaceID, &r.Origin, &r.Slow, &r.Attempt, &r.URL, &sealed, &e.Event, &e.EventID, &e.ExecutionID,
		&e.DefinitionID, &e.DefinitionVersion, &e.StepID, &e.Status, &e.Seq, &e.At, &e.CorrelationID, &data)
	if err != nil {
		return nil, err
	}
	e.Data = data
	r.Secret, err = d.box.Open(executionPlace(r.WorkspaceID, e.ExecutionID, receiverColumn), sealed)
	if err != nil {
		slog.ErrorContext(ctx, "a receiver's secret does not open", "executionId", e.ExecutionID, "error", err)
	}
	return r, nil
}

// reviveBatch is how many expired holds one statement ends.
const reviveBatch = 100

// revive ends holds that ran out: the process died during the attempt. The row
// is due again at once and has used up no step of its schedule.
const revive = `
WITH cut AS (
    SELECT id FROM deliveries WHERE destination_id = $1 AND state = 'sending' AND held_until <= clock_timestamp()
    ORDER BY id LIMIT cardinality($2::text[]) FOR UPDATE SKIP LOCKED
), back AS (
    UPDATE deliveries SET state = 'pending', held_until = NULL, class = $3 WHERE id = ANY(ARRAY(SELECT id FROM cut))
    RETURNING id, workspace_id, attempt, begun_at
)
INSERT INTO delivery_attempts (delivery_id, attempt, id, workspace_id, at, class)
SELECT id, attempt - 1, ($2::text[])[row_number() OVER ()], workspace_id, begun_at, $3 FROM back`

// reviveMessages is revive for endpoints and mails; of mails no attempts are
// kept. The address is the endpoint's present one.
const reviveMessages = `
WITH cut AS (
    SELECT id FROM deliveries WHERE destination_id = $1 AND state = 'sending' AND held_until <= clock_timestamp()
    ORDER BY id LIMIT cardinality($2::text[]) FOR UPDATE SKIP LOCKED
), back AS (
    UPDATE deliveries SET state = 'pending', held_until = NULL, class = $3 WHERE id = ANY(ARRAY(SELECT id FROM cut))
    RETURNING workspace_id, destination_id, message_id, attempt, cause, begun_at, due_at
), kept AS (
    INSERT INTO endpoint_attempts (id, workspace_id, endpoint_id, message_id, event, attempt, cause, succeeded, class, started_at, next_attempt_at, url)
    SELECT ($2::text[])[row_number() OVER ()], b.workspace_id, b.destination_id, b.message_id, m.event, b.attempt, b.cause, false, $3,
           b.begun_at, b.due_at, e.url
    FROM back b JOIN messages m ON m.id = b.message_id JOIN endpoints e ON e.id = b.destination_id
)
SELECT 1 FROM back`

// Revive gives back the rows of a destination whose attempts were interrupted
// and tells how many these were.
func (d *Deliveries) Revive(ctx context.Context, kind, destinationID string) (int, error) {
	statement, total := revive, 0
	if paced(kind) {
		statement = reviveMessages
	}
	for {
		tag, err := d.db.Pool.Exec(ctx, statement, destinationID, newAttemptIDs(reviveBatch), webhook.Interrupted)
		if err != nil {
			return total, translate(err)
		}
		if total += int(tag.RowsAffected()); tag.RowsAffected() < reviveBatch {
			return total, nil
		}
	}
}

func newAttemptIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = id.New(id.Attempt)
	}
	return ids
}

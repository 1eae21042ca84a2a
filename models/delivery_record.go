package models

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
)

// record stores outcomes of attempts that are still under way; of a row that
// was drawn again nothing is kept. An interrupted attempt uses up no step. A row
// under way is known by its hold: a condition on the state would make the plan
// read an index beside the primary key.
const record = `
WITH o AS (
    SELECT o.delivery_id, o.number, o.class, o.status, o.duration, o.attempt_id
    FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::integer[], $6::text[])
         AS o (delivery_id, number, class, status, duration, attempt_id)
), mine AS (
    SELECT id FROM deliveries WHERE id = ANY($1) AND held_until IS NOT NULL ORDER BY id FOR UPDATE
), done AS (
    UPDATE deliveries d SET
        state = CASE WHEN o.class = 'ok' THEN 'delivered' WHEN o.class = 'refused-by-policy' THEN 'refused'
                     WHEN o.class <> 'interrupted' AND d.round >= cardinality($7::interval[]) THEN 'dead' ELSE 'pending' END,
        due_at = CASE WHEN o.class IN ('ok', 'refused-by-policy') THEN NULL
                      WHEN o.class = 'interrupted' THEN d.due_at
                      ELSE clock_timestamp() + ($7::interval[])[d.round + 1] END,
        round = d.round + CASE WHEN o.class IN ('ok', 'interrupted') THEN 0 ELSE 1 END,
        held_until = NULL, class = o.class
    FROM o WHERE d.id = ANY(ARRAY(SELECT id FROM mine)) AND d.id = o.delivery_id AND d.attempt = o.number + 1
    RETURNING d.id, d.workspace_id, d.destination_id, d.begun_at, d.state, o.number, o.class, o.status, o.duration, o.attempt_id
), kept AS (
    INSERT INTO delivery_attempts (delivery_id, attempt, id, workspace_id, at, class, http_status, duration_ms)
    SELECT id, number, attempt_id, workspace_id, begun_at, class, nullif(status, 0), duration FROM done
)
SELECT id, destination_id, state FROM done`

// noteHealth keeps room and failures of origins; a row that stays the same is
// not written. A failure sets the room back to 2, each success doubles it.
const noteHealth = `
INSERT INTO origins (destination_id, origin, room, failures, failed_at, failing_since, last_class)
SELECT n.destination_id, n.origin, least(50, CASE WHEN n.failed THEN 2 ELSE coalesce(o.room, 2) END * n.factor),
       n.losses + CASE WHEN n.won THEN 0 ELSE coalesce(o.failures, 0) END,
       CASE WHEN n.failed THEN clock_timestamp() ELSE o.failed_at END,
       CASE WHEN n.losses > 0 AND n.won THEN clock_timestamp() WHEN n.losses > 0 THEN coalesce(o.failing_since, clock_timestamp()) END,
       n.class
FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::boolean[], $6::integer[], $7::integer[])
     AS n (destination_id, origin, class, failed, won, factor, losses)
JOIN destinations known ON known.id = n.destination_id
LEFT JOIN origins o ON o.destination_id = n.destination_id AND o.origin = n.origin
WHERE o.origin IS NULL OR n.failed OR o.room < 50 OR o.failures > 0 OR o.last_class <> n.class
ON CONFLICT (destination_id, origin) DO UPDATE SET room = excluded.room, failures = excluded.failures, failed_at = excluded.failed_at,
    failing_since = excluded.failing_since, last_class = excluded.last_class`

// Recorded tells what a batch of outcomes did.
type Recorded struct {
	// Kept is how many outcomes counted; the others were of rows drawn again.
	Kept int
	// Moved are the destinations that rows went to while their attempt was under
	// way, and where they now wait.
	Moved []string
	// Disabled holds, for each endpoint that was disabled, the reason.
	Disabled []string
}

// Record stores outcomes together, with the health of their origins. It is safe
// to repeat.
func (d *Deliveries) Record(ctx context.Context, outcomes []Outcome) (Recorded, error) {
	var done Recorded
	for _, part := range d.sorted(outcomes) {
		did, err := part.store(ctx, part.outcomes)
		if err != nil {
			return done, err
		}
		done.Kept += did.Kept
		done.Moved = append(done.Moved, did.Moved...)
		done.Disabled = append(done.Disabled, did.Disabled...)
	}
	return done, nil
}

// recordReceivers stores outcomes of receivers: one round trip, one transaction.
func (d *Deliveries) recordReceivers(ctx context.Context, outcomes []Outcome) (Recorded, error) {
	var done Recorded
	sent := make(map[int64]string, len(outcomes))
	for _, o := range outcomes {
		sent[o.Drawn.ID] = o.Drawn.DestinationID
	}
	batch := &pgx.Batch{}
	batch.Queue(record, recordArgs(outcomes)...).Query(func(rows pgx.Rows) error { return done.scan(rows, sent) })
	if healths := healthOf(outcomes); len(healths) > 0 {
		batch.Queue(noteHealth, healthArgs(healths)...)
	}
	if err := d.db.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return Recorded{}, translate(err)
	}
	return done, nil
}

func (r *Recorded) scan(rows pgx.Rows, sent map[int64]string) error {
	var deliveryID int64
	var destination, state string
	_, err := pgx.ForEachRow(rows, []any{&deliveryID, &destination, &state}, func() error {
		r.Kept++
		if state == DeliveryPending && destination != sent[deliveryID] {
			r.Moved = append(r.Moved, destination)
		}
		return nil
	})
	return err
}

func recordArgs(outcomes []Outcome) []any {
	n := len(outcomes)
	ids, numbers, classes := make([]int64, n), make([]int, n), make([]string, n)
	statuses, durations := make([]int, n), make([]int64, n)
	for i, o := range outcomes {
		ids[i], numbers[i], classes[i] = o.Drawn.ID, o.Drawn.Attempt, string(o.Class)
		statuses[i], durations[i] = o.Status, o.Duration.Milliseconds()
	}
	return []any{ids, numbers, classes, statuses, durations, newAttemptIDs(n), receiverDelays}
}

// health is what a batch says about one origin.
type health struct {
	destinationID, origin string
	class                 webhook.Class
	failed, won           bool
	factor, losses        int32
}

// roomFactor bounds the growth in one batch: 2 times 32 is above the limit.
const roomFactor = 32

func (h *health) add(o Outcome) {
	h.class = o.Class
	if o.good() {
		h.won, h.losses, h.factor = true, 0, min(roomFactor, h.factor*2)
		return
	}
	h.failed, h.factor = true, 1
	h.losses++
}

// healthOf sums up outcomes by origin, in one order everywhere so that two
// batches never wait for each other in a circle. An attempt that was never made
// says nothing about its origin.
func healthOf(outcomes []Outcome) []*health {
	type place struct{ destinationID, origin string }
	found := map[place]*health{}
	var all []*health
	for _, o := range outcomes {
		if o.Class == webhook.Interrupted || o.Class == webhook.RefusedByPolicy {
			continue
		}
		at := place{o.Drawn.DestinationID, o.Drawn.Origin}
		if found[at] == nil {
			found[at] = &health{destinationID: at.destinationID, origin: at.origin, factor: 1}
			all = append(all, found[at])
		}
		found[at].add(o)
	}
	slices.SortFunc(all, func(a, b *health) int {
		return cmp.Or(cmp.Compare(a.destinationID, b.destinationID), cmp.Compare(a.origin, b.origin))
	})
	return all
}

func healthArgs(all []*health) []any {
	n := len(all)
	destinations, origins, classes := make([]string, n), make([]string, n), make([]string, n)
	failed, won, factors, losses := make([]bool, n), make([]bool, n), make([]int32, n), make([]int32, n)
	for i, h := range all {
		destinations[i], origins[i], classes[i] = h.destinationID, h.origin, string(h.class)
		failed[i], won[i], factors[i], losses[i] = h.failed, h.won, h.factor, h.losses
	}
	return []any{destinations, origins, classes, failed, won, factors, losses}
}

const cancelWaiting = `
UPDATE deliveries SET state = CASE WHEN state = 'pending' THEN 'dead' ELSE state END,
       due_at = CASE WHEN state = 'pending' THEN NULL ELSE due_at END,
       class = CASE WHEN state = 'pending' THEN $3 ELSE class END,
       round = CASE WHEN state = 'sending' THEN $4 ELSE round END
WHERE id = ANY(ARRAY(SELECT id FROM deliveries WHERE destination_id = $2 AND workspace_id = $1 AND state IN ('pending', 'sending')
                     ORDER BY id FOR UPDATE))`

// lastRound is above every schedule: the attempt under way is the last.
const lastRound = 1000

// CancelWaiting ends what waits for a destination, as an operator asked. An
// attempt under way may still succeed, it just is the last one.
func (d *Deliveries) CancelWaiting(ctx context.Context, workspaceID, destinationID string) (int, error) {
	tag, err := d.db.Pool.Exec(ctx, cancelWaiting, workspaceID, destinationID, webhook.Cancelled, lastRound)
	return int(tag.RowsAffected()), translate(err)
}

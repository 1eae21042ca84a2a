package delivery

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// claimRows claims due rows, oldest first, and begins an attempt of each. It takes
// no more of an origin than the origin's window has room for, and nothing without
// the lease. When nothing is due, nothing is locked or written. Otherwise the row
// of the destination is locked, so that nobody else counts attempts meanwhile and
// nothing is claimed while a cancellation commits.
//
// Attempts at an endpoint and mails may be limited to a number per second: step is
// the time that one of them uses up, five percent longer than the limit asks, so
// that jitter on the way does not bring more of them into one second; credit is
// the time saved up, at most a twentieth of a second. Without a limit both are
// NULL and bound nothing.
//
// What is recovered for an endpoint waits under an origin of its own, which shares
// window and pace with the endpoint's other rows and comes behind them.
//
// Of many origins it looks at as many as it takes to fill the claim, from the one
// behind next_origin on, which it then moves. Rows are chosen by the index of what
// waits, then locked without waiting, and updated by their ids alone: an array
// instead of a join keeps the plan from ever reading a whole table.
const claimRows = `
WITH lease AS (
    SELECT clock_timestamp() AS now, k.paced_until, 1.05 / CASE k.kind WHEN 'mail' THEN $7::integer ELSE e.rate_limit END::float8 AS step,
           CASE WHEN c.closed IS NULL THEN k.cancel_id ELSE $8::bigint END AS cancel_id, coalesce(c.closed, k.cancel_class) AS cancel_class, k.next_origin
    FROM destinations k LEFT JOIN endpoints e ON e.id = k.id CROSS JOIN LATERAL (SELECT endpoint_closed(k.id) AS closed OFFSET 0) c
    WHERE k.workspace_id = $1 AND k.id = $2 AND k.driver = $3
      AND EXISTS (SELECT 1 FROM open_deliveries w WHERE w.destination_id = $2 AND w.held_until IS NULL AND w.due_at <= clock_timestamp())
    FOR NO KEY UPDATE OF k
), pace AS (
    SELECT l.*, least(greatest(l.step, 0.05), coalesce(extract(epoch FROM l.now - l.paced_until)::float8 + l.step, l.step + 1)) AS credit FROM lease l
), turn AS MATERIALIZED (
    SELECT o.* FROM pace p CROSS JOIN LATERAL waiting_origins($2, coalesce(p.next_origin, ''), $4) o
), due AS (
    SELECT d.id, d.due_at, o.slow, o.origin = 'recovered' AS later
    FROM pace p CROSS JOIN turn o CROSS JOIN LATERAL (
        SELECT w.id, w.due_at FROM open_deliveries w
        WHERE w.destination_id = $2 AND w.origin = o.origin AND w.held_until IS NULL AND w.due_at <= p.now
          AND NOT is_cancelled(coalesce(w.number, w.id), w.cause, p.cancel_id, p.cancel_class)
        ORDER BY w.due_at, w.id
        LIMIT greatest(0, least(o.room, $4::bigint, floor(p.credit / p.step + 0.000001)::bigint))
    ) d
    WHERE o.room > 0 AND o.ready_at <= p.now
), chosen AS (
    SELECT id, slow FROM (
        SELECT id, due_at, slow, later, row_number() OVER (PARTITION BY slow ORDER BY later, due_at, id) AS rank FROM due
    ) ranked WHERE NOT slow OR rank <= $5 ORDER BY later, due_at, id
    LIMIT greatest(0, least($4::bigint, (SELECT max(room) FROM turn WHERE origin IN ('', 'recovered')), (SELECT floor(credit / step + 0.000001)::bigint FROM pace)))
), locked AS (
    SELECT id FROM open_deliveries
    WHERE id = ANY(ARRAY(SELECT id FROM chosen)) AND destination_id = $2 AND held_until IS NULL AND due_at <= (SELECT now FROM lease)
    FOR UPDATE SKIP LOCKED
), held AS (
    UPDATE open_deliveries SET held_until = (SELECT now FROM lease) + $6::interval
    WHERE id = ANY(ARRAY(SELECT id FROM locked)) RETURNING id, origin, due_at
), begun AS (
    UPDATE deliveries SET state = 'sending', attempt = attempt + 1, begun_at = (SELECT now FROM lease)
    WHERE id = ANY(ARRAY(SELECT id FROM held))
    RETURNING id, workspace_id, execution_id, seq, message_id, mail_id, cause, attempt, begun_at
), claimed AS (
    SELECT b.*, CASE h.origin WHEN 'recovered' THEN '' ELSE h.origin END AS origin, h.due_at FROM begun b JOIN held h ON h.id = b.id
), after AS (
    SELECT CASE WHEN (SELECT bool_or(stopped) FROM turn) THEN (SELECT max(origin) FROM turn)
                WHEN p.next_origin <> '' AND n.count > 0 THEN '' END AS next_origin,
           CASE WHEN n.count > 0 THEN p.now + make_interval(secs => p.step * (n.count + 1) - p.credit) END AS paced_until
    FROM pace p, (SELECT count(*) AS count FROM claimed) n
), noted AS (
    UPDATE destinations k SET next_origin = a.next_origin, paced_until = coalesce(a.paced_until, k.paced_until)
    FROM after a WHERE k.id = $2 AND (a.paced_until IS NOT NULL OR k.next_origin IS DISTINCT FROM a.next_origin)
)
SELECT d.id, d.workspace_id, d.origin, d.id = ANY(ARRAY(SELECT id FROM chosen WHERE slow)), d.attempt - 1, d.begun_at, `

// The end of claimRows reads what the claimed rows are about: events of executions
// with their receivers, or messages and mails. Each is looked up by its key, one
// row at a time.
const (
	claimedEvents = `coalesce(x.receiver_url, ''), x.receiver_secret, e.type, e.id, d.execution_id, x.definition_id, x.definition_version,
       e.step_id, e.status, d.seq, e.at, x.correlation_id, e.data
FROM claimed d
CROSS JOIN LATERAL (SELECT * FROM executions WHERE workspace_id = d.workspace_id AND id = d.execution_id OFFSET 0) x
CROSS JOIN LATERAL (SELECT * FROM events WHERE workspace_id = d.workspace_id AND execution_id = d.execution_id AND seq = d.seq OFFSET 0) e
ORDER BY d.due_at, d.id`
	claimedMessages = `d.cause = 'test', coalesce(d.mail_id, ''), coalesce(d.message_id, ''), coalesce(m.event, ''), m.created_at, b.body
FROM claimed d
LEFT JOIN LATERAL (SELECT event, created_at FROM messages WHERE id = d.message_id OFFSET 0) m ON true
LEFT JOIN LATERAL (SELECT body FROM message_bodies WHERE message_id = d.message_id OFFSET 0) b ON true
ORDER BY d.due_at, d.id`
)

// stateAfterClaim reads what a claim has left: whether rows are due, whether there
// are origins that it did not look at, whether cancelled rows are to be ended, whether an endpoint is in the slow lane, and when
// the pace allows the next row. It also reads where an endpoint's messages go now
// and the secrets that sign them.
const stateAfterClaim = `
SELECT EXISTS (SELECT 1 FROM open_deliveries WHERE destination_id = $1 AND held_until IS NULL AND due_at <= clock_timestamp()),
       k.next_origin IS NOT NULL,
       CASE WHEN c.closed IS NOT NULL OR k.cancel_id IS NOT NULL THEN EXISTS (
           SELECT 1 FROM open_deliveries d WHERE d.destination_id = $1 AND d.held_until IS NULL
           AND (is_cancelled(coalesce(d.number, d.id), d.cause, k.cancel_id, k.cancel_class) OR (c.closed IS NOT NULL AND is_cancelled(d.id, d.cause, $3::bigint, c.closed)))) ELSE false END,
       k.kind = 'endpoint' AND EXISTS (SELECT 1 FROM origins o WHERE o.destination_id = $1 AND o.failures >= $4),
       coalesce(extract(epoch FROM k.paced_until - clock_timestamp())::float8, 0), coalesce(e.url, ''), s.ids, s.sealed
FROM destinations k LEFT JOIN endpoints e ON e.id = k.id CROSS JOIN LATERAL (SELECT endpoint_closed(k.id) AS closed OFFSET 0) c
CROSS JOIN LATERAL (
    SELECT array_agg(l.id ORDER BY l.created_at DESC, l.id DESC) AS ids, array_agg(l.secret_sealed ORDER BY l.created_at DESC, l.id DESC) AS sealed
    FROM endpoint_secrets l WHERE l.endpoint_id = e.id AND (l.expires_at IS NULL OR l.expires_at > clock_timestamp())
) s
WHERE k.id = $1 AND k.driver = $2`

// everyID is above the number of any row.
const everyID = 1<<63 - 1

// ClaimLimits bound one claim.
type ClaimLimits struct {
	// Kind is the destination's, as TakeLease gave it.
	Kind string
	// Rows is how many can be sent at once, Slow how many of them to origins in
	// the slow lane.
	Rows, Slow int
}

// ClaimedBatch is what one claim gave.
type ClaimedBatch struct {
	Rows []*Claimed
	// More says that due rows were left, because windows were full, slots were
	// taken or the lease was lost; Unseen that there are origins which the claim did
	// not look at, so the next one shall follow at once; Cancelled that rows are left
	// for EndCancelled.
	More, Unseen, Cancelled bool
	// Slow says that an endpoint is in the slow lane, Again for how long the pace
	// of the destination allows nothing.
	Slow  bool
	Again time.Duration
}

// Claim begins attempts for driver. No rows and no error means that nothing is
// due, that the windows of the origins are full, or that another driver has the
// lease.
func (d *Deliveries) Claim(ctx context.Context, workspaceID, destinationID, driver string, l ClaimLimits) (ClaimedBatch, error) {
	var claimed ClaimedBatch
	var to endpointAddress
	p := d.policyOf(l.Kind)
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(p.claim, workspaceID, destinationID, driver, l.Rows, l.Slow, 2*p.limit, mailsPerSecond, int64(everyID)).Query(func(rows pgx.Rows) (err error) {
		claimed.Rows, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Claimed, error) {
			r := &Claimed{DestinationID: destinationID, Limit: p.limit}
			return r, p.scan(ctx, row, r)
		})
		return err
	})
	b.Queue(stateAfterClaim, destinationID, driver, int64(everyID), SlowFailures).QueryRow(func(row pgx.Row) error { return claimed.scan(row, &to) })
	if err := d.db.Pool.SendBatch(ctx, b).Close(); err != nil {
		return ClaimedBatch{}, pg.Translate(err)
	}
	if l.Kind == kindEndpoint {
		d.address(ctx, claimed.Rows, to)
	}
	return claimed, nil
}

// scan reads stateAfterClaim; no row means that another driver has the lease.
func (b *ClaimedBatch) scan(row pgx.Row, to *endpointAddress) error {
	var again float64
	err := row.Scan(&b.More, &b.Unseen, &b.Cancelled, &b.Slow, &again, &to.url, &to.ids, &to.sealed)
	if pg.IsNoRow(err) {
		return nil
	}
	b.Unseen = b.Unseen && b.More
	b.Again = max(0, time.Duration(again*float64(time.Second)))
	return err
}

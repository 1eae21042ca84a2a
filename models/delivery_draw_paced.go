package models

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/contract"
)

// drawPaced is draw for endpoints and mails, whose attempts in a second may be
// limited. The row of the lease is locked, so that nobody else counts attempts
// meanwhile and nothing is drawn beside a cut.
//
// Attempts are spaced by the limit: step is the time of one, a little longer
// than the limit asks, so that an uneven way does not bring more of them into a
// second; credit is the time saved up, at most for a twentieth of a second.
const drawPaced = `
WITH lease AS (
    SELECT clock_timestamp() AS now, k.paced_until, 1.05 / CASE k.kind WHEN 'mail' THEN $7::integer ELSE e.rate_limit END::float8 AS step,
           CASE WHEN c.closed IS NULL THEN k.cut_id ELSE $8::bigint END AS cut_id, coalesce(c.closed, k.cut_class) AS cut_class
    FROM destinations k LEFT JOIN endpoints e ON e.id = k.id CROSS JOIN LATERAL (SELECT endpoint_closed(k.id) AS closed) c
    WHERE k.workspace_id = $1 AND k.id = $2 AND k.driver = $3 FOR NO KEY UPDATE OF k
), pace AS (
    SELECT l.*, least(greatest(l.step, 0.05), coalesce(extract(epoch FROM l.now - l.paced_until)::float8 + l.step, l.step + 1)) AS credit FROM lease l
), due AS (
    SELECT d.id, d.due_at, o.slow
    FROM pace p CROSS JOIN waiting_origins($2) o CROSS JOIN LATERAL (
        SELECT w.id, w.due_at FROM deliveries w
        WHERE w.destination_id = $2 AND w.origin = o.origin AND w.state = 'pending' AND w.due_at <= p.now
          AND NOT cut_off(w.id, w.cause, p.cut_id, p.cut_class)
        ORDER BY w.due_at, w.id
        LIMIT greatest(0, least(o.room, CASE WHEN o.slow THEN $5::bigint ELSE $4::bigint END, floor(p.credit / p.step + 0.000001)::bigint)) FOR UPDATE SKIP LOCKED
    ) d
    WHERE o.room > 0 AND o.ready_at <= p.now
), drawn AS (
    UPDATE deliveries SET state = 'sending', attempt = attempt + 1, begun_at = (SELECT now FROM lease),
           held_until = (SELECT now FROM lease) + $6::interval
    WHERE id = ANY(ARRAY(SELECT id FROM due))
    RETURNING id, workspace_id, attempt, due_at, cause, message_id, mail_id
), paced AS (
    UPDATE destinations k SET paced_until = p.now + make_interval(secs => p.step * (n.count + 1) - p.credit)
    FROM pace p, (SELECT count(*) AS count FROM drawn) n WHERE k.id = $2 AND p.step IS NOT NULL AND n.count > 0
)
SELECT d.id, d.workspace_id, (SELECT c.slow FROM due c WHERE c.id = d.id), d.attempt - 1, d.cause = 'test', coalesce(d.mail_id, ''),
       coalesce(d.message_id, ''), coalesce(m.event, ''), m.created_at, b.body
FROM drawn d LEFT JOIN messages m ON m.id = d.message_id LEFT JOIN message_bodies b ON b.message_id = d.message_id
ORDER BY d.due_at, d.id`

// everyID is above the number of any row.
const everyID = 1<<63 - 1

// endpointNow is where an endpoint's messages go and what signs them.
const endpointNow = `
SELECT e.url, ARRAY(SELECT s.id FROM living s), ARRAY(SELECT s.secret_sealed FROM living s)
FROM endpoints e WHERE e.id = $1`

const livingSecrets = `
WITH living AS (
    SELECT id, secret_sealed FROM endpoint_secrets
    WHERE endpoint_id = $1 AND (expires_at IS NULL OR expires_at > clock_timestamp()) ORDER BY created_at DESC, id DESC
)`

// standsNow tells what a draw has left: rows that are due, rows to end, whether
// the destination is in the slow lane, and when the pace allows the next row.
const standsNow = `
SELECT EXISTS (SELECT 1 FROM deliveries WHERE destination_id = $1 AND state = 'pending' AND due_at <= clock_timestamp()),
       CASE WHEN c.closed IS NOT NULL OR k.cut_id IS NOT NULL THEN EXISTS (
           SELECT 1 FROM deliveries d WHERE d.destination_id = $1 AND d.state = 'pending'
           AND (cut_off(d.id, d.cause, k.cut_id, k.cut_class) OR (c.closed IS NOT NULL AND cut_off(d.id, d.cause, $3::bigint, c.closed)))) ELSE false END,
       EXISTS (SELECT 1 FROM origins o WHERE o.destination_id = $1 AND o.failures >= $4),
       coalesce(extract(epoch FROM k.paced_until - clock_timestamp())::float8, 0)
FROM destinations k CROSS JOIN LATERAL (SELECT endpoint_closed(k.id) AS closed) c WHERE k.id = $1 AND k.driver = $2`

// drawPaced begins attempts at an endpoint, or of mails.
func (d *Deliveries) drawPaced(ctx context.Context, workspaceID, destinationID, driver string, l DrawLimits) (Batch, error) {
	var drawn Batch
	var to endpointAddress
	b := &pgx.Batch{}
	b.Queue(drawPaced, workspaceID, destinationID, driver, l.Rows, l.Slow, 2*d.limitOf(l.Kind), mailsPerSecond, int64(everyID)).
		Query(func(rows pgx.Rows) (err error) {
			drawn.Rows, err = pgx.CollectRows(rows, d.scanPaced(destinationID, l.Kind))
			return err
		})
	if l.Kind == kindEndpoint {
		b.Queue(livingSecrets+endpointNow, destinationID).QueryRow(to.scan)
	}
	b.Queue(standsNow, destinationID, driver, int64(everyID), slowFailures).QueryRow(drawn.scan)
	if err := d.db.Pool.SendBatch(ctx, b).Close(); err != nil {
		return Batch{}, translate(err)
	}
	if l.Kind == kindEndpoint {
		d.address(ctx, drawn.Rows, to)
	}
	return drawn, nil
}

func (d *Deliveries) scanPaced(destinationID, kind string) pgx.RowToFunc[*Drawn] {
	return func(row pgx.CollectableRow) (*Drawn, error) {
		r := &Drawn{DestinationID: destinationID, Limit: d.limitOf(kind)}
		m := &DrawnMessage{}
		var created *time.Time
		err := row.Scan(&r.ID, &r.WorkspaceID, &r.Slow, &r.Attempt, &m.Test, &r.MailID, &m.ID, &m.Event, &created, &m.Body)
		if err == nil && kind == contract.KindEndpoint {
			m.CreatedAt = *created
			r.Message = m
		}
		return r, err
	}
}

// scan reads standsNow; no row means that another drives.
func (b *Batch) scan(row pgx.Row) error {
	var again float64
	err := row.Scan(&b.More, &b.Cut, &b.Slow, &again)
	if isNoRow(err) {
		return nil
	}
	b.Again = max(0, time.Duration(again*float64(time.Second)))
	return err
}

// endpointAddress is what endpointNow gives.
type endpointAddress struct {
	url    string
	ids    []string
	sealed [][]byte
}

func (a *endpointAddress) scan(row pgx.Row) error {
	err := row.Scan(&a.url, &a.ids, &a.sealed)
	if isNoRow(err) {
		return nil
	}
	return err
}

// address gives every row the endpoint's URL and secrets. A secret that does not
// open is left out: with none left the sender says so and the rows stay held.
func (d *Deliveries) address(ctx context.Context, rows []*Drawn, to endpointAddress) {
	if len(rows) == 0 {
		return
	}
	var secrets [][]byte
	for i, sealed := range to.sealed {
		plain, err := d.box.Open(endpointSecretPlace(rows[0].WorkspaceID, to.ids[i]), sealed)
		if err != nil {
			slog.ErrorContext(ctx, "an endpoint's secret does not open", "endpointId", rows[0].DestinationID, "error", err)
			continue
		}
		secrets = append(secrets, plain)
	}
	for _, row := range rows {
		row.URL, row.Message.Secrets = to.url, secrets
	}
}

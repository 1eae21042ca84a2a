package delivery

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// recordRows stores outcomes of attempts that are still under way; the outcome of
// a row that was claimed again is dropped. ends is the state that follows from the
// outcome itself; 'schedule' means pending while the schedule has attempts left
// and dead afterwards, 'again' means pending at once without using up an attempt.
// From the third time in a row on 'again' follows the schedule, so that a delivery
// that brings its process down does not bring down the next one at once. A test has
// no schedule. Rows are locked, in their order, where they are open.
const recordRows = `
WITH o AS (
    SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::integer[], $6::text[], $7::text[], $8::float8[],
                         $9::float8[], $10::float8[], $11::text[], $12::text[], $13::text[], $14::text[])
    WITH ORDINALITY AS o (delivery_id, number, class, status, duration, attempt_id, ends, vary, least_pause, asked, url, answer, event, result, n)
), mine AS (
    SELECT id FROM open_deliveries WHERE id = ANY($1) AND held_until IS NOT NULL ORDER BY id FOR UPDATE
), done AS (
    UPDATE deliveries d SET
        state = CASE WHEN o.ends = 'again' AND d.interrupted < $17 THEN 'pending'
                     WHEN o.ends IN ('again', 'schedule') THEN CASE WHEN d.round >= cardinality($15::float8[]) OR d.cause = 'test' THEN 'dead' ELSE 'pending' END
                     ELSE o.ends END,
        round = d.round + CASE WHEN o.ends = 'delivered' OR (o.ends = 'again' AND d.interrupted < $17) THEN 0 ELSE 1 END,
        interrupted = CASE WHEN o.ends = 'again' THEN d.interrupted + 1 ELSE 0 END, class = o.class
    FROM o WHERE d.id = ANY(ARRAY(SELECT id FROM mine)) AND d.id = o.delivery_id AND d.attempt = o.number + 1
    RETURNING d.id, d.workspace_id, d.destination_id, d.message_id, d.mail_id, d.attempt, d.cause, d.begun_at, d.state, d.round,
              d.interrupted BETWEEN 1 AND $17 AS again,
              CASE WHEN d.state <> 'pending' THEN NULL WHEN d.interrupted BETWEEN 1 AND $17 THEN clock_timestamp()
                   ELSE clock_timestamp() + pause_after(($15::float8[])[d.round] * o.vary, o.least_pause, o.asked) END AS due_at,
              o.class, o.status, nullif(o.duration, -1) AS duration, o.attempt_id, o.url, o.answer, o.event, o.result, o.n
), waits AS (
    UPDATE open_deliveries q SET held_until = NULL, due_at = CASE WHEN d.again THEN q.due_at ELSE d.due_at END
    FROM done d WHERE q.id = ANY(ARRAY(SELECT id FROM done WHERE state = 'pending')) AND d.id = q.id
), ended AS (
    DELETE FROM open_deliveries WHERE id = ANY(ARRAY(SELECT id FROM done WHERE state <> 'pending'))
), kept AS (`

// The end of recordRows keeps the attempts, in the table of their kind; of mails
// it erases the text of those that ended. keptBare keeps none: its rows may be what
// cannot be stored.
const (
	keptEvents = `
    INSERT INTO delivery_attempts (delivery_id, attempt, id, workspace_id, at, class, http_status, duration_ms)
    SELECT id, attempt - 1, attempt_id, workspace_id, begun_at, class, nullif(status, 0), duration FROM done` + recorded
	keptMessages = `
    INSERT INTO endpoint_attempts (id, workspace_id, endpoint_id, message_id, event, attempt, cause, succeeded, class, http_status, duration_ms,
                                   started_at, next_attempt_at, url, response_body)
    SELECT attempt_id, workspace_id, destination_id, message_id, event, attempt, cause, class = 'ok', class, nullif(status, 0), duration,
           begun_at, due_at, url, CASE WHEN status > 0 THEN answer END
    FROM done` + recorded
	keptMails = ` CASE d.result WHEN '' THEN 'failed' ELSE d.result END
    FROM done d WHERE m.id = d.mail_id AND d.state <> 'pending' AND m.result IS NULL`
	keptBare = ` SELECT 1` + recorded
	recorded = `
)
SELECT n - 1, state, destination_id, cause = 'test', round < $16, begun_at, clock_timestamp() FROM done ORDER BY n`
)

// Recorded is what recording a batch of outcomes did.
type Recorded struct {
	// Kept is how many outcomes counted; the others were of rows claimed again.
	Kept int
	// Moved are the destinations to which rows were moved while their attempt was
	// under way, and where they now wait.
	Moved []string
	// Disabled holds, for each endpoint that was disabled, the reason.
	Disabled []string
}

func (r *Recorded) add(more Recorded) {
	r.Kept += more.Kept
	r.Moved = append(r.Moved, more.Moved...)
	r.Disabled = append(r.Disabled, more.Disabled...)
}

// recordedOf sums up the outcomes that counted.
func recordedOf(kept []keptOutcome) Recorded {
	done := Recorded{Kept: len(kept)}
	for _, k := range kept {
		if k.state == Pending && k.destination != k.Claimed.DestinationID {
			done.Moved = append(done.Moved, k.destination)
		}
	}
	return done
}

// Record stores outcomes together, with the windows of their origins. It is safe
// to repeat. An outcome that cannot be stored keeps no other one back; an error is
// one that passes.
func (d *Deliveries) Record(ctx context.Context, outcomes []Outcome) (Recorded, error) {
	var done Recorded
	for _, part := range d.sorted(outcomes) {
		did, err := d.storeApart(ctx, part)
		done.add(did)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// storeApart stores a part of a batch. Where the server refuses it for good, one row
// is to blame, and all others shall not be sent again because of it: the part is
// halved until that row stands alone, and of it only what becomes of it is stored.
func (d *Deliveries) storeApart(ctx context.Context, p part) (Recorded, error) {
	done, err := p.store(ctx, p.outcomes)
	if err == nil || pg.Passes(err) {
		return done, err
	}
	if len(p.outcomes) == 1 {
		return d.recordBare(ctx, p.outcomes[0], err)
	}
	middle := len(p.outcomes) / 2
	for _, half := range [][]Outcome{p.outcomes[:middle], p.outcomes[middle:]} {
		did, err := d.storeApart(ctx, part{half, p.store})
		done.add(did)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// recordBare stores what becomes of a row whose outcome cannot be stored, so that
// it is not claimed for ever: its state and class, as its schedule says, without
// the attempt and without what came with the answer.
func (d *Deliveries) recordBare(ctx context.Context, o Outcome, refused error) (Recorded, error) {
	slog.ErrorContext(ctx, "the outcome of a delivery cannot be stored, only its class is", "delivery_id", o.Claimed.ID, "class", o.Class, "error", refused)
	o.Body, o.RetryAfter, o.AsksToWait = "", 0, false
	b := &pgx.Batch{}
	p := d.policyOf(o.Claimed.Kind())
	p.record = p.bare
	kept := queueOutcomes(b, p, []Outcome{o})
	err := d.db.Pool.SendBatch(ctx, b).Close()
	if err == nil || pg.Passes(err) {
		return recordedOf(*kept), pg.Translate(err)
	}
	slog.ErrorContext(ctx, "the class of a delivery cannot be stored", "delivery_id", o.Claimed.ID, "error", err)
	return Recorded{}, nil // the others must not wait for it
}

// part is a part of a batch and how it is stored.
type part struct {
	outcomes []Outcome
	store    func(ctx context.Context, outcomes []Outcome) (Recorded, error)
}

// sorted divides a batch by kinds. All outcomes of endpoints that failed in it are
// stored under a lock on the endpoints, all others in one statement for each kind. An
// interrupted attempt may be the last one, of which an event is published.
func (d *Deliveries) sorted(outcomes []Outcome) []part {
	failed := map[string]bool{}
	for _, o := range outcomes {
		bad := o.counts() && o.Class != webhook.OK || o.Class == webhook.Interrupted
		failed[o.Claimed.DestinationID] = failed[o.Claimed.DestinationID] || bad
	}
	parts := []part{{store: d.recordFine}, {store: d.recordFine}, {store: d.recordFine}, {store: d.recordFailed}}
	for _, o := range outcomes {
		at := 0
		switch {
		case o.Claimed.Message != nil && failed[o.Claimed.DestinationID]:
			at = 3
		case o.Claimed.Message != nil:
			at = 1
		case o.Claimed.MailID != "":
			at = 2
		}
		parts[at].outcomes = append(parts[at].outcomes, o)
	}
	return slices.DeleteFunc(parts, func(part part) bool { return len(part.outcomes) == 0 })
}

// recordFine stores outcomes of one kind, for endpoints only of those that had no
// failure, in one round trip and one transaction.
func (d *Deliveries) recordFine(ctx context.Context, outcomes []Outcome) (Recorded, error) {
	b := &pgx.Batch{}
	kept := d.queueRecord(b, outcomes)
	if ids := endpointsOf(outcomes); len(ids) > 0 {
		b.Queue(endFailureStreaks, ids)
	}
	err := d.db.Pool.SendBatch(ctx, b).Close()
	return recordedOf(*kept), pg.Translate(err)
}

// keptOutcome is an outcome that counted.
type keptOutcome struct {
	Outcome
	state, destination string
	test               bool
	// own says that its schedule ended it, not an operator.
	own bool
	// begun and ended are by the clock of the rows.
	begun, ended time.Time
}

// queueRecord adds the statements that store outcomes of one kind with the windows
// of their origins; what counted is known once the batch was sent.
func (d *Deliveries) queueRecord(b *pgx.Batch, outcomes []Outcome) *[]keptOutcome {
	kept := queueOutcomes(b, d.policyOf(outcomes[0].Claimed.Kind()), outcomes)
	if changes := windowChanges(outcomes); len(changes) > 0 {
		b.Queue(updateWindows, windowArgs(changes)...)
	}
	return kept
}

// queueOutcomes is queueRecord without the windows.
func queueOutcomes(b *pgx.Batch, p policy, outcomes []Outcome) *[]keptOutcome {
	kept := &[]keptOutcome{}
	b.Queue(pg.ByKeys)
	args := append(outcomeArgs(outcomes, p.vary), seconds(p.delays), lastRound, againAtMost)
	b.Queue(p.record, args...).Query(func(rows pgx.Rows) error {
		var n int
		var k keptOutcome
		_, err := pgx.ForEachRow(rows, []any{&n, &k.state, &k.destination, &k.test, &k.own, &k.begun, &k.ended}, func() error {
			k.Outcome = outcomes[n]
			*kept = append(*kept, k)
			return nil
		})
		return err
	})
	return kept
}

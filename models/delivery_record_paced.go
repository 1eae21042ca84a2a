package models

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
)

// recordPaced is record for endpoints and mails. ends is the state that an
// outcome brings by itself; by schedule it is the state of what has attempts
// left, by again that of what used up none. An endpoint's attempt is kept, a
// mail that ended loses its text.
const recordPaced = `
WITH o AS (
    SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::integer[], $6::text[], $7::text[], $8::float8[],
                         $9::float8[], $10::float8[], $11::text[], $12::text[], $13::text[], $14::text[])
    WITH ORDINALITY AS o (delivery_id, number, class, status, duration, attempt_id, ends, vary, least_pause, asked, url, answer, event, result, n)
), mine AS (
    SELECT id FROM deliveries WHERE id = ANY($1) AND held_until IS NOT NULL ORDER BY id FOR UPDATE
), done AS (
    UPDATE deliveries d SET
        state = CASE o.ends WHEN 'again' THEN 'pending'
                            WHEN 'schedule' THEN CASE WHEN d.round >= cardinality($15::float8[]) THEN 'dead' ELSE 'pending' END ELSE o.ends END,
        due_at = CASE WHEN o.ends = 'again' THEN d.due_at
                      WHEN o.ends = 'schedule' AND d.round < cardinality($15::float8[])
                      THEN clock_timestamp() + pause_after(($15::float8[])[d.round + 1] * o.vary, o.least_pause, o.asked) END,
        round = d.round + CASE WHEN o.ends IN ('again', 'delivered') THEN 0 ELSE 1 END,
        held_until = NULL, class = o.class
    FROM o WHERE d.id = ANY(ARRAY(SELECT id FROM mine)) AND d.id = o.delivery_id AND d.attempt = o.number + 1
    RETURNING d.workspace_id, d.destination_id, d.message_id, d.mail_id, d.attempt, d.cause, d.begun_at, d.due_at, d.state, d.round,
              o.class, o.status, o.duration, o.attempt_id, o.url, o.answer, o.event, o.result, o.n
), kept AS (
    INSERT INTO endpoint_attempts (id, workspace_id, endpoint_id, message_id, event, attempt, cause, succeeded, class, http_status, duration_ms,
                                   started_at, next_attempt_at, url, response_body)
    SELECT attempt_id, workspace_id, destination_id, message_id, event, attempt, cause, class = 'ok', class, nullif(status, 0), duration,
           begun_at, due_at, url, CASE WHEN status > 0 THEN answer END
    FROM done WHERE message_id IS NOT NULL
), mailed AS (
    UPDATE mails m SET result = CASE d.result WHEN '' THEN 'failed' ELSE d.result END, class = d.class, ended_at = clock_timestamp(),
           subject = NULL, body_text = NULL, body_html = NULL
    FROM done d WHERE m.id = d.mail_id AND d.state <> 'pending' AND m.result IS NULL
)
SELECT n - 1, state, cause = 'test', round < $16, begun_at, clock_timestamp() FROM done ORDER BY n`

// States that recordPaced knows beside those of rows.
const (
	endsBySchedule = "schedule"
	endsAgain      = "again"
)

// ends gives the state that an outcome brings by itself.
func (o Outcome) ends() string {
	switch {
	case o.Class == webhook.Interrupted:
		return endsAgain
	case o.Class == webhook.OK || o.MailResult == MailSent:
		return DeliveryDelivered
	case o.Class == webhook.RefusedByPolicy && o.Drawn.Message != nil:
		return DeliveryRefused
	case o.MailResult != "", o.Drawn.Message != nil && (o.Class == webhook.Gone || o.Class == webhook.Expired || o.Drawn.Message.Test):
		return DeliveryDead
	default:
		return endsBySchedule
	}
}

// good tells whether an outcome speaks for its origin: a receiver's is any
// answer, a relay's also one that refuses the recipient.
func (o Outcome) good() bool {
	switch {
	case o.Drawn.Message != nil:
		return o.Class == webhook.OK
	case o.Drawn.MailID != "":
		return o.Class == webhook.OK || o.MailResult != ""
	default:
		return o.Class.Answered()
	}
}

// storing is a part of a batch and how it is stored.
type storing struct {
	outcomes []Outcome
	store    func(ctx context.Context, outcomes []Outcome) (Recorded, error)
}

// sorted divides a batch: what endpoints that failed in it have to say is stored
// under a lock on them, all else in one statement.
func (d *Deliveries) sorted(outcomes []Outcome) []storing {
	failed := map[string]bool{}
	for _, o := range outcomes {
		failed[o.Drawn.DestinationID] = failed[o.Drawn.DestinationID] || o.counts() && o.Class != webhook.OK
	}
	parts := []storing{{store: d.recordReceivers}, {store: d.recordFine}, {store: d.recordFailed}, {store: d.recordMails}}
	for _, o := range outcomes {
		at := 0
		switch {
		case o.Drawn.Message != nil && failed[o.Drawn.DestinationID]:
			at = 2
		case o.Drawn.Message != nil:
			at = 1
		case o.Drawn.MailID != "":
			at = 3
		}
		parts[at].outcomes = append(parts[at].outcomes, o)
	}
	return slices.DeleteFunc(parts, func(part storing) bool { return len(part.outcomes) == 0 })
}

// recordFine stores outcomes of endpoints of which none failed.
func (d *Deliveries) recordFine(ctx context.Context, outcomes []Outcome) (Recorded, error) {
	b := &pgx.Batch{}
	kept := d.queueRecord(b, outcomes, d.rules.Delays, endpointVary)
	b.Queue(noteSuccess, endpointsOf(outcomes))
	err := d.db.Pool.SendBatch(ctx, b).Close()
	return Recorded{Kept: len(*kept)}, translate(err)
}

// recordMails stores outcomes of mails.
func (d *Deliveries) recordMails(ctx context.Context, outcomes []Outcome) (Recorded, error) {
	b := &pgx.Batch{}
	kept := d.queueRecord(b, outcomes, mailDelays, 0)
	err := d.db.Pool.SendBatch(ctx, b).Close()
	return Recorded{Kept: len(*kept)}, translate(err)
}

// keptOutcome is an outcome that counted.
type keptOutcome struct {
	Outcome
	state string
	test  bool
	// own: its schedule ended it, not an operator.
	own bool
	// begun and ended are by the clock of the rows.
	begun, ended time.Time
}

// queueRecord adds the statements that store outcomes with the health of their
// origins; what counted is known once the batch was sent.
func (d *Deliveries) queueRecord(b *pgx.Batch, outcomes []Outcome, delays []time.Duration, vary float64) *[]keptOutcome {
	kept := &[]keptOutcome{}
	args := append(pacedArgs(outcomes, vary), seconds(delays), lastRound)
	b.Queue(recordPaced, args...).Query(func(rows pgx.Rows) error {
		var n int
		var k keptOutcome
		_, err := pgx.ForEachRow(rows, []any{&n, &k.state, &k.test, &k.own, &k.begun, &k.ended}, func() error {
			k.Outcome = outcomes[n]
			*kept = append(*kept, k)
			return nil
		})
		return err
	})
	if healths := healthOf(outcomes); len(healths) > 0 {
		b.Queue(noteHealth, healthArgs(healths)...)
	}
	return kept
}

// endpointVary is by how much a pause between attempts at an endpoint is varied
// either way.
const endpointVary = 0.2

func pacedArgs(outcomes []Outcome, vary float64) []any {
	n := len(outcomes)
	ids, numbers, statuses, durations := make([]int64, n), make([]int, n), make([]int, n), make([]int64, n)
	classes, ends, urls, answers, events, results := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	varied, leasts, asked := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, o := range outcomes {
		ids[i], numbers[i], classes[i], ends[i] = o.Drawn.ID, o.Drawn.Attempt, string(o.Class), o.ends()
		statuses[i], durations[i], urls[i], answers[i] = o.Status, o.Duration.Milliseconds(), o.Drawn.URL, o.Body
		results[i], leasts[i], asked[i] = o.MailResult, o.leastPause().Seconds(), o.RetryAfter.Seconds()
		varied[i] = 1 - vary + 2*vary*rand.Float64() //nolint:gosec // spreads attempts, guards nothing
		if o.Drawn.Message != nil {
			events[i] = o.Drawn.Message.Event
		}
	}
	return []any{ids, numbers, classes, statuses, durations, newAttemptIDs(n), ends, varied, leasts, asked, urls, answers, events, results}
}

// patience is the shortest pause after an attempt that an endpoint was too slow
// or too busy for.
const patience = time.Minute

func (o Outcome) leastPause() time.Duration {
	if o.Drawn.Message == nil {
		return 0
	}
	if o.Class == webhook.Timeout || (o.Status == http.StatusTooManyRequests && o.RetryAfter == 0) {
		return patience
	}
	return 0
}

func seconds(delays []time.Duration) []float64 {
	out := make([]float64, len(delays))
	for i, delay := range delays {
		out[i] = delay.Seconds()
	}
	return out
}

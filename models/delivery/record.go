package delivery

import (
	"cmp"
	"context"
	_ "embed"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// recordRows stores outcomes of attempts that are still under way.
//
//go:embed record.sql
var recordRows string

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

// Record stores outcomes together. It is safe to repeat. An outcome that cannot be stored keeps no other one back; an error is
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
	kept := d.queueOutcomes(b, []Outcome{o}, false)
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

// queueRecord adds the statements that store outcomes of one kind; what counted is known
// once the batch was sent.
func (d *Deliveries) queueRecord(b *pgx.Batch, outcomes []Outcome) *[]keptOutcome {
	kept := d.queueOutcomes(b, outcomes, true)
	if outcomes[0].Claimed.MailID != "" {
		d.queueEndedMails(b, outcomes)
	}
	return kept
}

// queueOutcomes is queueRecord without the mails, and without the attempts where these are not to be kept.
func (d *Deliveries) queueOutcomes(b *pgx.Batch, outcomes []Outcome, attempts bool) *[]keptOutcome {
	kept := &[]keptOutcome{}
	p := d.policyOf(outcomes[0].Claimed.Kind())
	args := outcomeArgs(outcomes, p.vary)
	args["delays"], args["last_round"], args["again_at_most"], args["keep"] = seconds(p.delays), lastRound, againAtMost, attempts
	b.Queue(pg.ByKeys)
	b.Queue(recordRows, args).Query(func(rows pgx.Rows) error {
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

// queueEndedMails ends the mails whose deliveries have ended, behind recordRows. One that
// its schedule gave up has failed.
func (d *Deliveries) queueEndedMails(b *pgx.Batch, outcomes []Outcome) {
	ids, results := make([]int64, len(outcomes)), make([]string, len(outcomes))
	for i, o := range outcomes {
		ids[i], results[i] = o.Claimed.ID, cmp.Or(o.MailResult, MailFailed)
	}
	b.Queue(`WITH done AS (
    SELECT o.result, e.mail_id, e.class FROM unnest($1::bigint[], $2::text[]) AS o (id, result)
    CROSS JOIN LATERAL (SELECT mail_id, class, state FROM deliveries WHERE id = o.id OFFSET 0) e WHERE e.state NOT IN ('pending', 'sending')
)`+d.mails.End+` d.result FROM done d WHERE m.id = d.mail_id AND m.result IS NULL`+d.mails.Lock, ids, results)
}

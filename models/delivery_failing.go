package models

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/webhook"
)

// When an endpoint that fails is disabled.
const (
	failsFor    = 120 * time.Hour
	failsOften  = 10
	forgetsGaps = 48 * time.Hour // a longer pause without attempts starts anew
)

// Reasons of the event that an endpoint was disabled.
const (
	reasonFailing = "failing"
	reasonGone    = "gone"
)

// failing is the health of an endpoint over days.
type failing struct {
	since, last *time.Time
	failures    int
}

// note takes an attempt, by its times, and tells whether the endpoint has failed
// for long enough to be disabled.
func (f *failing) note(begun, ended time.Time, ok bool) bool {
	paused := f.last != nil && begun.Sub(*f.last) > forgetsGaps
	if f.last == nil || begun.After(*f.last) {
		f.last = &begun
	}
	if ok {
		f.since, f.failures = nil, 0
		return false
	}
	if f.since == nil || paused {
		f.since, f.failures = &begun, 0
	}
	f.failures++
	return f.failures >= failsOften && ended.Sub(*f.since) >= failsFor
}

// counts tells whether an attempt is one of those that disable: all at
// endpoints but tests and interrupted ones.
func (o Outcome) counts() bool {
	return o.Drawn.Message != nil && !o.Drawn.Message.Test && o.Class != webhook.Interrupted && o.Class != webhook.Expired
}

// noteSuccess ends the failing of endpoints. Rows are locked in one order.
const noteSuccess = `
UPDATE endpoints SET failing_since = NULL, failures = 0, last_attempt_at = clock_timestamp() WHERE id = ANY(ARRAY(
    SELECT id FROM endpoints WHERE id = ANY($1) AND failing_since IS NOT NULL ORDER BY id FOR NO KEY UPDATE))`

// endpointsOf gives the endpoints that an outcome which counts speaks of.
func endpointsOf(outcomes []Outcome) []string {
	ids := []string{}
	for _, o := range outcomes {
		if o.counts() {
			ids = append(ids, o.Drawn.DestinationID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// tended is an endpoint under the lock of its row.
type tended struct {
	id, workspaceID, url string
	failing
	// reason is why this batch disables it, empty when it does not.
	reason string
}

// recordFailed stores outcomes of endpoints that failed: what ends for good is
// told, and an endpoint that failed for days is disabled, all in one transaction.
func (d *Deliveries) recordFailed(ctx context.Context, outcomes []Outcome) (Recorded, error) {
	var done Recorded
	var wake []string
	err := d.db.pgTx(ctx, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		kept := d.queueRecord(b, outcomes)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		done = recordedOf(*kept)
		known, err := lockTended(ctx, tx, endpointsOf(outcomes))
		if err != nil {
			return err
		}
		for _, k := range *kept {
			known.note(k)
		}
		if wake, err = known.store(ctx, tx); err != nil {
			return err
		}
		done.Disabled = known.reasons()
		told, err := tell(ctx, tx, *kept, known)
		wake = append(wake, told...)
		return err
	})
	if err != nil {
		return Recorded{}, err
	}
	d.nudges.Destinations(wake...)
	return done, nil
}

// tendedSet are endpoints by their ids.
type tendedSet map[string]*tended

// lockTended locks the rows of endpoints that are served, in one order, so that
// one process at a time decides about an endpoint.
func lockTended(ctx context.Context, tx pgx.Tx, ids []string) (tendedSet, error) {
	rows, err := tx.Query(ctx, `SELECT id, workspace_id, url, failing_since, failures, last_attempt_at FROM endpoints
		WHERE id = ANY($1) AND NOT disabled AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`, ids)
	if err != nil {
		return nil, err
	}
	known := tendedSet{}
	var e tended
	_, err = pgx.ForEachRow(rows, []any{&e.id, &e.workspaceID, &e.url, &e.since, &e.failures, &e.last}, func() error {
		one := e
		known[e.id] = &one
		return nil
	})
	return known, err
}

// note takes an outcome that was stored.
func (s tendedSet) note(k keptOutcome) {
	e := s[k.Drawn.DestinationID]
	if e == nil || !k.counts() || e.reason != "" {
		return
	}
	long := e.failing.note(k.begun, k.ended, k.Class == webhook.OK)
	switch {
	case k.Class == webhook.Gone:
		e.reason = reasonGone
	case long:
		e.reason = reasonFailing
	}
}

func (s tendedSet) reasons() []string {
	var out []string
	for _, e := range s {
		if e.reason != "" {
			out = append(out, e.reason)
		}
	}
	return out
}

// store writes the health of the endpoints, disables those that are to be and
// cuts what waits for them. It gives the destinations to wake.
func (s tendedSet) store(ctx context.Context, tx pgx.Tx) ([]string, error) {
	b := &pgx.Batch{}
	var cut []string
	for _, e := range s {
		b.Queue(`UPDATE endpoints SET failing_since = $2, failures = $3, last_attempt_at = $4, disabled = $5,
			updated_at = CASE WHEN $5 THEN clock_timestamp() ELSE updated_at END WHERE id = $1`,
			e.id, e.since, e.failures, e.last, e.reason != "")
		if e.reason != "" {
			cutDestinations(b, e.workspaceID, []string{e.id}, webhook.EndpointDisabled)
			cut = append(cut, e.id)
		}
	}
	return cut, tx.SendBatch(ctx, b).Close()
}

// tell raises the operational events of a batch, in an order that does not
// depend on the map, and gives the destinations to wake.
func tell(ctx context.Context, tx pgx.Tx, kept []keptOutcome, known tendedSet) ([]string, error) {
	told := map[string][]occasion{} // by workspace
	for _, k := range kept {
		if k.exhausted() {
			told[k.Drawn.WorkspaceID] = append(told[k.Drawn.WorkspaceID], k.occasion())
		}
	}
	for _, e := range known {
		if e.reason != "" {
			told[e.workspaceID] = append(told[e.workspaceID], e.occasion())
		}
	}
	var wake []string
	for _, workspaceID := range slices.Sorted(maps.Keys(told)) {
		occasions := told[workspaceID]
		slices.SortStableFunc(occasions, func(a, b occasion) int { return cmp.Compare(a.Event, b.Event) })
		ids, err := raise(ctx, tx, workspaceID, occasions...)
		if err != nil {
			return nil, err
		}
		wake = append(wake, ids...)
	}
	return wake, nil
}

// exhausted tells whether the delivery failed for good and somebody is to hear
// of it. Tests are not, and what tells of a delivery is not told of in turn.
func (k keptOutcome) exhausted() bool {
	ended := k.state == DeliveryDead || k.state == DeliveryRefused
	operational := k.Drawn.Message.Event == envelope.Exhausted || k.Drawn.Message.Event == envelope.EndpointDisabled
	return ended && k.own && !k.test && !operational
}

func (k keptOutcome) occasion() occasion {
	data := exhaustedData{
		MessageID: k.Drawn.Message.ID, EndpointID: k.Drawn.DestinationID, Event: k.Drawn.Message.Event,
		Attempts: k.Drawn.Attempt + 1, Class: string(k.Class),
	}
	if k.Status > 0 {
		data.HTTPStatus = &k.Status
	}
	return occasion{Event: envelope.Exhausted, At: k.ended, Data: data, Except: k.Drawn.DestinationID}
}

type exhaustedData struct {
	MessageID  string `json:"messageId"`
	EndpointID string `json:"endpointId"`
	Event      string `json:"event"`
	Attempts   int    `json:"attempts"`
	Class      string `json:"class"`
	HTTPStatus *int   `json:"httpStatus"`
}

func (e *tended) occasion() occasion {
	return occasion{
		Event: envelope.EndpointDisabled, Except: e.id,
		Data: disabledData{e.id, e.url, e.reason, e.since.UTC().Format(isoForm), e.last.UTC().Format(isoForm)},
	}
}

// isoForm is ISO-8601 in UTC with milliseconds.
const isoForm = "2006-01-02T15:04:05.000Z"

type disabledData struct {
	EndpointID    string `json:"endpointId"`
	URL           string `json:"url"`
	Reason        string `json:"reason"`
	FailingSince  string `json:"failingSince"`
	LastAttemptAt string `json:"lastAttemptAt"`
}

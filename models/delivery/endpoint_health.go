package delivery

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// When an endpoint that fails is disabled.
const (
	failsFor    = 120 * time.Hour
	failsOften  = 10
	forgetsGaps = 48 * time.Hour // a longer pause without attempts starts again
)

// Reasons of the event that an endpoint was disabled.
const (
	reasonFailing = "failing"
	reasonGone    = "gone"
)

// failureStreak is for how long and how often an endpoint has failed.
type failureStreak struct {
	since, last *time.Time
	failures    int
}

// note adds an attempt, by its times, and reports whether the endpoint has failed for
// long enough to be disabled.
func (f *failureStreak) note(begun, ended time.Time, ok bool) bool {
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

// endFailureStreaks is for endpoints all of whose attempts in a batch succeeded. An
// endpoint that does well is not written.
const endFailureStreaks = `
UPDATE endpoints SET failing_since = NULL, failures = 0, last_attempt_at = clock_timestamp() WHERE id = ANY(ARRAY(
    SELECT id FROM endpoints WHERE id = ANY($1) AND failing_since IS NOT NULL ORDER BY id FOR NO KEY UPDATE))`

// noteHealth adds stored attempts of which some failed to the failure streaks of their
// endpoints, under a lock on the endpoints, and returns those that it disabled.
func noteHealth(ctx context.Context, tx *pg.Tx, kept []keptOutcome) ([]*lockedEndpoint, error) {
	known, err := lockEndpoints(ctx, tx, kept)
	if err != nil {
		return nil, err
	}
	for _, k := range kept {
		if k.counts() {
			known.note(k)
		}
	}
	return known.disabled(), known.store(ctx, tx)
}

// lockedEndpoint is an endpoint under the lock of its row.
type lockedEndpoint struct {
	id, workspaceID, url string
	failureStreak
	// reason is why this batch disables it, empty when it does not.
	reason string
}

// lockedEndpoints are endpoints by their ids.
type lockedEndpoints map[string]*lockedEndpoint

// lockEndpoints locks the rows of endpoints that are served, in one order, so that
// one process at a time decides about an endpoint. SQL by hand for that order, and
// with the ids as an array: the text is the same for any number of them and is
// prepared once.
func lockEndpoints(ctx context.Context, tx *pg.Tx, kept []keptOutcome) (lockedEndpoints, error) {
	outcomes := make([]Outcome, len(kept))
	for i, k := range kept {
		outcomes[i] = k.Outcome
	}
	rows, err := tx.Query(ctx, `SELECT id, workspace_id, url, failing_since, failures, last_attempt_at FROM endpoints
		WHERE id = ANY($1) AND NOT disabled AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`, endpointsOf(outcomes))
	if err != nil {
		return nil, err
	}
	known := lockedEndpoints{}
	var e lockedEndpoint
	_, err = pgx.ForEachRow(rows, []any{&e.id, &e.workspaceID, &e.url, &e.since, &e.failures, &e.last}, func() error {
		one := e
		known[e.id] = &one
		return nil
	})
	return known, err
}

// note adds an attempt that was stored.
func (s lockedEndpoints) note(k keptOutcome) {
	e := s[k.Claimed.DestinationID]
	if e == nil || e.reason != "" {
		return
	}
	long := e.failureStreak.note(k.begun, k.ended, k.Class == webhook.OK)
	switch {
	case k.Class == webhook.Gone:
		e.reason = reasonGone
	case long:
		e.reason = reasonFailing
	}
}

// disabled are the endpoints that are to be disabled.
func (s lockedEndpoints) disabled() (off []*lockedEndpoint) {
	for _, e := range s {
		if e.reason != "" {
			off = append(off, e)
		}
	}
	return off
}

// store writes the failure streaks, disables the endpoints that are to be disabled
// and cancels what waits for them, all in one trip.
func (s lockedEndpoints) store(ctx context.Context, tx *pg.Tx) error {
	b := &pgx.Batch{}
	for _, e := range s {
		b.Queue(`UPDATE endpoints SET failing_since = $2, failures = $3, last_attempt_at = $4, disabled = $5,
			updated_at = CASE WHEN $5 THEN clock_timestamp() ELSE updated_at END WHERE id = $1`,
			e.id, e.since, e.failures, e.last, e.reason != "")
		if e.reason != "" {
			CancelPending(tx, b, e.workspaceID, []string{e.id}, webhook.EndpointDisabled)
		}
	}
	return tx.SendBatch(ctx, b).Close()
}

func (e *lockedEndpoint) event() Event {
	return Event{
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

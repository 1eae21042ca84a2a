package delivery

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// EndpointHealth keeps for how long endpoints have failed. The package that owns
// the endpoints decides when one is disabled.
type EndpointHealth interface {
	// QueueSuccess adds to the batch that all attempts at these endpoints succeeded.
	QueueSuccess(b *pgx.Batch, endpointIDs []string)
	// Note takes attempts of which some failed, locks their endpoints, and gives
	// the endpoints that it disabled.
	Note(ctx context.Context, tx *pg.Tx, attempts []EndpointResult) ([]DisabledEndpoint, error)
}

// EndpointResult is how an attempt at an endpoint went, by the clock of the rows.
type EndpointResult struct {
	EndpointID   string
	Class        webhook.Class
	Begun, Ended time.Time
}

// DisabledEndpoint is an endpoint that was disabled, why, and the event that says
// so.
type DisabledEndpoint struct {
	WorkspaceID, Reason string
	Event               Event
}

// counts gives whether an attempt counts for the health of its endpoint: all do
// but tests and interrupted ones.
func (o Outcome) counts() bool {
	return o.Claimed.Message != nil && !o.Claimed.Message.Test && o.Class != webhook.Interrupted && o.Class != webhook.Expired
}

// endpointsOf gives the endpoints of the outcomes that count.
func endpointsOf(outcomes []Outcome) []string {
	ids := []string{}
	for _, o := range outcomes {
		if o.counts() {
			ids = append(ids, o.Claimed.DestinationID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// recordFailed stores outcomes of endpoints that failed. Deliveries that failed
// for good are published and an endpoint that failed for days is disabled, all in
// one transaction.
func (d *Deliveries) recordFailed(ctx context.Context, outcomes []Outcome) (Recorded, error) {
	var done Recorded
	err := d.db.InTx(ctx, func(tx *pg.Tx) error {
		b := &pgx.Batch{}
		kept := d.queueRecord(b, outcomes)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		done = recordedOf(*kept)
		disabled, err := d.endpoints.Note(ctx, tx, endpointResults(*kept))
		if err != nil {
			return err
		}
		for _, e := range disabled {
			done.Disabled = append(done.Disabled, e.Reason)
		}
		return publishFailures(ctx, tx, *kept, disabled)
	})
	if err != nil {
		return Recorded{}, err
	}
	return done, nil
}

// endpointResults are the outcomes that count for the health of their endpoints.
func endpointResults(kept []keptOutcome) []EndpointResult {
	var results []EndpointResult
	for _, k := range kept {
		if k.counts() {
			results = append(results, EndpointResult{EndpointID: k.Claimed.DestinationID, Class: k.Class, Begun: k.begun, Ended: k.ended})
		}
	}
	return results
}

// publishFailures publishes the operational events of a batch, in an order that
// does not depend on the map.
func publishFailures(ctx context.Context, tx *pg.Tx, kept []keptOutcome, disabled []DisabledEndpoint) error {
	byWorkspace := map[string][]Event{}
	for _, k := range kept {
		if k.exhausted() {
			byWorkspace[k.Claimed.WorkspaceID] = append(byWorkspace[k.Claimed.WorkspaceID], k.event())
		}
	}
	for _, e := range disabled {
		byWorkspace[e.WorkspaceID] = append(byWorkspace[e.WorkspaceID], e.Event)
	}
	for _, workspaceID := range slices.Sorted(maps.Keys(byWorkspace)) {
		events := byWorkspace[workspaceID]
		slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Event, b.Event) })
		if err := Publish(ctx, tx, workspaceID, events...); err != nil {
			return err
		}
	}
	return nil
}

// exhausted gives whether the delivery failed for good and an event of it is to be
// published. There is none for tests, nor for messages that themselves report on
// deliveries.
func (k keptOutcome) exhausted() bool {
	ended := k.state == Dead || k.state == Refused
	operational := k.Claimed.Message.Event == envelope.Exhausted || k.Claimed.Message.Event == envelope.EndpointDisabled
	return ended && k.own && !k.test && !operational
}

func (k keptOutcome) event() Event {
	data := exhaustedData{
		MessageID: k.Claimed.Message.ID, EndpointID: k.Claimed.DestinationID, Event: k.Claimed.Message.Event,
		Attempts: k.Claimed.Attempt + 1, Class: string(k.Class),
	}
	if k.Status > 0 {
		data.HTTPStatus = &k.Status
	}
	return Event{Event: envelope.Exhausted, At: k.ended, Data: data, Except: k.Claimed.DestinationID}
}

type exhaustedData struct {
	MessageID  string `json:"messageId"`
	EndpointID string `json:"endpointId"`
	Event      string `json:"event"`
	Attempts   int    `json:"attempts"`
	Class      string `json:"class"`
	HTTPStatus *int   `json:"httpStatus"`
}

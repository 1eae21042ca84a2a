package delivery

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// counts reports whether an attempt counts for the health of its endpoint: all do
// but tests and interrupted ones.
func (o Outcome) counts() bool {
	return o.Claimed.Message != nil && !o.Claimed.Message.Test && o.Class != webhook.Interrupted && o.Class != webhook.Expired
}

// endpointsOf returns the endpoints of the outcomes that count.
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
		disabled, err := noteHealth(ctx, tx, *kept)
		if err != nil {
			return err
		}
		for _, e := range disabled {
			done.Disabled = append(done.Disabled, e.reason)
		}
		return publishFailures(ctx, tx, *kept, disabled)
	})
	if err != nil {
		return Recorded{}, err
	}
	return done, nil
}

// publishFailures publishes the operational events of a batch, in an order that
// does not depend on the map.
func publishFailures(ctx context.Context, tx *pg.Tx, kept []keptOutcome, disabled []*lockedEndpoint) error {
	byWorkspace := map[string][]Event{}
	for _, k := range kept {
		if k.exhausted() {
			byWorkspace[k.Claimed.WorkspaceID] = append(byWorkspace[k.Claimed.WorkspaceID], k.event())
		}
	}
	for _, e := range disabled {
		byWorkspace[e.workspaceID] = append(byWorkspace[e.workspaceID], e.event())
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

// exhausted reports whether the delivery failed for good and an event of it is to be
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

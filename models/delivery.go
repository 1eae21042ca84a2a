package models

import (
	"time"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/webhook"
)

// Deliveries is the store of the delivery engine: what waits for whom, who
// draws it, what became of it. Rows are queued by the commit that made their
// events; everything here is SQL by hand, because one statement serves many
// rows.
//
// A destination is drawn from by one activity at a time, its driver. A drawn
// row is held for twice the limit of a request by the clock of Postgres; its
// outcome counts only while that same attempt is under way.
type Deliveries struct {
	db           *DB
	box          *secret.Box
	nudges       *Nudges
	destinations *destinationBook
}

// NewDeliveries makes the store. box opens and seals receivers' secrets, nudges
// carries the destinations that have new rows.
func NewDeliveries(db *DB, box *secret.Box, nudges *Nudges) *Deliveries {
	return &Deliveries{db: db, box: box, nudges: nudges, destinations: newDestinationBook()}
}

// States of a delivery.
const (
	DeliveryPending   = "pending"
	DeliverySending   = "sending" // shown as pending
	DeliveryDelivered = "delivered"
	DeliveryDead      = "dead"
	DeliveryRefused   = "refused"
)

const (
	// ReceiverLimit is how long a request to a receiver may take in all.
	ReceiverLimit = 10 * time.Second
	// receiverHold keeps a drawn row from being drawn again: twice the limit.
	receiverHold = 2 * ReceiverLimit
	// leaseFor is how long wakers leave a destination to its driver.
	leaseFor = 15 * time.Second
	// LeaseEvery is how often a driver renews its lease.
	LeaseEvery = 5 * time.Second
)

// receiverDelays are the pauses between the attempts of a round: after the
// first failure the first, and so on; one attempt more than pauses, then the
// delivery is dead.
var receiverDelays = []time.Duration{
	2 * time.Second, 8 * time.Second, 32 * time.Second, 128 * time.Second, 512 * time.Second,
}

// Drawn is a delivery whose attempt has begun.
type Drawn struct {
	ID                         int64
	WorkspaceID, DestinationID string
	// Origin is the key of its window and connections; Slow that it is in the
	// slow lane.
	Origin string
	Slow   bool
	// URL and Secret are the receiver's as they are now.
	URL    string
	Secret []byte
	// Attempt is its number on the wire, from 0.
	Attempt int
	Event   webhook.Event
}

// Outcome is what became of a drawn delivery.
type Outcome struct {
	Drawn *Drawn
	Class webhook.Class
	// Status is the HTTP code, 0 without an answer.
	Status   int
	Duration time.Duration
}

package delivery

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// open is the condition that a delivery of the message with this id is still to be
// made. One look at an index for each message, never a join of the two tables.
func open(messageID string) string {
	return `EXISTS (SELECT FROM deliveries d WHERE d.message_id = ` + messageID + ` AND d.state IN ('pending', 'sending') OFFSET 0)`
}

// What goes by its age. A message goes with its deliveries and what is left of its
// body, and neither before all of its deliveries have ended.
var (
	agedBodies           = pg.Aged{Remove: `DELETE FROM message_bodies`, At: "created_at", Stays: open("t.message_id")}
	agedMessages         = pg.Aged{Remove: `DELETE FROM messages`, At: "created_at", Stays: open("t.id")}
	agedEndpointAttempts = pg.Aged{Remove: `DELETE FROM endpoint_attempts`, At: "started_at"}
	agedReceiverAttempts = pg.Aged{Remove: `DELETE FROM delivery_attempts`, At: "at"}
)

// ExpireMessages removes payloads older than payloadDays, and messages and
// attempts at endpoints older than attemptDays, so many of each at once. What a
// delivery that is still open needs stays until the delivery has ended.
func (d *Deliveries) ExpireMessages(ctx context.Context, payloadDays, attemptDays, atOnce int) error {
	if _, err := d.db.RemoveAged(ctx, agedBodies, pg.Days(payloadDays), atOnce); err != nil {
		return err
	}
	if _, err := d.db.RemoveAged(ctx, agedEndpointAttempts, pg.Days(attemptDays), atOnce); err != nil {
		return err
	}
	_, err := d.db.RemoveAged(ctx, agedMessages, pg.Days(attemptDays), atOnce)
	return err
}

// ExpireAttempts removes attempts at receivers older than so many days, so many at
// once, and gives how many these were. Their deliveries stay with the execution.
func (d *Deliveries) ExpireAttempts(ctx context.Context, days, atOnce int) (int64, error) {
	return d.db.RemoveAged(ctx, agedReceiverAttempts, pg.Days(days), atOnce)
}

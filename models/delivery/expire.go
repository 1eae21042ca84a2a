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
	agedBodies   = pg.Aged{Remove: `DELETE FROM message_bodies`, At: "created_at", Stays: open("t.message_id")}
	agedMessages = pg.Aged{Remove: `DELETE FROM messages`, At: "created_at", Stays: open("t.id")}
	agedAttempts = pg.Aged{Remove: `DELETE FROM attempts`, At: "started_at"}
)

// ExpireMessages removes payloads older than payloadDays and messages older than
// messageDays, so many of each at once. What a delivery that is still open needs stays
// until the delivery has ended.
func (d *Deliveries) ExpireMessages(ctx context.Context, payloadDays, messageDays, atOnce int) error {
	if _, err := d.db.RemoveAged(ctx, agedBodies, pg.Days(payloadDays), atOnce); err != nil {
		return err
	}
	_, err := d.db.RemoveAged(ctx, agedMessages, pg.Days(messageDays), atOnce)
	return err
}

// ExpireAttempts removes attempts older than so many days, so many at once, and returns
// how many these were. The deliveries stay with their execution, message or mail.
func (d *Deliveries) ExpireAttempts(ctx context.Context, days, atOnce int) (int64, error) {
	return d.db.RemoveAged(ctx, agedAttempts, pg.Days(days), atOnce)
}

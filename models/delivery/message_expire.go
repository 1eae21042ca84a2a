package delivery

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// expired are the statements that remove what is too old of messages, in their
// order: $1 is the age in days, $2 how many rows to remove at once. A message goes
// with its deliveries, which have ended since its body went.
var expired = []struct {
	statement string
	payload   bool // goes with the payloads, not with the attempts
}{
	{`DELETE FROM message_bodies WHERE ctid = ANY(ARRAY(
	SELECT ctid FROM message_bodies WHERE created_at < clock_timestamp() - make_interval(days => $1) LIMIT $2))`, true},
	{`DELETE FROM endpoint_attempts WHERE ctid = ANY(ARRAY(
	SELECT ctid FROM endpoint_attempts WHERE started_at < clock_timestamp() - make_interval(days => $1) LIMIT $2))`, false},
	{`DELETE FROM messages WHERE ctid = ANY(ARRAY(
	SELECT ctid FROM messages WHERE created_at < clock_timestamp() - make_interval(days => $1) LIMIT $2))`, false},
}

// ExpireMessages removes payloads older than payloadDays, and messages and
// attempts at endpoints older than attemptDays, at most limit of each.
func (d *Deliveries) ExpireMessages(ctx context.Context, payloadDays, attemptDays, limit int) error {
	for _, old := range expired {
		days := attemptDays
		if old.payload {
			days = payloadDays
		}
		if _, err := d.db.Pool.Exec(ctx, old.statement, days, limit); err != nil {
			return pg.Translate(err)
		}
	}
	return nil
}

// DropDestinations removes the destinations of endpoints that are gone for good. The
// ids are an array: the text is the same for any number of them.
func DropDestinations(ctx context.Context, tx *pg.Tx, endpointIDs []string) error {
	_, err := tx.Exec(ctx, `DELETE FROM destinations WHERE id = ANY($1)`, endpointIDs)
	return err
}

package models

import "context"

// expired says what of messages goes by age, in the order in which it goes: $1
// are days, $2 is how many at once. A message goes with its deliveries, which
// ended when its body went; a deleted endpoint goes with its destination when all
// that it was told of is gone.
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
	{`WITH gone AS (
	DELETE FROM endpoints WHERE id = ANY(ARRAY(
		SELECT id FROM endpoints WHERE deleted_at < clock_timestamp() - make_interval(days => $1) LIMIT $2)) RETURNING id
)
DELETE FROM destinations WHERE id IN (SELECT id FROM gone)`, false},
}

// Expire removes what is too old: payloads after payloadDays; messages, attempts
// and endpoints that were deleted after attemptDays. At most limit of each go.
func (w *Webhooks) Expire(ctx context.Context, payloadDays, attemptDays, limit int) error {
	for _, old := range expired {
		days := attemptDays
		if old.payload {
			days = payloadDays
		}
		if _, err := w.db.Pool.Exec(ctx, old.statement, days, limit); err != nil {
			return translate(err)
		}
	}
	return nil
}

package delivery

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// StartWithin is for how long a claim lets attempts at endpoints and mails start,
// counted from before the claim; one that would start later asks again
// (StartLate). So whoever closes an endpoint or switches mails off knows when no
// attempt claimed before can start any more, whichever process claimed it.
const StartWithin = 500 * time.Millisecond

// startLate renews the beginning of an attempt, unless it was cancelled meanwhile
// or, for a mail, its trigger was switched off. The row of the settings and then
// that of the destination are locked until the commit, in the order in which a
// change of the settings locks them.
const startLate = `
WITH s AS (SELECT off FROM email_settings WHERE workspace_id = $4 FOR SHARE),
k AS (SELECT cancel_id, cancel_class FROM destinations WHERE id = $1 AND (SELECT count(*) FROM s) >= 0 FOR SHARE)
UPDATE deliveries d SET begun_at = clock_timestamp() FROM k, open_deliveries w
WHERE d.id = $2 AND d.attempt = $3 AND d.state = 'sending' AND w.id = $2 AND NOT is_cancelled(coalesce(w.number, w.id), w.cause, k.cancel_id, k.cancel_class)
AND NOT EXISTS (
    SELECT 1 FROM s, mails m JOIN unnest($5::text[], $6::text[]) AS t (template, switch) ON t.template = m.template
    WHERE m.id = d.mail_id AND t.switch = ANY(s.off))`

// StartLate gives whether a claimed row may still be sent, for as long again as a
// claim allows.
func (d *Deliveries) StartLate(ctx context.Context, row *Claimed) (bool, error) {
	settings := "" // those of mails concern nothing else
	if row.MailID != "" {
		settings = row.WorkspaceID
	}
	templates := slices.Collect(maps.Keys(d.mails.Triggers))
	switches := make([]string, len(templates))
	for i, template := range templates {
		switches[i] = d.mails.Triggers[template]
	}
	tag, err := d.db.Pool.Exec(ctx, startLate, row.DestinationID, row.ID, row.Attempt+1, settings, templates, switches)
	return tag.RowsAffected() > 0, pg.Translate(err)
}

// lastStart gives the seconds until none of the attempts begun at some
// destinations before a moment can start any more. The first call takes the
// present as that moment and gives it back for the next ones. Rows under way are among
// the first that are due, so what waits behind a thousand is not looked at.
const lastStart = `
SELECT coalesce(extract(epoch FROM max(d.begun_at) + $2::interval - clock_timestamp()), 0)::float8, max(now.at)
FROM (SELECT coalesce($3::timestamptz, clock_timestamp()) AS at OFFSET 0) now
LEFT JOIN LATERAL (
    SELECT s.begun_at FROM unnest($1::text[]) AS k (id)
    CROSS JOIN LATERAL (SELECT id, locked_until FROM open_deliveries WHERE destination_id = k.id ORDER BY due_at LIMIT 1000) w
    CROSS JOIN LATERAL (SELECT begun_at FROM deliveries WHERE id = w.id OFFSET 0) s
    WHERE w.locked_until > '-infinity' AND s.begun_at <= now.at
) d ON true`

// startPoll is how often AwaitStarts looks whether the attempts begun have ended.
const startPoll = 20 * time.Millisecond

// AwaitStarts is called after a commit that closes destinations. It returns when
// no attempt that was claimed before the commit can start any more; most end
// within milliseconds. Requests on the wire then still end by themselves; attempts
// claimed later saw the commit.
func AwaitStarts(ctx context.Context, db *pg.DB, destinationIDs []string) error {
	var since *time.Time
	for len(destinationIDs) > 0 {
		var left float64
		if err := db.Pool.QueryRow(ctx, lastStart, destinationIDs, StartWithin, since).Scan(&left, &since); err != nil {
			return fault.DeadlineExceeded(err)
		}
		if left <= 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fault.DeadlineExceeded(ctx.Err())
		case <-time.After(min(startPoll, time.Duration(left*float64(time.Second)))):
		}
	}
	return nil
}

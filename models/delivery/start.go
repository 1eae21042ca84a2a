package delivery

import (
	"context"
	_ "embed"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// StartWithin is for how long a claim lets attempts at endpoints and mails start,
// counted from before the claim; one that would start later asks again
// (StartLate). So whoever closes an endpoint or switches mails off knows when no
// attempt claimed before can start any more, whichever process claimed it.
const StartWithin = 500 * time.Millisecond

//go:embed start_late.sql
var startLate string

// StartLate reports whether a claimed row may still be sent, for as long again as a
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
	tag, err := d.db.Pool.Exec(ctx, startLate, pgx.NamedArgs{
		"destination": row.DestinationID, "delivery": row.ID, "attempt": row.Attempt + 1, "settings": settings, "templates": templates, "switches": switches,
	})
	return tag.RowsAffected() > 0, pg.Translate(err)
}

//go:embed last_start.sql
var lastStart string

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
		if err := db.Pool.QueryRow(ctx, lastStart, pgx.NamedArgs{"destinations": destinationIDs, "within": StartWithin, "since": since}).Scan(&left, &since); err != nil {
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

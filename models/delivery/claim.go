package delivery

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed claim.sql
var claimRows string

//go:embed claim_state.sql
var claimState string

//go:embed due_origins.sql
var dueOrigins string

// everyID is above the number of any row.
const everyID = 1<<63 - 1

// ClaimLimits bound one claim.
type ClaimLimits struct {
	// Rows is how many rows may be claimed in all.
	Rows int
	// Origins are the origins of receivers that may be claimed of, Shares how many rows
	// of each. Endpoints and mails have none.
	Origins []string
	Shares  []int
}

// ClaimedBatch is what one claim returned.
type ClaimedBatch struct {
	Rows []*Claimed
	// More reports that due rows were left, which others have or the limits or the pace
	// forbid; Cancelled that rows are left for EndCancelled.
	More, Cancelled bool
	// Again is for how long the pace of the destination allows nothing.
	Again time.Duration
	// URL is where the messages of an endpoint go now. Where it is not the one that was
	// claimed for, nothing was claimed.
	URL string
}

// Claim begins attempts for owner, within the limits. No rows and no error means that
// nothing is due, that the pace allows none, that the endpoint has another address, or
// that another owner has locked the destination.
func (d *Deliveries) Claim(ctx context.Context, to Destination, owner string, l ClaimLimits) (ClaimedBatch, error) {
	var claimed ClaimedBatch
	var secrets endpointSecrets
	if to.Kind != kindReceiver {
		l.Origins, l.Shares = []string{ownOrigin, recoveredOrigin}, []int{l.Rows, l.Rows}
	}
	limit := d.policyOf(to.Kind).limit
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(claimRows, pgx.NamedArgs{
		"workspace": to.WorkspaceID, "destination": to.ID, "owner": owner, "url": to.URL, "most": l.Rows, "origins": l.Origins, "shares": l.Shares,
		"lock": 2 * limit, "mails_per_second": mailsPerSecond, "every_id": int64(everyID),
	}).Query(func(rows pgx.Rows) (err error) {
		claimed.Rows, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Claimed, error) {
			r := &Claimed{DestinationID: to.ID, Limit: limit, URL: to.URL}
			return r, d.scanClaimed(ctx, row, r)
		})
		return err
	})
	b.Queue(claimState, pgx.NamedArgs{"destination": to.ID, "owner": owner, "every_id": int64(everyID)}).
		QueryRow(func(row pgx.Row) error { return claimed.scan(row, &secrets) })
	if err := d.db.Pool.SendBatch(ctx, b).Close(); err != nil {
		return ClaimedBatch{}, pg.Translate(err)
	}
	if to.Kind == kindEndpoint {
		d.sign(ctx, claimed.Rows, secrets)
	}
	return claimed, nil
}

// scan reads claimState; no row means that another owner has locked the destination.
func (b *ClaimedBatch) scan(row pgx.Row, secrets *endpointSecrets) error {
	var again float64
	err := row.Scan(&b.More, &b.Cancelled, &again, &b.URL, &secrets.ids, &secrets.sealed, &secrets.token)
	if pg.IsNoRow(err) {
		return nil
	}
	b.Again = max(0, time.Duration(again*float64(time.Second)))
	return err
}

// DueOrigins returns up to most origins of a destination of which a row can be claimed, in
// their order, behind after.
func (d *Deliveries) DueOrigins(ctx context.Context, destinationID, after string, most int) (origins []string, err error) {
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(dueOrigins, pgx.NamedArgs{"destination": destinationID, "after": after, "most": most}).Query(func(rows pgx.Rows) (err error) {
		origins, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return origins, pg.Translate(d.db.Pool.SendBatch(ctx, b).Close())
}

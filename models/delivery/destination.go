package delivery

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Destination is what deliveries are claimed for. URL is where the messages of an endpoint
// go, empty for other kinds.
type Destination struct{ WorkspaceID, ID, Kind, URL string }

// LockDestination makes owner the one who claims rows of a destination, whoever did
// before. It returns the destination, one without a kind when there is no such one.
func (d *Deliveries) LockDestination(ctx context.Context, workspaceID, destinationID, owner string) (Destination, error) {
	taken := Destination{WorkspaceID: workspaceID, ID: destinationID}
	err := d.db.Pool.QueryRow(ctx, `UPDATE destinations k SET locked_by = $3, locked_until = clock_timestamp() + $4, claimed_until = NULL
		WHERE workspace_id = $1 AND id = $2 RETURNING kind, coalesce((SELECT url FROM endpoints WHERE id = k.id), '')`,
		workspaceID, destinationID, owner, lockFor).Scan(&taken.Kind, &taken.URL)
	if pg.IsNoRow(err) {
		return Destination{}, nil
	}
	return taken, pg.Translate(err)
}

// ExtendLock extends the lock and reports whether owner still has it.
func (d *Deliveries) ExtendLock(ctx context.Context, workspaceID, destinationID, owner string) (bool, error) {
	until := gorm.Expr("clock_timestamp() + make_interval(secs => ?)", lockFor.Seconds())
	return d.changeLock(ctx, workspaceID, destinationID, owner, map[string]any{"locked_until": until})
}

// UnlockDestination lets the destination's run be started again, unless another owner has locked
// it. throttled says that an origin of it keeps failing.
func (d *Deliveries) UnlockDestination(ctx context.Context, workspaceID, destinationID, owner string, throttled bool) error {
	_, err := d.changeLock(ctx, workspaceID, destinationID, owner, map[string]any{"locked_by": nil, "locked_until": nil, "throttled": throttled})
	return err
}

// changeLock changes the lock that owner has and reports whether it has one.
func (d *Deliveries) changeLock(ctx context.Context, workspaceID, destinationID, owner string, set map[string]any) (bool, error) {
	changed, err := gorm.G[destinationRow](d.db.Gorm).Scopes(pg.Tenant(workspaceID)).Where("id = ? AND locked_by = ?", destinationID, owner).
		Set(clause.Assignments(set)).Update(ctx)
	return changed > 0, pg.Translate(err)
}

// claimFor is for how long a destination whose run somebody starts is nobody else's to
// start, unless its owner locks it before: long enough for Temporal to
// hand the task over, short enough to start again soon what was lost.
const claimFor = time.Second

//go:embed claim_due.sql
var claimDue string

// ClaimDue claims those of the destinations that have something to claim now
// and no owner, for whoever starts their runs next. It is asked after a commit: an owner
// that is there then finds the committed rows.
func (d *Deliveries) ClaimDue(ctx context.Context, ids []string) ([]contract.DeliveryInput, error) {
	return d.inputs(ctx, claimDue, pgx.NamedArgs{"claim_for": claimFor, "destinations": ids})
}

//go:embed claim_next_due.sql
var claimNextDue string

// lookAt is how many destinations one look visits.
const lookAt = 200

// ClaimNextDue is ClaimDue for the next destinations that have rows, those
// behind after, of which it claims so many at most. It returns where the next look
// begins.
func (d *Deliveries) ClaimNextDue(ctx context.Context, after string, most int) (found []contract.DeliveryInput, last string, err error) {
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(claimNextDue, pgx.NamedArgs{"claim_for": claimFor, "after": after, "most": most, "visits": lookAt}).Query(func(rows pgx.Rows) error {
		var workspaceID, id, kind *string
		_, err := pgx.ForEachRow(rows, []any{&last, &workspaceID, &id, &kind}, func() error {
			if id != nil {
				found = append(found, contract.DeliveryInput{WorkspaceID: *workspaceID, DestinationID: *id, Kind: *kind})
			}
			return nil
		})
		return err
	})
	return found, last, pg.Translate(d.db.Pool.SendBatch(ctx, b).Close())
}

// overdueFor is how late a destination may be before it is taken that
// nothing drives it.
const overdueFor = time.Minute

//go:embed overdue.sql
var overdue string

// Overdue returns the destinations that had rows to claim a minute ago and have no
// owner: what findIdleDestinations of the worker starts.
func (d *Deliveries) Overdue(ctx context.Context) ([]contract.DeliveryInput, error) {
	return d.inputs(ctx, overdue, pgx.NamedArgs{"overdue_for": overdueFor})
}

//go:embed open.sql
var openDestinations string

// Open returns every destination that has rows waiting or under way.
func (d *Deliveries) Open(ctx context.Context) ([]contract.DeliveryInput, error) {
	return d.inputs(ctx, openDestinations, pgx.NamedArgs{})
}

func (d *Deliveries) inputs(ctx context.Context, query string, args pgx.NamedArgs) ([]contract.DeliveryInput, error) {
	rows, err := d.db.Pool.Query(ctx, query, args)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[contract.DeliveryInput])
	return found, pg.Translate(err)
}

// NextDue is how long until something of a destination can be claimed or a lock
// ends; nil when nothing waits.
func (d *Deliveries) NextDue(ctx context.Context, destinationID string) (*time.Duration, error) {
	var next *float64
	err := d.db.Pool.QueryRow(ctx, `SELECT extract(epoch FROM destination_due($1) - clock_timestamp())::float8`, destinationID).Scan(&next)
	return untilNext(next), pg.Translate(err)
}

// untilNext is seconds as a duration that is not negative; nil stays nil.
func untilNext(seconds *float64) *time.Duration {
	if seconds == nil {
		return nil
	}
	wait := max(0, time.Duration(*seconds*float64(time.Second)))
	return &wait
}

// DestinationState is the state of a destination once nobody dispatches for it.
type DestinationState struct {
	// At is when it was read, by the clock of Postgres.
	At time.Time
	// Next is how long until something can be claimed or a lock ends; nil when
	// nothing waits.
	Next *time.Duration
	// Waiting counts rows that wait, up to WaitingShown.
	Waiting int
}

// WaitingShown is up to where waiting rows are counted.
const WaitingShown = 10_000

const destinationState = `
SELECT clock_timestamp(), extract(epoch FROM destination_due($1) - clock_timestamp())::float8,
       (SELECT count(*) FROM (SELECT FROM open_deliveries WHERE destination_id = $1 AND locked_until = '-infinity' LIMIT $2) w)`

// State returns the state of a destination. The owner calls it after it has unlocked
// it, so a row that is committed meanwhile is either seen here or starts the run.
func (d *Deliveries) State(ctx context.Context, destinationID string) (DestinationState, error) {
	var s DestinationState
	var next *float64
	if err := d.db.Pool.QueryRow(ctx, destinationState, destinationID, WaitingShown).Scan(&s.At, &next, &s.Waiting); err != nil {
		return DestinationState{}, pg.Translate(err)
	}
	s.Next = untilNext(next)
	return s, nil
}

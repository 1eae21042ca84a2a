package delivery

import (
	"context"
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

// TakeLease makes driver the one who claims rows of a destination, whoever did
// before. It returns the destination, one without a kind when there is no such one.
func (d *Deliveries) TakeLease(ctx context.Context, workspaceID, destinationID, driver string) (Destination, error) {
	taken := Destination{WorkspaceID: workspaceID, ID: destinationID}
	err := d.db.Pool.QueryRow(ctx, `UPDATE destinations k SET driver = $3, driven_until = clock_timestamp() + $4, woken_until = NULL
		WHERE workspace_id = $1 AND id = $2 RETURNING kind, coalesce((SELECT url FROM endpoints WHERE id = k.id), '')`,
		workspaceID, destinationID, driver, leaseFor).Scan(&taken.Kind, &taken.URL)
	if pg.IsNoRow(err) {
		return Destination{}, nil
	}
	return taken, pg.Translate(err)
}

// RenewLease extends the lease and gives whether driver still has it.
func (d *Deliveries) RenewLease(ctx context.Context, workspaceID, destinationID, driver string) (bool, error) {
	until := gorm.Expr("clock_timestamp() + make_interval(secs => ?)", leaseFor.Seconds())
	return d.lease(ctx, workspaceID, destinationID, driver, map[string]any{"driven_until": until})
}

// GiveLeaseBack lets wakers wake the destination again, unless another driver has taken
// it. throttled says that an origin of it keeps failing.
func (d *Deliveries) GiveLeaseBack(ctx context.Context, workspaceID, destinationID, driver string, throttled bool) error {
	_, err := d.lease(ctx, workspaceID, destinationID, driver, map[string]any{"driver": nil, "driven_until": nil, "throttled": throttled})
	return err
}

// lease changes the lease that driver has and gives whether it has one.
func (d *Deliveries) lease(ctx context.Context, workspaceID, destinationID, driver string, set map[string]any) (bool, error) {
	changed, err := gorm.G[destinationRow](d.db.Gorm).Scopes(pg.Tenant(workspaceID)).Where("id = ? AND driver = ?", destinationID, driver).
		Set(clause.Assignments(set)).Update(ctx)
	return changed > 0, pg.Translate(err)
}

// wantsRun is the condition on a destination d that has no driver and has had
// something to claim for at least $1.
const wantsRun = `(d.driven_until IS NULL OR d.driven_until < clock_timestamp()) AND destination_due(d.id) <= clock_timestamp() - $1::interval`

// wakeFor is for how long a destination that somebody wakes is nobody else's to
// wake, unless its driver takes the lease before: long enough for Temporal to
// hand the task over, short enough to wake again soon what was lost.
const wakeFor = time.Second

// claimUndriven claims those of some destinations that want a run and that nobody
// is waking, so of all processes that hear of a commit one wakes. A row that is
// locked has a driver, or belongs to somebody who wakes it or will.
const claimUndriven = `
UPDATE destinations SET woken_until = clock_timestamp() + $2::interval WHERE id = ANY(ARRAY(
    SELECT d.id FROM destinations d WHERE d.id = ANY($3) AND (d.woken_until IS NULL OR d.woken_until <= clock_timestamp()) AND ` + wantsRun + `
    LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED))
RETURNING workspace_id, id, kind`

// ClaimUndriven claims those of the destinations that have something to claim now
// and no driver, for whoever wakes them next. It is asked after a commit: a driver
// that is there then finds the committed rows.
func (d *Deliveries) ClaimUndriven(ctx context.Context, ids []string) ([]contract.DeliveryInput, error) {
	return d.inputs(ctx, claimUndriven, time.Duration(0), wakeFor, ids, len(ids))
}

// nextWaiting finds the first destination behind another one that has rows waiting
// or under way.
func nextWaiting(behind string) string {
	return `SELECT min(destination_id) FROM open_deliveries WHERE destination_id > ` + behind
}

// claimNextUndriven claims what claimUndriven does, of the next destinations that have
// rows, as many as $5 of them. It visits one more only as long as it has found fewer
// than $4, and gives with each where it stood: the last one found, or the last one
// visited when there were no more.
var claimNextUndriven = `
WITH RECURSIVE ` + pg.Turn("$3", nextWaiting) + `, visited AS (
    SELECT id, row_number() OVER () AS n FROM (SELECT id FROM turn WHERE id IS NOT NULL LIMIT $5) t
), found AS MATERIALIZED (
    SELECT w.id, v.n FROM visited v CROSS JOIN LATERAL (
        SELECT d.id FROM destinations d WHERE d.id = v.id AND (d.woken_until IS NULL OR d.woken_until <= clock_timestamp()) AND ` + wantsRun + `
        FOR NO KEY UPDATE SKIP LOCKED) w LIMIT $4
), claimed AS (
    UPDATE destinations SET woken_until = clock_timestamp() + $2::interval WHERE id = ANY(ARRAY(SELECT id FROM found))
    RETURNING workspace_id, id, kind
), stood AS (
    SELECT CASE WHEN (SELECT count(*) FROM found) = $4 THEN (SELECT id FROM found ORDER BY n DESC LIMIT 1)
           ELSE (SELECT id FROM visited ORDER BY n DESC LIMIT 1) END AS id
)
SELECT coalesce(s.id, ''), c.workspace_id, c.id, c.kind FROM stood s LEFT JOIN claimed c ON true`

// lookAt is how many destinations one look visits.
const lookAt = 200

// ClaimNextUndriven is ClaimUndriven for the next destinations that have rows, those
// behind after, of which it claims so many at most. It gives where the next look
// begins.
func (d *Deliveries) ClaimNextUndriven(ctx context.Context, after string, most int) (found []contract.DeliveryInput, last string, err error) {
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(claimNextUndriven, time.Duration(0), wakeFor, after, most, lookAt).Query(func(rows pgx.Rows) error {
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

// undrivenFor is how late a destination may be before the sweep takes it that
// nothing drives it.
const undrivenFor = time.Minute

// overdue walks over the destinations that have rows waiting or under way, not over
// all there are, and keeps those that wantsRun selects.
var overdue = `WITH RECURSIVE ` + pg.Turn("''", nextWaiting) + `
SELECT d.workspace_id, d.id, d.kind FROM turn JOIN destinations d ON d.id = turn.id WHERE ` + wantsRun

// Overdue gives the destinations that had rows to claim a minute ago and have no
// driver: what the sweep starts.
func (d *Deliveries) Overdue(ctx context.Context) ([]contract.DeliveryInput, error) {
	return d.inputs(ctx, overdue, undrivenFor)
}

// allOpen walks over the destinations that have rows waiting or under way.
var allOpen = `WITH RECURSIVE ` + pg.Turn("''", nextWaiting) + `
SELECT d.workspace_id, d.id, d.kind FROM turn JOIN destinations d ON d.id = turn.id`

// Open gives every destination that has rows waiting or under way.
func (d *Deliveries) Open(ctx context.Context) ([]contract.DeliveryInput, error) {
	return d.inputs(ctx, allOpen)
}

func (d *Deliveries) inputs(ctx context.Context, query string, args ...any) ([]contract.DeliveryInput, error) {
	rows, err := d.db.Pool.Query(ctx, query, args...)
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

// State returns the state of a destination. The driver calls it after it gave its lease
// back, so a row that is committed meanwhile is either seen here or wakes the destination.
func (d *Deliveries) State(ctx context.Context, destinationID string) (DestinationState, error) {
	var s DestinationState
	var next *float64
	if err := d.db.Pool.QueryRow(ctx, destinationState, destinationID, WaitingShown).Scan(&s.At, &next, &s.Waiting); err != nil {
		return DestinationState{}, pg.Translate(err)
	}
	s.Next = untilNext(next)
	return s, nil
}

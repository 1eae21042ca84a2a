package quota

import (
	"context"
	_ "embed"
	"math"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Kind is what bytes are of.
type Kind string

// The kinds: files of sources and exports, rows that callers fill, bodies of messages of a day.
const (
	Files    Kind = "files"
	Rows     Kind = "rows"
	Messages Kind = "messages"
)

// Kinds are all kinds, in the order in which they are shown.
func Kinds() []Kind { return []Kind{Files, Rows, Messages} }

// Limit is how many bytes a workspace of each plan may keep, 0 for any number. An operator may
// set another number for one workspace, under the name of the kind with "-bytes".
type Limit struct{ Free, Paid int64 }

// Limits are those of each kind; none is no limit.
type Limits map[Kind]Limit

// Quotas counts and refuses.
type Quotas struct {
	db *pg.DB
	// kinds, free and paid are the limits as the statements take them.
	kinds      []string
	free, paid []int64
	// full are the workspaces that may add nothing, as of the last look.
	full atomic.Pointer[map[string]bool]
}

// New makes the store.
func New(db *pg.DB, limits Limits) *Quotas {
	q := &Quotas{db: db}
	for _, kind := range Kinds() {
		q.kinds, q.free, q.paid = append(q.kinds, string(kind)), append(q.free, limits[kind].Free), append(q.paid, limits[kind].Paid)
	}
	q.full.Store(&map[string]bool{})
	return q
}

// args are the parameters of a statement, the limits among them.
func (q *Quotas) args(workspaceID string) pgx.NamedArgs {
	return pgx.NamedArgs{"workspace": workspaceID, "kinds": q.kinds, "free": q.free, "paid": q.paid}
}

// Use is how much of a kind a workspace keeps, and how much it may, 0 for any number.
type Use struct {
	Kind  Kind  `json:"kind"`
	Bytes int64 `json:"usedBytes"`
	Limit int64 `json:"limitBytes"`
}

// Usage is what a workspace keeps of each kind, on its plan.
type Usage struct {
	Plan string
	AsOf time.Time
	Uses []Use
}

//go:embed usage.sql
var readUsage string

// Usage returns what a workspace keeps, in the order of Kinds: all that was committed before. A workspace
// that does not exist keeps nothing.
func (q *Quotas) Usage(ctx context.Context, workspaceID string) (Usage, error) {
	found := Usage{Uses: []Use{}}
	rows, err := q.db.Pool.Query(ctx, readUsage, q.args(workspaceID))
	if err != nil {
		return found, pg.Translate(err)
	}
	var use Use
	_, err = pgx.ForEachRow(rows, []any{&found.Plan, &found.AsOf, &use.Kind, &use.Bytes, &use.Limit}, func() error {
		found.Uses = append(found.Uses, use)
		return nil
	})
	return found, pg.Translate(err)
}

// Room returns how many bytes more of a kind a workspace may keep, math.MaxInt64 where nothing limits it; below
// zero are those that it keeps beyond.
func (q *Quotas) Room(ctx context.Context, workspaceID string, kind Kind) (int64, error) {
	found, err := q.Usage(ctx, workspaceID)
	for _, use := range found.Uses {
		if use.Kind == kind && use.Limit > 0 {
			return use.Limit - use.Bytes, err
		}
	}
	return math.MaxInt64, err
}

// Largest returns the most that any workspace keeps of each kind of which there is anything,
// without those that follow from changes of the last seconds.
func (q *Quotas) Largest(ctx context.Context) (map[Kind]int64, error) {
	rows, err := q.db.Pool.Query(ctx, `SELECT k.kind, u.bytes FROM unnest($1::text[]) AS k (kind)
CROSS JOIN LATERAL (SELECT u.bytes FROM storage_use u WHERE u.kind = k.kind ORDER BY u.bytes DESC LIMIT 1) u`, q.kinds)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found := map[Kind]int64{}
	var kind Kind
	var bytes int64
	_, err = pgx.ForEachRow(rows, []any{&kind, &bytes}, func() error {
		found[kind] = bytes
		return nil
	})
	return found, pg.Translate(err)
}

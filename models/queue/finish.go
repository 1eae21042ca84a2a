package queue

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed retry.sql
var retryStatement string

const (
	removeDone = `DELETE FROM work WHERE kind = @kind AND key = @key AND revision = @revision`
	// unlockChanged lets a row be claimed at once that was put again under the lock. It is a
	// statement of its own: one together with removeDone would see the row as it was.
	unlockChanged = `UPDATE work SET locked_until = '-infinity', locked_by = NULL
WHERE kind = @kind AND key = @key AND revision <> @revision AND locked_by = @owner`
	release = `UPDATE work SET locked_until = '-infinity', locked_by = NULL, attempts = attempts - 1 WHERE kind = @kind AND key = @key AND locked_by = @owner`
	extend  = `UPDATE work SET locked_until = statement_timestamp() + @lock::interval WHERE kind = @kind AND key = @key AND locked_by IS NOT NULL`
)

// Done removes rows that were claimed, except those that were put again meanwhile.
func (q *Queue) Done(ctx context.Context, kind Kind, claimed ...Claimed) error {
	b := &pgx.Batch{}
	for _, c := range byKey(claimed) {
		args := pgx.NamedArgs{"kind": kind, "key": c.Key, "revision": c.Revision, "owner": q.owner}
		b.Queue(removeDone, args)
		b.Queue(unlockChanged, args)
	}
	return pg.Translate(q.db.Pool.SendBatch(ctx, b).Close())
}

// byKey orders rows as all do who lock several.
func byKey(claimed []Claimed) []Claimed {
	return slices.SortedFunc(slices.Values(claimed), func(a, b Claimed) int { return strings.Compare(a.Key, b.Key) })
}

// Retry makes a row that was claimed due again after a while, and notes that it fails. One
// that was put again meanwhile is due at once.
func (q *Queue) Retry(ctx context.Context, kind Kind, c Claimed, after time.Duration) error {
	return q.putOff(ctx, kind, c, after, true)
}

// PutOff is Retry for a row that does not fail: nobody can work on it yet.
func (q *Queue) PutOff(ctx context.Context, kind Kind, c Claimed, after time.Duration) error {
	return q.putOff(ctx, kind, c, after, false)
}

func (q *Queue) putOff(ctx context.Context, kind Kind, c Claimed, after time.Duration, failed bool) error {
	args := pgx.NamedArgs{"kind": kind, "key": c.Key, "revision": c.Revision, "owner": q.owner, "after": after, "failed": failed}
	b := &pgx.Batch{}
	b.Queue(retryStatement, args)
	b.Queue(unlockChanged, args)
	return pg.Translate(q.db.Pool.SendBatch(ctx, b).Close())
}

// Release unlocks rows that were claimed and that nobody has worked on.
func (q *Queue) Release(ctx context.Context, kind Kind, claimed ...Claimed) error {
	b := &pgx.Batch{}
	for _, c := range byKey(claimed) {
		b.Queue(release, pgx.NamedArgs{"kind": kind, "key": c.Key, "owner": q.owner})
	}
	return pg.Translate(q.db.Pool.SendBatch(ctx, b).Close())
}

// Extend queues the statement that keeps a locked row locked for the time of a lock from now
// on: whoever goes on working on it calls it now and then.
func Extend(b *pgx.Batch, kind Kind, key string) {
	b.Queue(extend, pgx.NamedArgs{"kind": kind, "key": key, "lock": kind.Rule().Lock})
}

package workspace

import (
	"context"
	"time"

	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/models/internal/pg"
)

// RateLimits is the store that all processes share for their limits. Its
// statements are SQL by hand: they stand in the way of requests.
type RateLimits struct{ db *pg.DB }

// NewRateLimits makes the store.
func NewRateLimits(db *pg.DB) *RateLimits { return &RateLimits{db: db} }

// takeTokens refills a bucket by the time passed, then grants what is wanted, at
// most what is there above the floor; a negative want gives tokens back. Parameters: bucket, capacity, floor (zero or below), want.
const takeTokens = `
	INSERT INTO rate_buckets AS b (bucket, tokens, granted, filled_at)
	VALUES ($1, $2::float8 - greatest($4::int, 0), greatest($4::int, 0), clock_timestamp())
	ON CONFLICT (bucket) DO UPDATE SET (tokens, granted, filled_at) = (
		SELECT least($2::float8, full_tokens - grant_now), grant_now, now_at
		FROM (SELECT now_at, full_tokens,
				CASE WHEN $4::int < 0 THEN $4::int
				ELSE greatest(least($4::int, floor(full_tokens - $3::float8)::int), 0) END AS grant_now
			FROM (SELECT now_at, least($2::float8, b.tokens
					+ $2::float8 / 60 * greatest(extract(epoch FROM now_at - b.filled_at), 0)) AS full_tokens
				FROM (SELECT clock_timestamp() AS now_at) AS clock) AS filled) AS decided)
	RETURNING granted, tokens`

// Take borrows tokens from a bucket; it implements limit.Store.
func (s *RateLimits) Take(ctx context.Context, want limit.Want) (limit.Grant, error) {
	var grant limit.Grant
	err := s.db.Pool.QueryRow(ctx, takeTokens, want.Bucket, want.Capacity, -want.Overdraw, want.Tokens).
		Scan(&grant.Tokens, &grant.Left)
	return grant, pg.Translate(err)
}

// lockSubject serialises the uses of one subject until the transaction ends.
const lockSubject = `SELECT pg_advisory_xact_lock(hashtextextended('rate_uses/' || $1, 0))`

const dropOldUses = `DELETE FROM rate_uses WHERE subject = $1 AND at <= clock_timestamp() - $2::interval`

// oldestBlocking finds the use that must leave the window before one more fits in:
// with as many uses as allowed it is the oldest, with more a later one.
const oldestBlocking = `
	SELECT extract(epoch FROM at + $2::interval - clock_timestamp())::float8
	FROM rate_uses WHERE subject = $1 ORDER BY at DESC OFFSET $3 LIMIT 1`

const addUse = `INSERT INTO rate_uses (subject, at) VALUES ($1, clock_timestamp()) RETURNING id`

// Enter notes a use in a sliding window; it implements limit.Store.
// A window that is full is seen without its lock, for which a connection would wait.
func (s *RateLimits) Enter(ctx context.Context, window string, length time.Duration, most int) (use int64, wait time.Duration, err error) {
	if wait, err = fullFor(ctx, s.db.Pool, window, length, most); err != nil || wait > 0 {
		return 0, wait, pg.Translate(err)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		use, wait, err = enter(ctx, tx, window, length, most)
		return err
	})
	return use, wait, err
}

// EnterWindow is RateLimits.Enter within a transaction, with which the use comes and goes.
func EnterWindow(ctx context.Context, tx *pg.Tx, window string, length time.Duration, most int) (wait time.Duration, err error) {
	_, wait, err = enter(ctx, tx, window, length, most)
	return wait, err
}

func enter(ctx context.Context, tx *pg.Tx, window string, length time.Duration, most int) (int64, time.Duration, error) {
	if _, err := tx.Exec(ctx, lockSubject, window); err != nil {
		return 0, 0, err
	}
	if _, err := tx.Exec(ctx, dropOldUses, window, length); err != nil {
		return 0, 0, err
	}
	wait, err := fullFor(ctx, tx, window, length, most)
	if err != nil || wait > 0 {
		return 0, wait, err
	}
	var use int64
	err = tx.QueryRow(ctx, addUse, window).Scan(&use)
	return use, 0, err
}

// fullFor returns for how long no further use fits into a window; 0 where one does.
func fullFor(ctx context.Context, q pg.RowQueryer, window string, length time.Duration, most int) (time.Duration, error) {
	var seconds float64
	err := q.QueryRow(ctx, oldestBlocking, window, length, most-1).Scan(&seconds)
	if pg.IsNoRow(err) || err == nil && seconds <= 0 {
		return 0, nil
	}
	return max(time.Duration(seconds*float64(time.Second)), 1), err
}

// Leave takes a use back; it implements limit.Store.
func (s *RateLimits) Leave(ctx context.Context, use int64) error {
	_, err := s.db.Pool.Exec(ctx, `DELETE FROM rate_uses WHERE id = $1`, use)
	return pg.Translate(err)
}

const (
	// idleBucket is how long a bucket must be unused before its row is removed: it has
	// long been full again then, and a bucket without a row counts as full.
	idleBucket = "10 minutes"
	// oldUse is above every window that uses are counted in.
	oldUse = "2 days"
)

// Clear removes uses and buckets that no longer matter, so many at once.
func (s *RateLimits) Clear(ctx context.Context, atOnce int) error {
	_, err := s.db.RemoveAged(ctx, pg.Aged{Remove: `DELETE FROM rate_buckets`, At: "filled_at"}, idleBucket, atOnce)
	if err == nil {
		_, err = s.db.RemoveAged(ctx, pg.Aged{Remove: `DELETE FROM rate_uses`, At: "at"}, oldUse, atOnce)
	}
	return err
}

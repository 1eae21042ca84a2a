package workspace_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/workspace"
)

// Three processes at one full bucket let at least the limit through and at most
// 5 % more, beyond what is refilled meanwhile.
func TestRateLimitsBurstOfThreeProcesses(t *testing.T) {
	db := pgtest.New(t)
	store := workspace.NewRateLimits(db)
	const rate = 1000
	var passed atomic.Int64
	var wg sync.WaitGroup
	started := modelstest.ClockOf(t, db)
	for range 3 {
		limiter := limit.New(store, nil, map[limit.Class]int{limit.Key: rate})
		for range 4 {
			wg.Go(func() {
				for range 200 {
					err := limiter.Take(context.Background(), limit.Key, "ak_1", "ws_1")
					if err == nil {
						passed.Add(1)
					} else {
						assert.True(t, fault.Is(err, fault.StatusResourceExhausted), err)
					}
				}
			})
		}
	}
	wg.Wait()
	refilled := int64(modelstest.ClockOf(t, db).Sub(started).Seconds()*rate/60) + 1
	require.GreaterOrEqual(t, passed.Load(), int64(rate))
	require.LessOrEqual(t, passed.Load(), rate*105/100+refilled)
}

func TestRateLimitsRefillByTheDatabasesClock(t *testing.T) {
	db := pgtest.New(t)
	store := workspace.NewRateLimits(db)
	want := limit.Want{Bucket: "key/ak_1", Capacity: 60, Overdraw: 3, Tokens: 63}
	grant, err := store.Take(t.Context(), want)
	require.NoError(t, err)
	require.Equal(t, 63, grant.Tokens)
	empty := modelstest.TimeIn(t, db, `UPDATE rate_buckets SET filled_at = clock_timestamp() - interval '10 seconds' RETURNING filled_at`)
	taken := 0
	for _, want.Tokens = range []int{63, 63, -10} { // one comes back each second
		before := modelstest.ClockOf(t, db)
		grant, err = store.Take(t.Context(), want)
		require.NoError(t, err)
		taken += grant.Tokens
		least, most := before.Sub(empty).Seconds()-3, modelstest.ClockOf(t, db).Sub(empty).Seconds()-3
		require.GreaterOrEqual(t, grant.Left+float64(taken), least-1e-6)
		require.LessOrEqual(t, grant.Left+float64(taken), most+1e-6)
		require.Less(t, grant.Left, 60.0)
		if want.Tokens > 0 {
			require.Less(t, grant.Left, -2.0, "as many as there are above the floor")
		}
	}
	require.Equal(t, -10, grant.Tokens)
}

func TestRateLimitsSlidingHour(t *testing.T) {
	db := pgtest.New(t)
	limiter := limit.New(workspace.NewRateLimits(db), nil, map[limit.Class]int{limit.Create: 2})
	first, err := limiter.Enter(t.Context(), limit.Create, "192.0.2.1")
	require.NoError(t, err)
	_, err = limiter.Enter(t.Context(), limit.Create, "192.0.2.1")
	require.NoError(t, err)
	free, before := modelstest.TimeIn(t, db, `SELECT min(at) FROM rate_uses`).Add(time.Hour), modelstest.ClockOf(t, db)
	_, err = limiter.Enter(t.Context(), limit.Create, "192.0.2.1")
	refused := fault.From(err)
	require.Equal(t, fault.StatusResourceExhausted, refused.Status)
	require.Equal(t, "ip-limit", refused.Reason)
	require.WithinRange(t, free.Add(-refused.RetryAfter), before.Add(-time.Second), modelstest.ClockOf(t, db), "in whole seconds, rounded up")
	_, err = limiter.Enter(t.Context(), limit.Create, "192.0.2.2")
	require.NoError(t, err, "another address has an hour of its own")
	require.NoError(t, first.GiveBack(t.Context()))
	_, err = limiter.Enter(t.Context(), limit.Create, "192.0.2.1")
	require.NoError(t, err, "a use that was given back does not count")
	_, err = db.Pool.Exec(t.Context(), `UPDATE rate_uses SET at = at - interval '61 minutes'`)
	require.NoError(t, err)
	_, err = limiter.Enter(t.Context(), limit.Create, "192.0.2.1")
	require.NoError(t, err, "an hour later the old uses are gone")
}

func TestRateLimitsSlidingHourUnderParallelUse(t *testing.T) {
	limiter := limit.New(workspace.NewRateLimits(pgtest.New(t)), nil, map[limit.Class]int{limit.Create: 5})
	var passed atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := limiter.Enter(context.Background(), limit.Create, "2001:db8::1"); err == nil {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 5, passed.Load())
}

func TestRateLimitsClear(t *testing.T) {
	db := pgtest.New(t)
	store := workspace.NewRateLimits(db)
	for _, bucket := range []string{"key/old", "key/new"} {
		_, err := store.Take(t.Context(), limit.Want{Bucket: bucket, Capacity: 60, Tokens: 1})
		require.NoError(t, err)
	}
	_, err := db.Pool.Exec(t.Context(), `UPDATE rate_buckets SET filled_at = filled_at - interval '11 minutes' WHERE bucket = 'key/old'`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), `INSERT INTO rate_uses (subject, at) SELECT 'ip', now() - n * interval '1 hour' FROM generate_series(1, 60) n`)
	require.NoError(t, err)
	require.NoError(t, store.Clear(t.Context(), 5))
	var uses int
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM rate_uses`).Scan(&uses))
	require.Equal(t, 47, uses)
	var left []string
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT array_agg(bucket) FROM rate_buckets`).Scan(&left))
	require.Equal(t, []string{"key/new"}, left)
}

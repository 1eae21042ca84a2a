package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/queue"
)

// env is a queue in a database of its own.
type env struct {
	*queue.Queue
	db *pg.DB
	t  *testing.T
}

func newEnv(t *testing.T) *env {
	t.Helper()
	db := pgtest.New(t)
	return &env{queue.New(db), db, t}
}

func (e *env) exec(sql string, args ...any) {
	e.t.Helper()
	_, err := e.db.Pool.Exec(e.t.Context(), sql, args...)
	require.NoError(e.t, err)
}

func (e *env) inTx(fn func(tx *pg.Tx)) {
	e.t.Helper()
	require.NoError(e.t, e.db.InTx(e.t.Context(), func(tx *pg.Tx) error { fn(tx); return nil }))
}

// put puts work of a workspace that is due now.
func (e *env) put(kind queue.Kind, workspaceID string, keys ...string) {
	e.t.Helper()
	e.inTx(func(tx *pg.Tx) {
		for _, key := range keys {
			queue.Put(tx, queue.Work{Kind: kind, Key: key, WorkspaceID: workspaceID})
		}
	})
}

// flood makes so many due rows of a group, the first ones the oldest.
func (e *env) flood(kind queue.Kind, group string, rows int) {
	e.t.Helper()
	e.exec(`INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready)
		SELECT $1, $2 || '/' || lpad(n::text, 6, '0'), $2, $2, clock_timestamp() - interval '1 hour' + n * interval '1 us', true FROM generate_series(1, $3::integer) n`, kind, group, rows)
}

func (e *env) claim(kind queue.Kind, after string, most int) queue.Batch {
	e.t.Helper()
	batch, err := e.Claim(e.t.Context(), kind, after, most)
	require.NoError(e.t, err)
	return batch
}

// expire lets all locks run out.
func (e *env) expire() {
	e.exec(`UPDATE work SET locked_until = statement_timestamp() WHERE locked_by IS NOT NULL`)
}

func (e *env) rows(query string, args ...any) []string {
	e.t.Helper()
	found, err := e.db.Pool.Query(e.t.Context(), query, args...)
	require.NoError(e.t, err)
	rows, err := pgx.CollectRows(found, pgx.RowTo[string])
	require.NoError(e.t, err)
	return rows
}

func keys(claimed []queue.Claimed) []string {
	keys := []string{}
	for _, c := range claimed {
		keys = append(keys, c.Key)
	}
	slices.Sort(keys)
	return keys
}

func byGroup(claimed []queue.Claimed) map[string]int {
	n := map[string]int{}
	for _, c := range claimed {
		n[c.Group]++
	}
	return n
}

// eachKind runs a test for every kind of work.
func eachKind(t *testing.T, test func(t *testing.T, e *env, kind queue.Kind)) {
	t.Helper()
	for _, kind := range queue.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(t, newEnv(t), kind)
		})
	}
}

func TestTheFirstRowOfAGroupWaitsForOneClaimAtMost(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) { waitsForOneClaim(t, e, kind, 1000) })
}

func TestLong_TheFirstRowOfAGroupWaitsForOneClaimAtMost(t *testing.T) {
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) { waitsForOneClaim(t, e, kind, 100_000) })
}

// waitsForOneClaim has other groups put a row each while one has very many that are due.
func waitsForOneClaim(t *testing.T, e *env, kind queue.Kind, rows int) {
	t.Helper()
	e.flood(kind, "ws_m", rows)
	last := ""
	for _, other := range []string{"ws_a", "ws_z", "ws_b"} {
		e.put(kind, other, "of "+other)
		batch := e.claim(kind, last, 16)
		require.Contains(t, keys(batch.Rows), "of "+other)
		require.LessOrEqual(t, byGroup(batch.Rows)["ws_m"], 16/2, "others have an equal share")
		last = batch.Last
		for _, c := range batch.Rows {
			require.NoError(t, e.Done(t.Context(), kind, c))
		}
	}
}

func TestGroupsAreClaimedFromInTurn(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) {
		for _, group := range []string{"ws_a", "ws_b", "ws_c", "ws_d", "ws_e"} {
			e.flood(kind, group, 5)
		}
		after, got := "ws_c", map[string]int{}
		for _, want := range [][]string{{"ws_d", "ws_e"}, {"ws_a", "ws_b"}, {"ws_c", "ws_d"}} {
			batch := e.claim(kind, after, 2)
			require.Equal(t, map[string]int{want[0]: 1, want[1]: 1}, byGroup(batch.Rows))
			require.True(t, batch.More)
			after = batch.Last
			for group, n := range byGroup(batch.Rows) {
				got[group] += n
			}
		}
		require.Equal(t, map[string]int{"ws_a": 1, "ws_b": 1, "ws_c": 1, "ws_d": 2, "ws_e": 1}, got)
	})
}

func TestEachGroupHasTheSameShare(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) {
		places := kind.Rule().PerGroup
		e.flood(kind, "ws_b", 200)
		e.flood(kind, "ws_a", 1)
		e.flood(kind, "ws_c", 2)
		first := e.claim(kind, "", 9)
		require.Equal(t, map[string]int{"ws_a": 1, "ws_b": min(3, places), "ws_c": 2}, byGroup(first.Rows))
		require.Equal(t, places >= 3, first.More, "one has used all of its share")
		require.Equal(t, "ws_c", first.Last)
		second := e.claim(kind, first.Last, 100)
		require.Equal(t, max(0, min(places-3, 100)), byGroup(second.Rows)["ws_b"], "who is alone has everything that it has places for")
		e.expire()
		all := e.claim(kind, "", 1000)
		require.Equal(t, places, byGroup(all.Rows)["ws_b"])
		require.False(t, all.More, "it has no more places")
	})
}

func TestOfAGroupTheOldestAloneAreClaimed(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) {
		places := kind.Rule().PerGroup
		e.flood(kind, "ws_a", places+1)
		e.flood(kind, "ws_b", 1)
		last := fmt.Sprintf("ws_a/%06d", places+1)
		claimed := e.claim(kind, "", 2*places+2).Rows
		require.Len(t, claimed, places+1)
		require.NotContains(t, keys(claimed), last)
		require.Empty(t, e.claim(kind, "", 10).Rows, "its places are taken")
		e.inTx(func(tx *pg.Tx) { queue.Remove(tx, kind, "ws_a/000001") })
		require.Equal(t, []string{last}, keys(e.claim(kind, "", 10).Rows), "one has ended, so the next has its turn")
	})
}

func TestManyClaimersGetEachRowOnce(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) {
		for n := range 20 {
			e.flood(kind, fmt.Sprintf("ws_%02d", n), 2)
		}
		var mu sync.Mutex
		times := map[string]int{}
		for range 10 { // whoever finds a row locked by another one comes again
			for _, err := range modelstest.AtOnce(8, func(int) error {
				batch, err := e.Claim(t.Context(), kind, "", 10)
				mu.Lock()
				defer mu.Unlock()
				for _, c := range batch.Rows {
					times[c.Key]++
				}
				return err
			}) {
				require.NoError(t, err)
			}
		}
		require.Len(t, times, 40)
		for key, n := range times {
			require.Equal(t, 1, n, key)
		}
	})
}

func TestARowIsClaimedAgainWhenItsLockRunsOut(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) {
		e.put(kind, "ws_a", "k")
		first := e.claim(kind, "", 10)
		require.Len(t, first.Rows, 1)
		require.Equal(t, 1, first.Rows[0].Attempts)
		require.Zero(t, first.Expired)
		require.False(t, first.More, "nothing is left")
		require.Empty(t, e.claim(kind, "", 10).Rows)
		e.expire()
		again := e.claim(kind, "", 10)
		require.Equal(t, []string{"k"}, keys(again.Rows), "whoever claimed it may have died")
		require.Equal(t, 2, again.Rows[0].Attempts)
		require.Equal(t, 1, again.Expired)
	})
}

func TestWorkIsClaimedAsItsTimeComes(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	now := modelstest.ClockOf(t, e.db)
	e.inTx(func(tx *pg.Tx) {
		queue.Put(tx, queue.Work{Kind: kind, Key: "later", WorkspaceID: "ws_a", RunAt: now.Add(time.Hour)})
		queue.Put(tx, queue.Work{Kind: kind, Key: "past", WorkspaceID: "ws_a", RunAt: now.Add(-time.Hour)})
	})
	require.Equal(t, []string{"past"}, keys(e.claim(kind, "", 10).Rows))
	e.exec(`UPDATE work SET run_at = clock_timestamp() WHERE key = 'later'`)
	require.Equal(t, []string{"later"}, keys(e.claim(kind, "", 10).Rows))
}

func TestWorkIsDueAWhileAfterTheTransaction(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	before := modelstest.ClockOf(t, e.db)
	e.inTx(func(tx *pg.Tx) {
		queue.Put(tx, queue.Work{Kind: kind, Key: "k", WorkspaceID: "ws_a", After: 2 * time.Hour})
		queue.Put(tx, queue.Work{Kind: kind, Key: "k", WorkspaceID: "ws_a", After: time.Hour})
	})
	at := modelstest.TimeIn(t, e.db, `SELECT run_at FROM work`)
	require.False(t, at.Before(before.Add(time.Hour)))
	require.False(t, at.After(modelstest.ClockOf(t, e.db).Add(time.Hour)))
	require.Empty(t, e.claim(kind, "", 10).Rows)
}

func TestAKeyIsQueuedOnceAtTheEarlierTime(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	now := modelstest.ClockOf(t, e.db)
	at := func(hours int) {
		e.inTx(func(tx *pg.Tx) {
			queue.Put(tx, queue.Work{Kind: kind, Key: "k", WorkspaceID: "ws_a", RunAt: now.Add(time.Duration(hours) * time.Hour)})
		})
	}
	due := func() time.Duration { return modelstest.TimeIn(t, e.db, `SELECT run_at FROM work`).Sub(now) }
	at(5)
	at(7)
	require.Equal(t, 5*time.Hour, due())
	at(3)
	require.Equal(t, 3*time.Hour, due())
	require.Empty(t, e.claim(kind, "", 10).Rows)
	e.inTx(func(tx *pg.Tx) {
		queue.Put(tx, queue.Work{Kind: kind, Key: "k", WorkspaceID: "ws_a", RunAt: now.Add(time.Hour)})
		queue.Put(tx, queue.Work{Kind: kind, Key: "k", WorkspaceID: "ws_a"})
	})
	require.Equal(t, []string{"k"}, keys(e.claim(kind, "", 10).Rows), "of two in one transaction too")
	require.Equal(t, []string{"1"}, e.rows(`SELECT count(*)::text FROM work`))
}

func TestWhatWasPutAgainUnderTheLockIsClaimedAtOnce(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	end := map[string]func(c queue.Claimed) error{
		"done":    func(c queue.Claimed) error { return e.Done(t.Context(), kind, c) },
		"retry":   func(c queue.Claimed) error { return e.Retry(t.Context(), kind, c, time.Hour) },
		"put off": func(c queue.Claimed) error { return e.PutOff(t.Context(), kind, c, time.Hour) },
	}
	for name, end := range end {
		e.put(kind, "ws_a", "k")
		first := e.claim(kind, "", 10).Rows
		e.put(kind, "ws_a", "k")
		require.Empty(t, e.claim(kind, "", 10).Rows, "it is locked")
		require.NoError(t, end(first[0]), name)
		second := e.claim(kind, "", 10).Rows
		require.Equal(t, []string{"k"}, keys(second), name)
		require.Greater(t, second[0].Revision, first[0].Revision)
		require.NoError(t, e.Done(t.Context(), kind, second[0]))
		require.Empty(t, e.rows(`SELECT key FROM work`))
	}
}

func TestOfKindsThatMoveTheLastTimeCounts(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Overdue
	now := modelstest.ClockOf(t, e.db)
	work := func(hours int) queue.Work {
		return queue.Work{Kind: kind, Key: "k", WorkspaceID: "ws_a", RunAt: now.Add(time.Duration(hours) * time.Hour)}
	}
	at := func(hours ...int) {
		e.inTx(func(tx *pg.Tx) {
			for _, h := range hours {
				queue.Put(tx, work(h))
			}
		})
	}
	due := func() time.Duration { return modelstest.TimeIn(t, e.db, `SELECT run_at FROM work`).Sub(now) }
	at(5)
	at(7)
	require.Equal(t, 7*time.Hour, due())
	at(3, 4)
	require.Equal(t, 4*time.Hour, due(), "of two in one transaction too")
	at(-1)
	claimed := e.claim(kind, "", 10).Rows
	require.Len(t, claimed, 1)
	require.NoError(t, e.Retry(t.Context(), kind, claimed[0], 0))
	claimed = e.claim(kind, "", 10).Rows
	at(2)
	require.NoError(t, e.Done(t.Context(), kind, claimed[0]))
	require.Equal(t, []string{"f t t"}, e.rows(`SELECT concat_ws(' ', ready, locked_by IS NULL, failing_since IS NULL) FROM work`))
	require.Empty(t, e.claim(kind, "", 10).Rows, "it has moved under the lock")
	at(-1)
	require.Len(t, e.claim(kind, "", 10).Rows, 1)
}

func TestWhetherSomethingIsQueued(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	queued := func(key string) (found bool) {
		b := &pgx.Batch{}
		queue.Queued(b, kind, key, &found)
		require.NoError(t, e.db.Pool.SendBatch(t.Context(), b).Close())
		return found
	}
	e.put(kind, "ws_a", "k")
	require.True(t, queued("k"))
	require.False(t, queued("another"))
	e.claim(kind, "", 10)
	require.True(t, queued("k"), "somebody works on it")
}

func TestAShareThatIsNotUsedUpLeavesNothing(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) {
		e.flood(kind, "ws_a", 2)
		e.flood(kind, "ws_b", 1)
		batch := e.claim(kind, "ws_a", 10)
		require.Len(t, batch.Rows, 3)
		require.False(t, batch.More)
	})
}

func TestAClaimCostsWhatItTakesAndNotWhatWaits(t *testing.T) {
	t.Parallel()
	blocks := func(groups, rows int) int {
		e := newEnv(t)
		for n := range groups {
			e.flood(queue.Executions, fmt.Sprintf("ws_%03d", n), rows)
		}
		e.exec(`VACUUM ANALYZE work`)
		statement, args := queue.ClaimStatement(queue.Executions, 32)
		return modelstest.KeyedBlocks(t, e.db, statement, args)
	}
	// A hundred times as many rows: indexes are deeper, and the rows claimed lie on more pages.
	require.LessOrEqual(t, blocks(1, 10_000), 3*blocks(1, 100), "one group")
	require.LessOrEqual(t, blocks(500, 1), 2*blocks(200, 1), "many groups")
}

// Who was slow cannot end what was removed and put again meanwhile.
func TestARevisionNeverComesTwice(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	e.put(kind, "ws_a", "k")
	slow := e.claim(kind, "", 10).Rows[0]
	e.inTx(func(tx *pg.Tx) { queue.Remove(tx, kind, "k") })
	e.put(kind, "ws_a", "k")
	again := e.claim(kind, "", 10).Rows
	require.Len(t, again, 1)
	require.NoError(t, e.Done(t.Context(), kind, slow))
	require.Equal(t, []string{"k"}, e.rows(`SELECT key FROM work`))
	e.exec(`UPDATE work SET locked_by = 'another process', locked_until = 'infinity'`)
	require.NoError(t, e.Done(t.Context(), kind, slow))
	require.NoError(t, e.Retry(t.Context(), kind, slow, 0))
	require.NoError(t, e.Release(t.Context(), kind, slow))
	require.Empty(t, e.claim(kind, "", 10).Rows, "nor unlock it for another process")
}

func TestWhatFailsIsPutOffAndSaysSinceWhen(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	e.put(kind, "ws_a", "k")
	c := e.claim(kind, "", 10).Rows[0]
	require.Nil(t, c.FailingSince)
	require.NoError(t, e.Retry(t.Context(), kind, c, time.Hour))
	require.Empty(t, e.claim(kind, "", 10).Rows)
	e.exec(`UPDATE work SET run_at = clock_timestamp()`)
	c = e.claim(kind, "", 10).Rows[0]
	since := c.FailingSince
	require.NotNil(t, since)
	require.Equal(t, 2, c.Attempts)
	require.NoError(t, e.Retry(t.Context(), kind, c, 0))
	c = e.claim(kind, "", 10).Rows[0]
	require.Equal(t, since, c.FailingSince, "the first time counts")
	require.NoError(t, e.Release(t.Context(), kind, c))
	c = e.claim(kind, "", 10).Rows[0]
	require.NotNil(t, c.FailingSince, "nobody has worked on it")
	require.NoError(t, e.PutOff(t.Context(), kind, c, time.Hour))
	require.Empty(t, e.claim(kind, "", 10).Rows)
	e.exec(`UPDATE work SET run_at = clock_timestamp()`)
	require.Nil(t, e.claim(kind, "", 10).Rows[0].FailingSince, "it does not fail any more")
}

func TestWhoGoesOnKeepsARowLocked(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	extend := func() {
		b := &pgx.Batch{}
		queue.Extend(b, kind, "k")
		require.NoError(t, e.db.Pool.SendBatch(t.Context(), b).Close())
	}
	e.put(kind, "ws_a", "k")
	extend()
	require.Len(t, e.claim(kind, "", 10).Rows, 1, "nobody had locked it")
	e.expire()
	extend()
	require.Empty(t, e.claim(kind, "", 10).Rows)
}

func TestATransactionThatIsUndoneLeavesNothing(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	notified := 0
	e.db.OnCommit(func([]pg.Hint) { notified++ })
	err := e.db.InTx(t.Context(), func(tx *pg.Tx) error {
		queue.Put(tx, queue.Work{Kind: kind, Key: "k", WorkspaceID: "ws_a"})
		return errors.New("undone")
	})
	require.Error(t, err)
	require.Empty(t, e.rows(`SELECT key FROM work`))
	require.Zero(t, notified)
	e.put(kind, "ws_a", "k")
	require.Equal(t, 1, notified)
}

// Transactions put and remove the same keys in any order, and none waits in a circle.
func TestTransactionsDoNotWaitForEachOtherInACircle(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Kinds()[0]
	all := []string{"a", "b", "c", "d", "e", "f"}
	for _, err := range modelstest.AtOnce(8, func(i int) error {
		for range 50 {
			err := e.db.InTx(context.WithoutCancel(t.Context()), func(tx *pg.Tx) error {
				for n := range all {
					key := all[(n*(i%5+1)+i)%len(all)]
					if i%4 == 0 {
						queue.Remove(tx, kind, key)
					} else {
						queue.Put(tx, queue.Work{Kind: kind, Key: key, WorkspaceID: "ws_a"})
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}) {
		require.NoError(t, err)
	}
}

// Rows come in the order of the turn, and whoever was left without one is the first to have the next.
func TestABatchIsInTheOrderOfTheTurn(t *testing.T) {
	t.Parallel()
	e, kind := newEnv(t), queue.Judgments
	for _, group := range []string{"ws_a", "ws_b", "ws_c"} {
		e.flood(kind, group, 2)
	}
	batch := e.claim(kind, "ws_a", 6)
	require.Equal(t, []string{"ws_b/000001", "ws_c/000001", "ws_a/000001", "ws_b/000002", "ws_c/000002", "ws_a/000002"}, keysOf(batch.Rows))
	outcomes := make([]queue.Outcome, 6)
	outcomes[0] = queue.Finished
	require.Equal(t, "ws_b", batch.LastInTurn(outcomes), "the others had no turn")
	for i := range 4 {
		outcomes[i] = queue.Finished
	}
	require.Equal(t, batch.Last, batch.LastInTurn(outcomes))
	require.NoError(t, e.Release(t.Context(), kind, batch.Rows[4:]...))
	require.Equal(t, 1, e.claim(kind, "", 6).Rows[0].Attempts, "nobody has tried")
}

func keysOf(claimed []queue.Claimed) (list []string) {
	for _, c := range claimed {
		list = append(list, c.Key)
	}
	return list
}

// Rows of a stopped workspace stay as they are, and are claimed once it goes on.
func TestNothingIsClaimedOfAStoppedWorkspace(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, e *env, kind queue.Kind) {
		modelstest.AddWorkspace(t, e.db, "ws_stopped")
		e.exec(`UPDATE workspaces SET suspended_at = now(), stopped_at = now()`)
		e.flood(kind, "ws_stopped", 100)
		e.put(kind, "ws_other", "other")
		e.inTx(func(tx *pg.Tx) { queue.Put(tx, queue.Work{Kind: kind, Key: "nobody's", Group: "nobody's"}) })
		before := e.rows(`SELECT to_jsonb(w)::text FROM work w WHERE workspace_id = 'ws_stopped' ORDER BY key`)
		require.ElementsMatch(t, []string{"other", "nobody's"}, keys(e.claim(kind, "", 10).Rows))
		require.Empty(t, e.claim(kind, "", 10).Rows)
		require.Equal(t, before, e.rows(`SELECT to_jsonb(w)::text FROM work w WHERE workspace_id = 'ws_stopped' ORDER BY key`))
		statement, args := queue.Count(kind, 10)
		var waiting int
		var oldest *float64
		require.NoError(t, e.db.Pool.QueryRow(t.Context(), statement, args...).Scan(&waiting, &oldest))
		require.Nil(t, oldest, "nobody is told that it waits")
		e.exec(`UPDATE workspaces SET suspended_at = NULL, stopped_at = NULL`)
		require.NotEmpty(t, e.claim(kind, "", 10).Rows)
	})
}

func TestDueNamesTheKindsOfWhichAClaimMayFindSomething(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	due := func() []queue.Kind {
		t.Helper()
		kinds, err := e.Due(t.Context())
		require.NoError(t, err)
		return kinds
	}
	require.Empty(t, due())
	e.put(queue.Jobs, "ws_1", "a")
	e.inTx(func(tx *pg.Tx) {
		queue.Put(tx, queue.Work{Kind: queue.Patterns, Key: "ws_1", WorkspaceID: "ws_1", After: time.Hour})
		queue.Put(tx, queue.Work{Kind: queue.Rested, Key: "ws_1", WorkspaceID: "ws_1", After: time.Hour})
	})
	require.Equal(t, []queue.Kind{queue.Jobs}, due())
	require.Len(t, e.claim(queue.Jobs, "", 1).Rows, 1)
	require.Empty(t, due(), "it is locked")
	e.expire()
	require.Equal(t, []queue.Kind{queue.Jobs}, due(), "its lock has run out")
	e.exec(`UPDATE work SET run_at = clock_timestamp() WHERE kind = $1`, queue.Patterns)
	require.ElementsMatch(t, []queue.Kind{queue.Jobs, queue.Patterns}, due(), "its time has come, though nobody has made it ready")
	require.Len(t, e.claim(queue.Patterns, "", 1).Rows, 1)
	require.NoError(t, e.Done(t.Context(), queue.Jobs, e.claim(queue.Jobs, "", 1).Rows...))
	require.Empty(t, due())
}

func TestLocksLastNoLongerThanIsSet(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	locked := func(q *queue.Queue, kind queue.Kind, key string) (seconds float64) {
		t.Helper()
		e.put(kind, "ws_1", key)
		batch, err := q.Claim(t.Context(), kind, "", 1)
		require.NoError(t, err)
		require.Len(t, batch.Rows, 1)
		require.NoError(t, e.db.Pool.QueryRow(t.Context(),
			`SELECT extract(epoch FROM locked_until - clock_timestamp())::float8 FROM work WHERE kind = $1 AND key = $2`, kind, key).Scan(&seconds))
		return seconds
	}
	short := e.LockingFor(time.Second)
	require.LessOrEqual(t, locked(short, queue.Overdue, "a"), 1.0)
	for key, usual := range map[string]*queue.Queue{"b": e.Queue, "c": e.LockingFor(time.Hour)} {
		seconds := locked(usual, queue.Overdue, key)
		require.LessOrEqual(t, seconds, queue.Overdue.Rule().Lock.Seconds())
		require.Greater(t, seconds, 1.0, "as the rule of the kind says")
	}
}

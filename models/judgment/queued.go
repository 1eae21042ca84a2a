package judgment

import (
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/queue"
)

// goneFor is how long a judgment is gone before it is removed from the index: whoever
// brings it in at this moment has ended by then, and its row hides it from everybody at once.
const goneFor = time.Minute

// bringIn queues judgments to be brought into the index, by their record ids.
func bringIn(tx *pg.Tx, workspaceID string, recordIDs ...string) {
	for _, recordID := range recordIDs {
		queue.Put(tx, queue.Work{Kind: queue.Judgments, Key: keyOf(workspaceID, recordID), WorkspaceID: workspaceID})
	}
}

// keyOf is the key in the queue of a judgment that is to be brought in.
func keyOf(workspaceID, recordID string) string { return workspaceID + "/" + recordID }

// recordIDOf is the record id in a key.
func recordIDOf(c queue.Claimed) string { return strings.TrimPrefix(c.Key, keyOf(c.WorkspaceID, "")) }

// takeOut queues judgments that were removed to be removed from the index, by their keys. Patterns
// that rested on them do not wait for the index: it may be away for long.
func takeOut(tx *pg.Tx, workspaceID string, keys ...int64) {
	for _, key := range keys {
		queue.Put(tx, queue.Work{Kind: queue.RemovedJudgments, Key: strconv.FormatInt(key, 10), WorkspaceID: workspaceID, After: goneFor})
	}
	if len(keys) > 0 {
		pattern.Removed(tx, workspaceID)
	}
}

// removed is what is to be done with the keys that a statement returns of judgments that it
// removed.
func removed(tx *pg.Tx, workspaceID string) func(rows pgx.Rows) error {
	return func(rows pgx.Rows) error {
		keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		takeOut(tx, workspaceID, keys...)
		return err
	}
}

// removedNamed is removed for a statement that also returns by what name each was asked for.
func removedNamed(tx *pg.Tx, workspaceID string, names *[]string) func(rows pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var keys []int64
		var key int64
		var name string
		_, err := pgx.ForEachRow(rows, []any{&key, &name}, func() error {
			keys, *names = append(keys, key), append(*names, name)
			return nil
		})
		takeOut(tx, workspaceID, keys...)
		return err
	}
}

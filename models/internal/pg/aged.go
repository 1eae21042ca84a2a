package pg

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// Aged are the rows of one table that go by their age.
type Aged struct {
	// Remove begins the statement: DELETE FROM and the table.
	Remove string
	// At is the column with the time of a row. It needs an index in that order: what
	// is old is read from its beginning, and nothing else of the table is.
	At string
	// Stays is a condition on a row, called t, that keeps it whatever its age; empty
	// where nothing does.
	Stays string
}

// Statement is the text that removes one batch. Its parameters are the age as an
// interval of Postgres and the time from which it reads; it gives how many rows it
// has visited, how many of them it has removed, and the time of the last one. Rows
// that another process is removing are passed over, so each takes others.
//
// The number is a part of the text, and the end of the age is that of the
// transaction: a plan that is kept knows that few rows are wanted, and a time that
// changed from row to row could not be looked up.
func (a Aged) Statement(atOnce int) string {
	return fmt.Sprintf(`
WITH old AS (
    SELECT t.ctid, t.%[2]s AS at, %[3]s AS stays FROM %[4]s t
    WHERE t.%[2]s < now() - $1::text::interval AND t.%[2]s >= $2::text::timestamptz
    ORDER BY t.%[2]s LIMIT %[5]d FOR UPDATE SKIP LOCKED
), gone AS (
    %[1]s WHERE ctid = ANY (ARRAY (SELECT ctid FROM old WHERE NOT stays)) RETURNING 1
)
SELECT count(*), (SELECT count(*) FROM gone), coalesce(max(at)::text, $2::text) FROM old`,
		a.Remove, a.At, cmp.Or(a.Stays, "false"), strings.TrimPrefix(a.Remove, "DELETE FROM "), atOnce)
}

// RemoveAged removes the rows that are older than age, an interval as Postgres
// writes it, and returns how many these were: the oldest first, so many at once, until
// there are no more. Each batch begins where the one before it ended, so that what
// stays is visited once.
func (db *DB) RemoveAged(ctx context.Context, of Aged, age string, atOnce int) (removed int64, err error) {
	for from := "-infinity"; ; {
		var visited, gone int64
		began := from
		if err := db.Pool.QueryRow(ctx, of.Statement(atOnce), age, from).Scan(&visited, &gone, &from); err != nil {
			return removed, Translate(err)
		}
		removed += gone
		if visited < int64(atOnce) {
			return removed, nil
		}
		if gone == 0 && from == began {
			atOnce *= 2 // as many as that stay have one and the same time
		}
	}
}

// Days is an age for RemoveAged.
func Days(n int) string { return fmt.Sprintf("%d days", n) }

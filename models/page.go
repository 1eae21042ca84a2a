package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// answerLimit is how many bytes of text the items of one answer have together; a
// page always has at least one item.
const answerLimit = 8 << 20

// fitting is the page that begins the rows p of a query in an order: sizes, given
// by bytes for each row, are summed up before anything large is sent. Behind the
// columns of a row stand how many rows the query found, its place and the total.
func fitting(query, bytes, order, size, limit string) string {
	return fmt.Sprintf(`
SELECT * FROM (
    SELECT p.*, count(*) OVER () AS found, row_number() OVER walk AS place, sum(%s) OVER walk AS total FROM (%s) p WINDOW walk AS (ORDER BY %s)
) p WHERE p.place <= %s AND (p.total <= %s OR p.place = 1) ORDER BY p.place`, bytes, query, order, size, limit)
}

// Mark is a place in a list that is walked both ways: behind the row with that
// time and id, or in front of it, and the direction of the walk from there.
type Mark struct {
	At    time.Time `json:"t"`
	ID    string    `json:"i"`
	Front bool      `json:"f,omitempty"`
	Back  bool      `json:"b,omitempty"`
}

// Turn is a page of such a list, newest first. Next and Prev are nil where
// nothing follows or stands before.
type Turn[T any] struct {
	Items      []T
	Next, Prev *Mark
}

// listing says how a list is read: statement and conditions without order, the
// columns of its order, and how a row is read and found again.
type listing[T any] struct {
	columns, from string
	where         *conditions
	at            string
	scan          func(pgx.CollectableRow) (T, error)
	mark          func(T) Mark
}

// orders of a walk: on towards older rows, back towards newer ones. The
// comparison leaves out the row that the mark stands behind or in front of, as
// the walk has it behind itself.
var (
	onward   = map[bool]string{false: "<", true: "<="}
	backward = map[bool]string{false: ">=", true: ">"}
)

// page reads at most size rows from mark on; nil begins at the newest.
func (l listing[T]) page(ctx context.Context, db *DB, mark *Mark, size int) (*Turn[T], error) {
	back := mark != nil && mark.Back
	rows, err := l.read(ctx, db, mark, back, size+1)
	if err != nil {
		return nil, Translate(err)
	}
	more := len(rows) > size
	rows = rows[:min(size, len(rows))]
	if back {
		slices.Reverse(rows)
	}
	first, last := l.edges(rows, mark)
	came, err := l.cameFrom(ctx, db, first, last, mark)
	if err != nil {
		return nil, Translate(err)
	}
	turn, next, prev := &Turn[T]{Items: rows}, more, came
	if back {
		next, prev = came, more
	}
	if next {
		turn.Next = last
	}
	if prev {
		turn.Prev = first
	}
	return turn, nil
}

// edges are the marks at both ends of a page; those of an empty one are where
// it was looked for.
func (l listing[T]) edges(rows []T, mark *Mark) (first, last *Mark) {
	if len(rows) == 0 {
		if mark == nil {
			return nil, nil
		}
		front, behind := *mark, *mark
		front.Back, behind.Back = true, false
		return &front, &behind
	}
	front, behind := l.mark(rows[0]), l.mark(rows[len(rows)-1])
	front.Front, front.Back = true, true
	return &front, &behind
}

// read gives rows from a mark on, in the direction of the walk.
func (l listing[T]) read(ctx context.Context, db *DB, mark *Mark, back bool, most int) ([]T, error) {
	where := *l.where
	where.args, where.parts = slices.Clone(l.where.args), slices.Clone(l.where.parts)
	order := "DESC"
	if back {
		order = "ASC"
	}
	if mark != nil {
		where.and("("+l.at+", id) "+mark.compare(back)+" (%s, %s)", mark.At, mark.ID)
	}
	query := fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s %s, id %s LIMIT %s", l.columns, l.from, where.text(), l.at, order, order, where.value(most))
	found, err := db.Pool.Query(ctx, query, where.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, l.scan)
}

func (m *Mark) compare(back bool) string {
	if back {
		return backward[m.Front]
	}
	return onward[m.Front]
}

// cameFrom tells whether rows stand on the side from which the walk came.
func (l listing[T]) cameFrom(ctx context.Context, db *DB, first, last, mark *Mark) (bool, error) {
	if mark == nil {
		return false, nil
	}
	from := first
	if mark.Back {
		from = last
	}
	rows, err := l.read(ctx, db, from, !mark.Back, 1)
	return len(rows) > 0, err
}

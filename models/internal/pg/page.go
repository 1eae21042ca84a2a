package pg

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// AnswerLimit is how many bytes of text the items of one answer have together; a
// page always has at least one item.
const AnswerLimit = 8 << 20

// PageThatFits is the page that begins the rows p of a query in an order: sizes, given
// by bytes for each row, are summed up before anything large is sent. Behind the
// columns of a row stand how many rows the query found, its place and the total.
func PageThatFits(query, bytes, order, size, limit string) string {
	return fmt.Sprintf(`
SELECT * FROM (
    SELECT p.*, count(*) OVER () AS found, row_number() OVER walk AS place, sum(%s) OVER walk AS total FROM (%s) p WINDOW walk AS (ORDER BY %s)
) p WHERE p.place <= %s AND (p.total <= %s OR p.place = 1) ORDER BY p.place`, bytes, query, order, size, limit)
}

// Position is a place in a list that is walked both ways: behind the row with that
// time and id, or in front of it, and the direction of the walk from there.
type Position struct {
	At    time.Time `json:"t"`
	ID    string    `json:"i"`
	Front bool      `json:"f,omitempty"`
	Back  bool      `json:"b,omitempty"`
}

// Page is a page of such a list, newest first. Next and Prev are nil where
// nothing follows or stands before.
type Page[T any] struct {
	Items      []T
	Next, Prev *Position
}

// List says how a list is read: statement and conditions without order, the
// columns of its order, and how a row is read and found again.
type List[T any] struct {
	Columns, From string
	Where         *Conditions
	At            string
	Scan          func(pgx.CollectableRow) (T, error)
	Mark          func(T) Position
}

// orders of a walk: on towards older rows, back towards newer ones. The
// comparison leaves out the row that the mark stands behind or in front of, as
// the walk has it behind itself.
var (
	onward   = map[bool]string{false: "<", true: "<="}
	backward = map[bool]string{false: ">=", true: ">"}
)

// Page reads at most size rows from mark on; nil begins at the newest.
func (l List[T]) Page(ctx context.Context, db *DB, mark *Position, size int) (*Page[T], error) {
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
	turn, next, prev := &Page[T]{Items: rows}, more, came
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
func (l List[T]) edges(rows []T, mark *Position) (first, last *Position) {
	if len(rows) == 0 {
		if mark == nil {
			return nil, nil
		}
		front, behind := *mark, *mark
		front.Back, behind.Back = true, false
		return &front, &behind
	}
	front, behind := l.Mark(rows[0]), l.Mark(rows[len(rows)-1])
	front.Front, front.Back = true, true
	return &front, &behind
}

// read gives rows from a mark on, in the direction of the walk.
func (l List[T]) read(ctx context.Context, db *DB, mark *Position, back bool, most int) ([]T, error) {
	where := *l.Where
	where.Args, where.Parts = slices.Clone(l.Where.Args), slices.Clone(l.Where.Parts)
	order := "DESC"
	if back {
		order = "ASC"
	}
	if mark != nil {
		where.And("("+l.At+", id) "+mark.compare(back)+" (%s, %s)", mark.At, mark.ID)
	}
	query := fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s %s, id %s LIMIT %s", l.Columns, l.From, where.Text(), l.At, order, order, where.Value(most))
	found, err := db.Pool.Query(ctx, query, where.Args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, l.Scan)
}

func (m *Position) compare(back bool) string {
	if back {
		return backward[m.Front]
	}
	return onward[m.Front]
}

// cameFrom tells whether rows stand on the side from which the walk came.
func (l List[T]) cameFrom(ctx context.Context, db *DB, first, last, mark *Position) (bool, error) {
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

package list

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// TwoWayPosition is where a reader stands in a list that is walked both ways:
// behind the row with that time and id, or in front of it, and the direction of
// the walk from there.
type TwoWayPosition struct {
	At    time.Time `json:"t"`
	ID    string    `json:"i"`
	Front bool      `json:"f,omitempty"`
	Back  bool      `json:"b,omitempty"`
}

// TwoWayPage is a page of such a list. Next and Prev are nil where nothing
// follows or stands before.
type TwoWayPage[T any] struct {
	Items      []T
	Next, Prev *TwoWayPosition
}

// Split returns the items and where the next page begins.
func (p *TwoWayPage[T]) Split() ([]T, *TwoWayPosition) { return p.Items, p.Next }

// TwoWay says how a list that is walked both ways is read: statement and
// conditions, its order by a time and an id, and how a row is read and found again. Each
// way of narrowing it has an index with that order: rows are never sorted.
type TwoWay[T any] struct {
	Columns, From string
	Where         *pg.Conditions
	Order         Order
	Scan          func(pgx.CollectableRow) (T, error)
	Position      func(T) TwoWayPosition
}

// Page reads at most size rows from a position on; nil begins at the first row.
func (l TwoWay[T]) Page(ctx context.Context, db *pg.DB, from *TwoWayPosition, size int) (*TwoWayPage[T], error) {
	back := from != nil && from.Back
	found, err := l.read(ctx, db, from, back, size)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found.Cut(size)
	if back {
		slices.Reverse(found.Items)
	}
	first, last := l.edges(found.Items, from)
	came, err := l.cameFrom(ctx, db, first, last, from)
	if err != nil {
		return nil, pg.Translate(err)
	}
	page, next, prev := &TwoWayPage[T]{Items: found.Items}, found.More(), came
	if back {
		next, prev = came, found.More()
	}
	if next {
		page.Next = last
	}
	if prev {
		page.Prev = first
	}
	return page, nil
}

// edges are the positions at both ends of a page; those of an empty one are where
// it was looked for.
func (l TwoWay[T]) edges(rows []T, from *TwoWayPosition) (first, last *TwoWayPosition) {
	if len(rows) == 0 {
		if from == nil {
			return nil, nil
		}
		front, behind := *from, *from
		front.Back, behind.Back = true, false
		return &front, &behind
	}
	front, behind := l.Position(rows[0]), l.Position(rows[len(rows)-1])
	front.Front, front.Back = true, true
	return &front, &behind
}

// read returns rows from a position on, in the direction of the walk. The row that
// the position stands behind or in front of is left out when the walk has it
// behind itself.
func (l TwoWay[T]) read(ctx context.Context, db *pg.DB, from *TwoWayPosition, back bool, size int) (found Found[T, TwoWayPosition], err error) {
	where := pg.Conditions{Args: slices.Clone(l.Where.Args), Parts: slices.Clone(l.Where.Parts)}
	order := l.Order
	if back {
		order = order.Reversed()
	}
	if from != nil {
		narrow := order.After
		if from.Front != back {
			narrow = order.From
		}
		narrow(&where, from.At, from.ID)
	}
	b := &pgx.Batch{}
	b.Queue(pg.InOrder)
	b.Queue(order.First(&where, "SELECT "+l.Columns+" FROM "+l.From, size), where.Args...).
		Query(found.Collect(func(row pgx.CollectableRow) (T, TwoWayPosition, error) {
			item, err := l.Scan(row)
			return item, l.Position(item), err
		}))
	err = db.Pool.SendBatch(ctx, b).Close()
	return found, err
}

// cameFrom reports whether rows stand on the side from which the walk came.
func (l TwoWay[T]) cameFrom(ctx context.Context, db *pg.DB, first, last, from *TwoWayPosition) (bool, error) {
	if from == nil {
		return false, nil
	}
	edge := first
	if from.Back {
		edge = last
	}
	found, err := l.read(ctx, db, edge, !from.Back, 0) // one row
	return len(found.Items) > 0, err
}

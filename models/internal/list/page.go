package list

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// Page is a page of a list that goes on. Items are never nil; Next is where the
// next page begins, nil on the last one.
type Page[T, At any] struct {
	Items []T
	Next  *At
}

// Split returns the items and where the next page begins.
func (p *Page[T, At]) Split() ([]T, *At) { return p.Items, p.Next }

// Position is where a page ended in a list that is sorted by a time and an id:
// microseconds since the epoch, and the id among those of one instant. A list
// that is sorted by anything else has a position of its own.
type Position struct {
	At int64  `json:"at"`
	ID string `json:"id"`
}

// PositionOf is the position of a row.
func PositionOf(at time.Time, id string) Position { return Position{at.UnixMicro(), id} }

// Values are what the position has for the two columns of its order.
func (p Position) Values() []any { return []any{time.UnixMicro(p.At), p.ID} }

// Found are the rows that a statement gave, before a page is made of them. The
// zero value has none.
type Found[T, At any] struct {
	Items []T
	// Count is how many rows there are, with the one that only says that another
	// page follows. A statement made by Fit gives it; others give so many rows.
	Count int

	positions []At
}

// Add adds an item that stands at a position.
func (f *Found[T, At]) Add(item T, at At) {
	f.Items, f.positions = append(f.Items, item), append(f.positions, at)
	f.Count = max(f.Count, len(f.Items))
}

// Collect is the function that adds all rows of a statement as scan reads them. It
// fits a statement of a batch.
func (f *Found[T, At]) Collect(scan func(row pgx.CollectableRow) (T, At, error)) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			item, at, err := scan(rows)
			if err != nil {
				return err
			}
			f.Add(item, at)
		}
		return rows.Err()
	}
}

// Cut keeps the first items, most at the most.
func (f *Found[T, At]) Cut(most int) { f.Items = f.Items[:min(most, len(f.Items))] }

// CutBytes keeps the first items that an answer holds, one at least.
func (f *Found[T, At]) CutBytes(bytes func(T) int64) {
	var total int64
	for i, item := range f.Items {
		if total += bytes(item); i > 0 && total > AnswerLimit {
			f.Cut(i)
			return
		}
	}
}

// More reports whether there are rows behind the items.
func (f *Found[T, At]) More() bool { return len(f.Items) < f.Count }

// Page is the page of the items; the next one begins behind the last of them.
func (f *Found[T, At]) Page() *Page[T, At] {
	page := &Page[T, At]{Items: f.Items}
	if f.More() {
		page.Next = &f.positions[len(f.Items)-1]
	}
	if page.Items == nil {
		page.Items = []T{}
	}
	return page
}

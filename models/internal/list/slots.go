package list

import "github.com/redline-svc/redline/models/internal/pg"

// SlotPosition is where a page ended: at its last item, or after a number of slots.
type SlotPosition[At any] struct {
	At    At  `json:"a"`
	Slots int `json:"s"`
}

// SlotPage is a page of a list that can also be asked for by ids. A slot is nil
// where nothing answers.
type SlotPage[T, At any] = Page[*T, SlotPosition[At]]

// Pager is a read by pages of a list in its order, or, with ids, of slots: one
// for each distinct id, as they were asked for.
type Pager[ID comparable, At any] struct {
	// Size is how many items a page has at most.
	Size int

	after *SlotPosition[At]
	ids   bool
	// left are the slots that no former page gave.
	left []ID
}

// NewPager makes the read of the page behind after, or of the first one; no ids
// mean the list.
func NewPager[ID comparable, At any](ids []ID, after *SlotPosition[At], size int) Pager[ID, At] {
	p := Pager[ID, At]{Size: size, after: after, ids: len(ids) > 0, left: pg.Distinct(ids)}
	p.left = p.left[min(p.given(), len(p.left)):]
	return p
}

// given is how many slots former pages gave.
func (p Pager[ID, At]) given() int {
	if p.after == nil {
		return 0
	}
	return p.after.Slots
}

// Narrow adds the conditions of the page: the ids that it is asked for, or what
// the list has behind the last item.
func (p Pager[ID, At]) Narrow(q *pg.Conditions, column string, behind func(at At)) {
	if p.ids {
		q.And(column+" = ANY(%s)", p.asked())
	} else if p.after != nil {
		behind(p.after.At)
	}
}

// asked are the slots that the page may give.
func (p Pager[ID, At]) asked() []ID { return p.left[:min(p.Size, len(p.left))] }

// pageItem is an item of a page before it is given out; nil for an empty slot.
type pageItem[ID comparable, At any] interface {
	comparable
	Name() ID
	Position() At
	// Bytes is how much text it brings.
	Bytes() int64
}

// CutPage makes the page of the rows that were read for it. It ends early where
// its items are large.
func CutPage[ID comparable, At any, R pageItem[ID, At]](p Pager[ID, At], rows []R) *Page[R, SlotPosition[At]] {
	var found Found[R, SlotPosition[At]]
	if p.ids {
		found = slotsOf(p, rows)
	} else {
		for _, r := range rows {
			found.Add(r, SlotPosition[At]{At: r.Position()})
		}
	}
	found.Cut(p.Size)
	found.CutBytes(func(r R) int64 {
		var empty R
		if r == empty {
			return 0
		}
		return r.Bytes()
	})
	return found.Page()
}

// slotsOf puts rows into the slots that were asked for.
func slotsOf[ID comparable, At any, R pageItem[ID, At]](p Pager[ID, At], rows []R) Found[R, SlotPosition[At]] {
	byName := make(map[ID]R, len(rows))
	for _, r := range rows {
		byName[r.Name()] = r
	}
	found := Found[R, SlotPosition[At]]{Count: len(p.left)}
	for i, name := range p.asked() {
		found.Add(byName[name], SlotPosition[At]{Slots: p.given() + i + 1})
	}
	return found
}

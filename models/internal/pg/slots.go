package pg

// SlotPosition is where a page ended: at its last item, or after a number of slots.
type SlotPosition[At any] struct {
	At    At  `json:"a"`
	Slots int `json:"s"`
}

// SlotPage is a page and where the next one begins; nil on the last one. A slot is
// nil where nothing answers.
type SlotPage[T, At any] struct {
	Items []*T
	Next  *SlotPosition[At]
}

// Pager is a read by pages of a list in its order, or, with ids, of slots: one
// for each distinct id, as they were asked for.
type Pager[ID comparable, At any] struct {
	size  int
	after *SlotPosition[At]
	ids   bool
	// left are the slots that no former page gave.
	left []ID
}

// NewPager makes the read of the page behind after, or of the first one; no ids
// mean the list.
func NewPager[ID comparable, At any](ids []ID, after *SlotPosition[At], size int) Pager[ID, At] {
	p := Pager[ID, At]{size: size, after: after, ids: len(ids) > 0, left: Distinct(ids)}
	if after != nil {
		p.left = p.left[min(after.Slots, len(p.left)):]
	}
	return p
}

// Narrow adds the conditions of the page: the ids that it is asked for, or what
// the list has behind the last item.
func (p Pager[ID, At]) Narrow(q *Conditions, column string, behind func(at At)) {
	if p.ids {
		q.And(column+" = ANY(%s)", p.asked())
	} else if p.after != nil {
		behind(p.after.At)
	}
}

// asked are the slots that the page may give.
func (p Pager[ID, At]) asked() []ID { return p.left[:min(p.size, len(p.left))] }

// Most is how many rows are read: one more tells whether another page follows.
func (p Pager[ID, At]) Most() int { return p.size + 1 }

// pageItem is an item of a page before it is given out; nil for an empty slot.
type pageItem[ID comparable, At any] interface {
	comparable
	Name() ID
	Position() At
	// Bytes is how much text it brings.
	Bytes() int64
}

// CutPage takes the rows that the page holds, in its order, and tells where the next
// one begins. A page ends early where its items are large.
func CutPage[ID comparable, At any, R pageItem[ID, At]](p Pager[ID, At], rows []R) ([]R, *SlotPosition[At]) {
	if !p.ids {
		kept := rows[:onePage(rows, p.size)]
		if len(kept) == len(rows) {
			return kept, nil
		}
		return kept, &SlotPosition[At]{At: kept[len(kept)-1].Position()}
	}
	byName := make(map[ID]R, len(rows))
	for _, r := range rows {
		byName[r.Name()] = r
	}
	slots := make([]R, len(p.asked()))
	for i, name := range p.asked() {
		slots[i] = byName[name]
	}
	slots = slots[:onePage(slots, p.size)]
	if len(slots) == len(p.left) {
		return slots, nil
	}
	given := len(slots)
	if p.after != nil {
		given += p.after.Slots
	}
	return slots, &SlotPosition[At]{Slots: given}
}

// onePage is how many of the rows a page holds; always at least one.
func onePage[ID comparable, At any, R pageItem[ID, At]](rows []R, size int) int {
	var bytes int64
	var empty R
	for i, r := range rows {
		if r != empty {
			bytes += r.Bytes()
		}
		if i == size || i > 0 && bytes > AnswerLimit {
			return i
		}
	}
	return len(rows)
}

// Distinct keeps the first of equal values; never nil.
func Distinct[T comparable](values []T) []T {
	seen := map[T]bool{}
	kept := []T{}
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			kept = append(kept, v)
		}
	}
	return kept
}

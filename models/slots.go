package models

// Place is where a page ended: at its last item, or after a number of slots.
type Place[At any] struct {
	At    At  `json:"a"`
	Slots int `json:"s"`
}

// Page is a page and where the next one begins; nil on the last one. A slot is
// nil where nothing answers.
type Page[T, At any] struct {
	Items []*T
	Next  *Place[At]
}

// paged is a read by pages of a list in its order, or, with ids, of slots: one
// for each distinct id, as they were asked for.
type paged[ID comparable, At any] struct {
	size  int
	after *Place[At]
	ids   bool
	// left are the slots that no former page gave.
	left []ID
}

func newPaged[ID comparable, At any](ids []ID, after *Place[At], size int) paged[ID, At] {
	p := paged[ID, At]{size: size, after: after, ids: len(ids) > 0, left: firstOfEach(ids)}
	if after != nil {
		p.left = p.left[min(after.Slots, len(p.left)):]
	}
	return p
}

// narrow adds the conditions of the page: the ids that it is asked for, or what
// the list has behind the last item.
func (p paged[ID, At]) narrow(q *conditions, column string, behind func(at At)) {
	if p.ids {
		q.and(column+" = ANY(%s)", p.asked())
	} else if p.after != nil {
		behind(p.after.At)
	}
}

// asked are the slots that the page may give.
func (p paged[ID, At]) asked() []ID { return p.left[:min(p.size, len(p.left))] }

// most is how many rows are read: one more tells whether another page follows.
func (p paged[ID, At]) most() int { return p.size + 1 }

// shown is an item of a page before it is given out; nil for an empty slot.
type shown[ID comparable, At any] interface {
	comparable
	name() ID
	place() At
	// bytes is how much text it brings.
	bytes() int64
}

// cut takes the rows that the page holds, in its order, and tells where the next
// one begins. A page ends early where its items are large.
func cut[ID comparable, At any, R shown[ID, At]](p paged[ID, At], rows []R) ([]R, *Place[At]) {
	if !p.ids {
		kept := rows[:onePage(rows, p.size)]
		if len(kept) == len(rows) {
			return kept, nil
		}
		return kept, &Place[At]{At: kept[len(kept)-1].place()}
	}
	byName := make(map[ID]R, len(rows))
	for _, r := range rows {
		byName[r.name()] = r
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
	return slots, &Place[At]{Slots: given}
}

// onePage is how many of the rows a page holds; always at least one.
func onePage[ID comparable, At any, R shown[ID, At]](rows []R, size int) int {
	var bytes int64
	var empty R
	for i, r := range rows {
		if r != empty {
			bytes += r.bytes()
		}
		if i == size || i > 0 && bytes > answerLimit {
			return i
		}
	}
	return len(rows)
}

// firstOfEach keeps the first of equal values; never nil.
func firstOfEach[T comparable](values []T) []T {
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

package pattern

import (
	"cmp"
	"slices"
)

// minOverlap is the part of their members, in tenths, that two patterns must share to
// be the same one: the Jaccard index, shared members by members of either.
const minOverlap = 3

// Stored is a pattern of an earlier run of the same scope and content type.
type Stored struct {
	ID      string
	Approve bool
	// Members are record ids, in any order, each once.
	Members               []string
	Description, Category string
}

// Unchanged reports whether a pattern has the members and the text of this one.
func (s Stored) Unchanged(p Pattern) bool {
	return s.Approve == p.Approve && s.Description == p.Description && s.Category == p.Category &&
		slices.Equal(slices.Sorted(slices.Values(s.Members)), p.Members)
}

// overlap of a found pattern with a stored one, both by their position.
type overlap struct{ found, stored, shared, union int }

// near reports whether two patterns share enough to be one.
func (o overlap) near() bool { return 10*o.shared >= minOverlap*o.union }

// Match returns for each pattern of one run the stored one that it is, nil where it is
// new. Only those of one decision match, each at most once, the greatest overlap
// first; of equal ones that with the lowest stored id, then the first found. A stored
// one that nothing matched is over.
func Match(found []Pattern, stored []Stored) []*Stored {
	matches, taken := make([]*Stored, len(found)), make([]bool, len(stored))
	overlaps := overlapping(found, stored)
	slices.SortFunc(overlaps, func(a, b overlap) int {
		return cmp.Or(
			cmp.Compare(b.shared*a.union, a.shared*b.union),
			cmp.Compare(stored[a.stored].ID, stored[b.stored].ID),
			cmp.Compare(a.found, b.found),
		)
	})
	for _, o := range overlaps {
		if matches[o.found] == nil && !taken[o.stored] {
			matches[o.found], taken[o.stored] = &stored[o.stored], true
		}
	}
	return matches
}

// overlapping returns which patterns share enough members. A judgment is in one pattern
// of a run at most, so this costs by members and not by pairs of patterns.
func overlapping(found []Pattern, stored []Stored) []overlap {
	in := map[string]int{}
	for at, p := range found {
		for _, record := range p.Members {
			in[record] = at
		}
	}
	var overlaps []overlap
	for at, s := range stored {
		shared := map[int]int{}
		for _, record := range s.Members {
			if p, ok := in[record]; ok && found[p].Approve == s.Approve {
				shared[p]++
			}
		}
		for p, n := range shared {
			o := overlap{found: p, stored: at, shared: n, union: len(found[p].Members) + len(s.Members) - n}
			if o.near() {
				overlaps = append(overlaps, o)
			}
		}
	}
	return overlaps
}

package chunk

import (
	"hash/fnv"
	"sort"
)

// unit is what is not divided any further: a block, or a part of one.
type unit struct {
	size

	// rank says how willingly a text is divided behind the unit: the lower, the more. It
	// is a hash, first of the unit's beginning, so that a change within it keeps the rank.
	rank uint64
}

// rankLength is how many bytes of a unit its rank depends on first.
const rankLength = 16

func unitOf(text string, s size) unit {
	hash := func(text string) uint64 {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(text)) // never fails
		return uint64(sum.Sum32())
	}
	return unit{size: s, rank: hash(text[:min(len(text), rankLength)])<<32 | hash(text)}
}

// divider divides units into groups that hold at most so much, and at least a little
// more than half of it where the units permit. All of them are divided at the boundary
// of the lowest rank, and so is each half, until all groups are small enough. So what
// changes in one of them leaves the boundaries of the others where they were.
type divider struct {
	units []unit
	most  size
	// before is the size of all units before each one, and at the end of all.
	before []size
	lowest lowest
	ends   []int
}

// divide returns where each group ends: behind how many units.
func divide(units []unit, most size) []int {
	d := divider{units: units, most: most, before: make([]size, len(units)+1), lowest: newLowest(units)}
	for i, u := range units {
		d.before[i+1] = size{d.before[i].tokens + u.tokens, d.before[i].bytes + u.bytes}
	}
	d.divide(0, len(units))
	return d.ends
}

func (d *divider) divide(from, to int) {
	for to-from > 1 && !d.fits(from, to) {
		at := d.boundary(from, to)
		d.divide(from, at)
		from = at
	}
	if from < to {
		d.ends = append(d.ends, to)
	}
}

func (d *divider) fits(from, to int) bool {
	return d.before[to].tokens-d.before[from].tokens <= d.most.tokens && d.before[to].bytes-d.before[from].bytes <= d.most.bytes
}

// boundary is where a group that is too large is divided: of boundaries that leave
// enough on both sides the one of the lowest rank, or the one nearest to the target
// where that ranks as low; in the middle where none leaves enough.
func (d *divider) boundary(from, to int) int {
	least := d.most.tokens * 11 / 20
	first := d.reach(from, to, d.before[from].tokens+least)
	last := d.reach(from, to, d.before[to].tokens-least+1) - 1
	if first > last || !d.fits(first-1, first) && first == last {
		return d.middle(from, to)
	}
	at := d.lowest.of(first-1, last) + 1
	target := d.reach(from, to, d.before[from].tokens+d.most.tokens*Target/Limit)
	if target <= last && d.units[target-1].rank == d.units[at-1].rank {
		return target
	}
	return at
}

// reach returns behind which unit there are so many tokens before it.
func (d *divider) reach(from, to, tokens int) int {
	return from + 1 + sort.Search(to-from-1, func(i int) bool { return d.before[from+1+i].tokens >= tokens })
}

// middle is the boundary nearest to the middle, of bytes where those are too many.
func (d *divider) middle(from, to int) int {
	of := func(i int) int { return d.before[i].tokens }
	if of(to)-of(from) <= d.most.tokens {
		of = func(i int) int { return d.before[i].bytes }
	}
	twice := of(from) + of(to)
	at := from + 1 + sort.Search(to-from-1, func(i int) bool { return 2*of(from+1+i) >= twice })
	if at == to || at > from+1 && twice-2*of(at-1) <= 2*of(at)-twice {
		at--
	}
	return at
}

// lowest finds units of the lowest rank: a tree in an array, in which node i has the
// better one of nodes 2i and 2i+1.
type lowest struct {
	units []unit
	nodes []int
}

func newLowest(units []unit) lowest {
	l := lowest{units, make([]int, 2*len(units))}
	for i := range units {
		l.nodes[len(units)+i] = i
	}
	for i := len(units) - 1; i > 0; i-- {
		l.nodes[i] = l.better(l.nodes[2*i], l.nodes[2*i+1])
	}
	return l
}

func (l lowest) better(a, b int) int {
	if l.units[b].rank < l.units[a].rank || l.units[b].rank == l.units[a].rank && b < a {
		return b
	}
	return a
}

// of returns the unit of the lowest rank from one up to, without, another one.
func (l lowest) of(from, to int) int {
	best := from
	for i, j := from+len(l.units), to+len(l.units); i < j; i, j = i/2, j/2 {
		if i%2 == 1 {
			best = l.better(best, l.nodes[i])
			i++
		}
		if j%2 == 1 {
			j--
			best = l.better(best, l.nodes[j])
		}
	}
	return best
}

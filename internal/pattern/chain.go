package pattern

import (
	"context"
	"math"
	"slices"
)

// forest is what clusters have grown to. A cluster goes by the lowest position among
// its members.
type forest struct {
	distances triangle
	// members of each cluster by its position; those of a joined one are with the
	// other.
	members [][]int
	// growing are the clusters that may still be joined, in ascending order.
	growing []int
}

// join gathers n things in clusters by average linkage: the two nearest clusters are
// joined as long as their distance, the mean of those of their members, is at most
// the threshold. It returns the positions of each cluster's members, in ascending
// order. The distances are overwritten.
//
// The pairs are found by the nearest-neighbour chain (Murtagh, A survey of recent
// advances in hierarchical clustering algorithms, 1983): from any cluster go to its
// nearest, from there to its nearest, until two are the nearest of each other; these
// can be joined at once, whatever is nearer elsewhere, because the mean of two
// distances is never below the smaller one. Among equally near ones the one that we
// come from counts first, then the lowest position.
func join(ctx context.Context, distances triangle, n int, threshold float32) ([][]int, error) {
	f := forest{distances: distances, members: make([][]int, n), growing: make([]int, n)}
	for i := range n {
		f.members[i], f.growing[i] = []int{i}, i
	}
	var chain []int
	for len(f.growing) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		chain = f.step(chain, threshold)
	}
	f.members = slices.DeleteFunc(f.members, func(members []int) bool { return members == nil })
	for _, members := range f.members {
		slices.Sort(members)
	}
	return f.members, nil
}

// step takes the chain one cluster further, or joins its last two. A cluster with
// nothing within the threshold is full-grown: what others become is no nearer to it
// than they were.
func (f *forest) step(chain []int, threshold float32) []int {
	if len(chain) == 0 {
		chain = append(chain, f.growing[0])
	}
	last, before := chain[len(chain)-1], -1
	if len(chain) > 1 {
		before = chain[len(chain)-2]
	}
	nearest, distance := f.nearest(last, before)
	switch {
	case nearest < 0 || distance > threshold:
		f.stop(last)
		return chain[:len(chain)-1]
	case nearest == before:
		f.unite(min(last, before), max(last, before))
		return chain[:len(chain)-2]
	}
	return append(chain, nearest)
}

// nearest finds the cluster nearest to one, -1 if there is no other.
func (f *forest) nearest(to, before int) (nearest int, distance float32) {
	nearest, distance = before, float32(math.Inf(1))
	if before >= 0 {
		distance = *f.distances.between(to, before)
	}
	for _, other := range f.growing {
		if other == to {
			continue
		}
		if d := *f.distances.between(to, other); d < distance {
			nearest, distance = other, d
		}
	}
	return nearest, distance
}

// unite puts the second cluster into the first. The distance of the two together to
// another is the mean by their sizes (Lance and Williams). Computed in 64 bits the
// products are exact, so the mean is never below the smaller distance, which the chain
// relies on.
func (f *forest) unite(kept, gone int) {
	f.stop(gone)
	a, b := float64(len(f.members[kept])), float64(len(f.members[gone]))
	for _, other := range f.growing {
		if other != kept {
			d := f.distances.between(kept, other)
			*d = float32((a*float64(*d) + b*float64(*f.distances.between(gone, other))) / (a + b))
		}
	}
	f.members[kept] = append(f.members[kept], f.members[gone]...)
	f.members[gone] = nil
}

func (f *forest) stop(cluster int) {
	at, _ := slices.BinarySearch(f.growing, cluster)
	f.growing = slices.Delete(f.growing, at, at+1)
}

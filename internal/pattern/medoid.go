package pattern

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"
)

// maxTop is how many votes a pattern names.
const maxTop = 5

// middle gives mean distances to the members of a cluster from the sums of their
// vectors: the sum of the products with many vectors is the product with their sum.
type middle struct {
	// reviews is the sum over all members, paired and contents are those over the
	// members with content.
	reviews, paired, contents []float32
	members, withContent      float32
}

func middleOf(c cluster) middle {
	review, content := widths(c)
	m := middle{reviews: make([]float32, review), paired: make([]float32, review), contents: make([]float32, content)}
	for _, member := range c {
		add(m.reviews, member.Review)
		m.members++
		if member.Content != nil {
			add(m.paired, member.Review)
			add(m.contents, member.Content)
			m.withContent++
		}
	}
	return m
}

func add(sum, vector []float32) {
	blas32.Axpy(1, blas32.Vector{N: len(vector), Inc: 1, Data: vector}, blas32.Vector{N: len(sum), Inc: 1, Data: sum})
}

// distance is the mean of the distances of a member to all, itself included.
func (m middle) distance(member Member) float32 {
	sum := m.members - dot(member.Review, m.reviews)
	if member.Content != nil {
		paired := m.withContent - dot(member.Review, m.paired)
		sum += (m.withContent - dot(member.Content, m.contents) - paired) / 2
	}
	return sum / m.members
}

// medoid is the agreeing vote of least mean distance to the members of its cluster,
// one with a reasoning if any has one.
func medoid(of, agreeing cluster) Member {
	middle := middleOf(of)
	return slices.MinFunc(agreeing, func(a, b Member) int {
		return cmp.Or(
			cmp.Compare(b.reasoned(), a.reasoned()),
			cmp.Compare(middle.distance(a), middle.distance(b)),
			cmp.Compare(a.RecordID, b.RecordID),
		)
	})
}

// reasoned is 1 for a judgment with a reasoning, else 0.
func (m Member) reasoned() int {
	if strings.TrimSpace(m.Reasoning) == "" {
		return 0
	}
	return 1
}

// top returns the ids of the votes nearest to a medoid.
func top(votes cluster, medoid Member) []string {
	ids, distances := make([]string, len(votes)), make(map[string]float32, len(votes))
	for i, vote := range votes {
		ids[i], distances[vote.RecordID] = vote.RecordID, distance(vote, medoid)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), cmp.Compare(a, b))
	})
	return ids[:min(maxTop, len(ids))]
}

package fuse

const (
	// Listed is how long a list is that is fused: what stands behind in both is hardly
	// what was looked for.
	Listed = 100
	// constant damps the lead of the first ranks. Cormack, Clarke and Büttcher (SIGIR
	// 2009) found 60 for it, and it is usual since.
	constant = 60
)

// Ranks returns the score of each element of some lists: the sum of 1/(60 + rank) over the
// lists that it stands in, where the first one has the rank 1. No list has an element twice.
func Ranks[T comparable](lists ...[]T) map[T]float64 {
	scores := map[T]float64{}
	for _, list := range lists {
		for i, element := range list {
			scores[element] += 1 / float64(constant+i+1)
		}
	}
	return scores
}

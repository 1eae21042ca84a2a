package pg

import "iter"

// PortionRows is how many rows are stored at once where their kind sets nothing else.
const PortionRows = 1000

// portionBytes is about how many bytes the rows of a portion have: a call may store as much as there is
// memory for once, not twice.
const portionBytes = 4 << 20

// Portions cuts rows, which come with about how many bytes each takes, into portions that are
// stored at once: of up to most rows and 4 MiB, or of one row that is larger. A row is made when it is its turn,
// and goes with its portion.
func Portions[R any](rows iter.Seq2[R, int64], most int) iter.Seq[[]R] {
	return func(yield func([]R) bool) {
		var some []R
		var bytes int64
		for row, takes := range rows {
			if len(some) == most || len(some) > 0 && bytes+takes > portionBytes {
				if !yield(some) {
					return
				}
				some, bytes = nil, 0
			}
			some, bytes = append(some, row), bytes+takes
		}
		if len(some) > 0 {
			yield(some)
		}
	}
}

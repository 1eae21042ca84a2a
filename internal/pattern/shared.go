package pattern

import (
	"math"

	"github.com/redline-svc/redline/internal/term"
)

// words compare the reasonings of judgments by the words that they share.
type words struct {
	// of are the numbers of the words that each has, holding those that have each word, in
	// ascending order.
	of, holding [][]int
	distances   []float32
}

func wordsOf(members []Member) *words {
	w, numbers := &words{of: make([][]int, len(members)), distances: make([]float32, len(members))}, map[string]int{}
	for i, m := range members {
		stems := map[string]bool{}
		for word := range vocabularyOf(m.Reasoning) {
			stems[term.Stem(word)] = true
		}
		for stem := range stems {
			number, known := numbers[stem]
			if !known {
				number = len(numbers)
				numbers[stem], w.holding = number, append(w.holding, nil)
			}
			w.of[i], w.holding[number] = append(w.of[i], number), append(w.holding[number], i)
		}
	}
	return w
}

// row is 1 less the cosine of the words of a judgment and of those before it: the number that both
// have by the geometric mean of how many each has.
func (w *words) row(i int) []float32 {
	row := w.distances[:i]
	clear(row)
	for _, word := range w.of[i] {
		for _, j := range w.holding[word] {
			if j >= i {
				break
			}
			row[j]++
		}
	}
	for j, shared := range row {
		row[j] = 1
		if shared > 0 {
			row[j] = max(0, 1-shared/float32(math.Sqrt(float64(len(w.of[i])*len(w.of[j])))))
		}
	}
	return row
}

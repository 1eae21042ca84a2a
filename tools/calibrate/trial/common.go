package trial

import (
	"gonum.org/v1/gonum/mat"

	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// directions are taken out of the vectors of reviews besides their mean. With three all
// bars of the tuning half hold; with two it misses a practice, and a fourth gains nothing.
const directions = 3

// Common is what the vectors of the reviews of the tuning half have in common: their mean,
// then the directions, unit vectors at right angles, in which they differ most from it.
func (t *Trial) Common() [][]float32 {
	vectors := t.reviews(labelled.Tuning)
	width := len(vectors[0])
	mean := make([]float64, width)
	for _, v := range vectors {
		for i, x := range v {
			mean[i] += float64(x) / float64(len(vectors))
		}
	}
	centred := mat.NewDense(len(vectors), width, nil)
	for row, v := range vectors {
		for i, x := range v {
			centred.Set(row, i, float64(x)-mean[i])
		}
	}
	return append([][]float32{narrow(mean)}, principal(centred)...)
}

// principal are the first directions of the rows.
func principal(rows *mat.Dense) [][]float32 {
	var parts mat.SVD
	var all mat.Dense
	if !parts.Factorize(rows, mat.SVDThinV) {
		return nil
	}
	parts.VTo(&all)
	found := make([][]float32, directions)
	for n := range found {
		found[n] = narrow(mat.Col(nil, n, &all))
	}
	return found
}

func narrow(values []float64) []float32 {
	narrowed := make([]float32, len(values))
	for i, x := range values {
		narrowed[i] = float32(x)
	}
	return narrowed
}

// reviews are the vectors of what is under review and of what was judged of it: of the
// situations, the practices and the noise of a half.
func (t *Trial) reviews(half labelled.Half) (vectors [][]float32) {
	add := func(judgments []labelled.Judgment) {
		for i := range judgments {
			vectors = append(vectors, t.vectors[reviewOf(&judgments[i])], t.vectors[judgments[i].Content])
		}
	}
	for i := range t.sets.Situations {
		if s := &t.sets.Situations[i]; s.Half() == half {
			vectors = append(vectors, t.queries[s.Query])
			add(s.History)
		}
	}
	for i := range t.sets.Practices {
		if p := &t.sets.Practices[i]; p.Half() == half {
			add(p.Judgments)
		}
	}
	for _, j := range t.sets.Noise {
		if labelled.HalfOf(j.ID) == half {
			add([]labelled.Judgment{j})
		}
	}
	return vectors
}

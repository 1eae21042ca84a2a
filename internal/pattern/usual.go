package pattern

import (
	"cmp"
	"context"
	"errors"
	"math"
)

const (
	// DefaultStandsOut is by how many deviations two judgments have to be nearer to each other than
	// is usual to count as near whatever their distance. It is the same by every model.
	DefaultStandsOut = 1.5
	// few is among how many judgments that is enough.
	few = 150
	// mostAlike is how many alike judgments count in what is usual: a practice of thousands would
	// make it what is usual by itself.
	mostAlike = 10
	// perThreshold is how many deviations weigh as much as the threshold.
	perThreshold = 5
	// rounding is a deviation that says nothing.
	rounding = 1e-4
)

// outstanding is by how many deviations two of so many judgments have to be nearer than usual.
// Among more of them more are near by chance: a normal number is beyond x with a probability that
// falls as e^(-x²/2), so with this as many are near to one by chance as among few.
func (d *Detector) outstanding(judgments float64) float64 {
	x := cmp.Or(d.StandsOut, DefaultStandsOut)
	return math.Sqrt(x*x + 2*math.Log(max(1, judgments/few)))
}

// usual is how far a judgment is from the others by one of its vectors.
type usual struct{ weight, sum, squares, mean, deviation float64 }

func (u *usual) note(distance float32, weight float64) {
	u.weight += weight
	u.sum += weight * float64(distance)
	u.squares += weight * float64(distance) * float64(distance)
}

func (u *usual) conclude() {
	if u.weight > 0 {
		u.mean = u.sum / u.weight
		u.deviation = math.Sqrt(max(0, u.squares/u.weight-u.mean*u.mean))
	}
}

// beyond is by how many deviations a distance is greater than the usual one.
func (u *usual) beyond(distance float32) float64 {
	if u.deviation < rounding {
		return 0
	}
	return (float64(distance) - u.mean) / u.deviation
}

// usual finds out how far things are from the others, with what each counts; those that count
// nothing have no distances.
func (r rows) usual(ctx context.Context, weights []float64) ([]usual, error) {
	all := make([]usual, len(weights))
	for i := range weights {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for j, distance := range r(i) {
			if weights[i] > 0 && weights[j] > 0 {
				all[i].note(distance, weights[j])
				all[j].note(distance, weights[i])
			}
		}
	}
	for i := range all {
		all[i].conclude()
	}
	return all, nil
}

// rows are distances of each thing to those before it. What one returns holds until the next.
type rows func(i int) []float32

// relation makes the distances of judgments of those of their reviews and their contents, which are
// packed, and of the words of their reasonings.
type relation struct {
	distances                triangle
	reviews, contents, words rows
	threshold                float64
	// weights are what judgments count in what is usual, withContent what those do that have
	// content; the others count nothing there.
	weights, withContent []float64
}

// relation is that of judgments in ascending order.
func (d *Detector) relation(members []Member) *relation {
	n := len(members)
	r := &relation{
		distances: d.distances, words: wordsOf(members).row, threshold: cmp.Or(d.Threshold, DefaultThreshold),
		weights: make([]float64, n), withContent: make([]float64, n),
	}
	reviews, contents := make([]float32, n), make([]float32, n)
	r.reviews = func(i int) []float32 {
		for j, packed := range r.distances.row(i) {
			reviews[j], _ = unpack(packed)
		}
		return reviews[:i]
	}
	r.contents = func(i int) []float32 {
		for j, packed := range r.distances.row(i) {
			_, contents[j] = unpack(packed)
		}
		return contents[:i]
	}
	for i, m := range members {
		if r.weights[i] = 1; m.Content != nil {
			r.withContent[i] = 1
		}
	}
	return r
}

// paired reports whether both have content.
func (r *relation) paired(i, j int) bool { return r.withContent[i] > 0 && r.withContent[j] > 0 }

// weigh makes those of which many are alike count for less.
func (r *relation) weigh() {
	alike := make([]float64, len(r.weights))
	for i := range alike {
		contents := r.contents(i)
		for j, distance := range r.reviews(i) {
			if r.paired(i, j) {
				distance = (distance + contents[j]) / 2
			}
			if float64(distance) <= r.threshold {
				alike[i]++
				alike[j]++
			}
		}
	}
	for i, others := range alike {
		weight := min(1, mostAlike/(1+others))
		r.weights[i] *= weight
		r.withContent[i] *= weight
	}
}

// relate writes the distances of judgments: the mean ones of review and content, or less where two
// stand out from what is usual. Two that do so by just enough are at the threshold, and with each
// deviation more they are a fifth of it nearer.
func (r *relation) relate(ctx context.Context, outstanding float64) error {
	byReview, errReview := r.reviews.usual(ctx, r.weights)
	byContent, errContent := r.contents.usual(ctx, r.withContent)
	byWords, errWords := r.words.usual(ctx, r.weights)
	if err := errors.Join(errReview, errContent, errWords); err != nil {
		return err
	}
	for i := range r.weights {
		if err := ctx.Err(); err != nil {
			return err
		}
		distances, contents, words := r.distances.row(i), r.contents(i), r.words(i)
		for j, distance := range r.reviews(i) {
			review, content := average(byReview, i, j, distance), math.Inf(-1)
			if r.paired(i, j) {
				content, distance = average(byContent, i, j, contents[j]), (distance+contents[j])/2
			}
			beyond := agreed(review, content, average(byWords, i, j, words[j]))
			distances[j] = max(0, min(distance, float32(r.threshold*(1+(beyond+outstanding)/perThreshold))))
		}
	}
	return nil
}

// average is by how many deviations a distance is greater than what is usual for both.
func average(usual []usual, i, j int, distance float32) float64 {
	return (usual[i].beyond(distance) + usual[j].beyond(distance)) / 2
}

// agreed is three parts of the second of the three and one of the farthest: two have to agree that
// judgments are near, and the third must not be too much against it.
func agreed(a, b, c float64) float64 {
	second := max(min(a, b), min(max(a, b), c))
	return (3*second + max(a, b, c)) / 4
}

func total(weights []float64) (sum float64) {
	for _, weight := range weights {
		sum += weight
	}
	return sum
}

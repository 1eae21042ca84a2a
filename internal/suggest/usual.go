package suggest

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
)

// usual is what judgments have in common that have nothing to do with the question: the sum of
// their vectors, and how many they are.
type usual struct {
	content, review []float32
	count           float64
}

// usualAmong sums up those whose content is known.
func usualAmong(unrelated []Candidate) (u usual) {
	for _, c := range unrelated {
		if !c.compared() {
			continue
		}
		u.content, u.review = plus(u.content, c.Content), plus(u.review, c.Review)
		u.count++
	}
	return u
}

// compared reports whether both of its vectors are known.
func (c *Candidate) compared() bool { return c.Content != nil && c.Review != nil }

func plus(sum, vector []float32) []float32 {
	if sum == nil {
		return slices.Clone(vector)
	}
	blas32.Axpy(1, vectorOf(vector), vectorOf(sum))
	return sum
}

// doubt is how many judgments are as little proof of what is usual as they are proof of it.
const doubt = 10

// excess is by how much a cosine to the candidate is greater, or less, because it is more, or
// less, like everything than the unrelated ones are.
func (u usual) excess(c *Candidate) float64 {
	own, theirs := Likeness(cosine(u.content, c.Content), cosine(u.review, c.Review)), Likeness(cosine(u.content, u.content), cosine(u.review, u.review))
	return (own - theirs/u.count) / (u.count + doubt)
}

// peculiar returns the candidates with the likeness that they have beyond what is usual. Some
// judgments are near to any question of their kind of work, others to none; those that have
// nothing to do with this one show it. Only they do: one more that is near changes no other.
func peculiar(candidates, unrelated []Candidate, t Thresholds) []Candidate {
	u := usualAmong(unrelated)
	if u.count == 0 {
		return candidates
	}
	measured := slices.Clone(candidates)
	for i := range measured {
		if c := &measured[i]; c.compared() {
			c.Likeness = min(1, max(0, c.Likeness-u.excess(c)/(1-t.Unrelated)))
		}
	}
	return measured
}

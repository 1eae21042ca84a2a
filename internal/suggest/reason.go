package suggest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/redline-svc/redline/internal/markdown"
	"github.com/redline-svc/redline/internal/term"
)

const (
	// mostReasons are how many reasons a side gives, longestReason how many characters
	// each has.
	mostReasons, longestReason = 3, 200
)

// reason is what several votes say in other words. Its words are those of its weightiest
// vote.
type reason struct {
	weightiest vote
	words      string
	weight     float64
}

// reasons returns the first sentences of the weightiest reasons, each once. Equal ones
// stand in the order of their records.
func reasons(votes []vote, same float64) []string {
	grouped := gather(votes, same)
	slices.SortStableFunc(grouped, func(a, b reason) int { return cmp.Compare(b.weight, a.weight) })
	sentences := make([]string, 0, mostReasons)
	for _, r := range grouped {
		if len(sentences) == mostReasons {
			break
		}
		if sentence := firstSentence(r.weightiest.Reasoning); !slices.Contains(sentences, sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}

// gather takes votes with near-equal reasonings together and adds their weights. Each
// vote joins the weightiest one that says the same, so nobody is joined by way of a third.
func gather(votes []vote, same float64) []reason {
	var grouped []reason
	ranked := slices.SortedStableFunc(slices.Values(votes), func(a, b vote) int { return cmp.Compare(b.weight, a.weight) })
	for _, v := range ranked {
		if strings.TrimSpace(v.Reasoning) == "" {
			continue
		}
		own := reason{weightiest: v, words: wordsOf(v.Reasoning), weight: v.weight}
		i := slices.IndexFunc(grouped, func(r reason) bool { return own.says(r, same) })
		if i < 0 {
			grouped = append(grouped, own)
			continue
		}
		grouped[i].weight += v.weight
	}
	return grouped
}

// says reports whether both reasons say the same: in the same words, or with vectors of
// at least that cosine.
func (r reason) says(other reason, same float64) bool {
	a, b := r.weightiest.Review, other.weightiest.Review
	if r.words == other.words {
		return true
	}
	return len(a) == len(b) && cosine(a, b) >= same
}

// cosine is the product of two vectors of one length, which of unit vectors is their cosine; 0
// of none.
func cosine(a, b []float32) float64 {
	return float64(blas32.Dot(vectorOf(a), vectorOf(b)))
}

func vectorOf(data []float32) blas32.Vector { return blas32.Vector{N: len(data), Inc: 1, Data: data} }

// wordsOf returns a text without case, punctuation and white space, but for one that has
// no words at all, such as a sign of approval.
func wordsOf(reasoning string) string {
	if words := term.Words(reasoning); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return strings.TrimSpace(reasoning)
}

// firstSentence returns the first sentence of a reasoning, cut at 200 characters. A number
// or a row of marks in front of it is none, unless there is nothing else.
func firstSentence(reasoning string) string {
	sentences := markdown.Sentences(strings.TrimSpace(reasoning))
	first := max(0, slices.IndexFunc(sentences, func(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }))
	runes := []rune(strings.TrimSpace(sentences[first]))
	return strings.TrimSpace(string(runes[:min(longestReason, len(runes))]))
}

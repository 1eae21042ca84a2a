package trial

import (
	"math"
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/term"
)

// Parameters of BM25, as the index has them.
const (
	repetition    = 1.2
	lengthMatters = 0.75
)

// unstemmed are the words that the index holds of a text, as they stand.
func unstemmed(text string) []string {
	var words []string
	for _, word := range term.Words(text) {
		for part := range strings.SplitSeq(word, "-") {
			if part != "" && !term.Stop(part) {
				words = append(words, part)
			}
		}
	}
	return words
}

// unstemmedQuestion are those of a question that Asked leaves.
func unstemmedQuestion(question string) []string {
	asked := map[string]bool{}
	for _, stem := range term.Asked(question) {
		asked[stem] = true
	}
	return slices.DeleteFunc(unstemmed(question), func(word string) bool { return !asked[term.Stem(word)] })
}

// keywords ranks texts by words as the index does.
type keywords struct {
	asked  func(string) []string
	counts []map[string]int
	length []float64
	mean   float64
	with   map[string]int
}

func newKeywords(texts []string, words, asked func(string) []string) *keywords {
	k := &keywords{asked: asked, with: map[string]int{}}
	for _, text := range texts {
		counts, all := map[string]int{}, words(text)
		for _, word := range all {
			if counts[word]++; counts[word] == 1 {
				k.with[word]++
			}
		}
		k.counts, k.length = append(k.counts, counts), append(k.length, float64(len(all)))
		k.mean += float64(len(all)) / float64(len(texts))
	}
	return k
}

// scores are those of all texts; 0 for one that shares no word with the question.
func (k *keywords) scores(question string) []float64 {
	scores, asked := make([]float64, len(k.counts)), map[string]bool{}
	for _, word := range k.asked(question) {
		asked[word] = true
	}
	for i, counts := range k.counts {
		for word := range asked {
			if often := float64(counts[word]); often > 0 {
				rare := math.Log(1 + (float64(len(k.counts)-k.with[word])+0.5)/(float64(k.with[word])+0.5))
				scores[i] += rare * often / (often + repetition*(1-lengthMatters+lengthMatters*k.length[i]/k.mean))
			}
		}
	}
	return scores
}

// enough is ranked, of the texts that have as many of the words as the index wants of what
// is fused.
func (k *keywords) enough(question string) []int {
	scores, shared := k.scores(question), make([]int, len(k.counts))
	asked := k.asked(question)
	slices.Sort(asked)
	for _, word := range slices.Compact(asked) {
		for i, counts := range k.counts {
			shared[i] += min(1, counts[word])
		}
	}
	for i := range scores {
		if shared[i] < term.Least(question) {
			scores[i] = 0
		}
	}
	return byScore(scores)
}

func (k *keywords) ranked(question string) []int { return byScore(k.scores(question)) }

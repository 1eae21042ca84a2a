package labelled_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/term"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

func sets(t *testing.T) *labelled.Sets {
	t.Helper()
	s, err := labelled.Load()
	require.NoError(t, err)
	return s
}

func TestHalfIsTheFirstBitOfTheHashOfTheID(t *testing.T) {
	// SHA-256 of "a" begins with ca, of "abc" with ba, of "" with e3, of "b" with 3e, of "c" with 2e.
	for id, want := range map[string]labelled.Half{
		"a": labelled.Proof, "abc": labelled.Proof, "": labelled.Proof, "b": labelled.Tuning, "c": labelled.Tuning,
	} {
		require.Equal(t, want, labelled.HalfOf(id), id)
	}
}

// unique fails for an id that is there twice.
type unique map[string]bool

func (u unique) add(t *testing.T, id string) {
	t.Helper()
	require.False(t, u[id], "%s is there twice", id)
	u[id] = true
}

// grams are the runs of three words of a text.
func grams(text string) map[[3]string]bool {
	words := term.Words(text)
	found := map[[3]string]bool{}
	for i := 0; i+3 <= len(words); i++ {
		found[[3]string(words[i:i+3])] = true
	}
	return found
}

// shortText is the number of word triples up to which texts may agree: people write "fine by
// me" again and again.
const shortText = 3

// requireDistinct fails where two texts have more than 0.8 of their word triples in common.
func requireDistinct(t *testing.T, texts []string) {
	t.Helper()
	all := make([]map[[3]string]bool, len(texts))
	with := map[[3]string][]int{}
	for i, text := range texts {
		all[i] = grams(text)
		if len(all[i]) <= shortText {
			continue
		}
		shared := map[int]int{}
		for gram := range all[i] {
			for _, other := range with[gram] {
				shared[other]++
			}
			with[gram] = append(with[gram], i)
		}
		for other, n := range shared {
			overlap := float64(n) / float64(len(all[i])+len(all[other])-n)
			assert.LessOrEqual(t, overlap, 0.8, "%q and %q", text, texts[other])
		}
	}
}

// requireDistinctContents fails where two judgments are about the same words, however short.
func requireDistinctContents(t *testing.T, judgments []labelled.Judgment) {
	t.Helper()
	contents := unique{}
	var texts []string
	for _, j := range judgments {
		contents.add(t, j.Content)
		texts = append(texts, j.Content, j.Reasoning)
	}
	requireDistinct(t, texts)
}

// shareStem reports whether two texts have a stem in common that says something.
func shareStem(a, b string) bool {
	of := term.Stems(b)
	for stem := range term.Stems(a) {
		if of[stem] {
			return true
		}
	}
	return false
}

package answer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/term"
)

// nearEqual is the cosine from which on two sentences say the same to a reader, unless
// they differ in what turns a statement into another one.
const nearEqual = 0.90

// negations are the words, without those in n't, that turn a statement into its contrary.
var negations = map[string]bool{
	"no": true, "not": true, "never": true, "none": true, "nor": true, "neither": true, "nobody": true, "nothing": true,
	"without": true, "cannot": true,
}

// distinct returns the first sentences of those that say nearly the same.
func distinct(candidates []candidate) []candidate {
	var kept []candidate
	for _, c := range candidates {
		if len(kept) == longestAnswer {
			break
		}
		if !slices.ContainsFunc(kept, c.nearly) {
			kept = append(kept, c)
		}
	}
	return kept
}

func (c candidate) nearly(other candidate) bool {
	return c.words == other.words || embed.Cosine(c.vector, other.vector) >= nearEqual && slices.Equal(turns(c.text), turns(other.text))
}

// turns returns the numbers and negations of a sentence. Models of sentences hardly see
// them: the local one has a cosine of 0.94 between "The liability cap must be mutual" and
// the same with "must not", and one of 0.93 between 30 days and 60. To show only the
// better one of such a pair would hide that the records disagree.
func turns(sentence string) []string {
	var found []string
	for _, word := range term.Words(sentence) {
		switch {
		case strings.ContainsFunc(word, unicode.IsDigit):
			found = append(found, word)
		case negations[word] || strings.HasSuffix(word, "n't"):
			found = append(found, "not")
		}
	}
	slices.Sort(found)
	return found
}

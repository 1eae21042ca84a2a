package pattern

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/markdown"
	"github.com/redline-svc/redline/internal/term"
)

const (
	// maxSentence is how much of a sentence a description quotes, in characters.
	maxSentence = 160
	maxTerms    = 3
	// minLetters is how many letters a term has, maxTerm how many characters: what is
	// longer is no word, and would be most of a description.
	minLetters = 3
	maxTerm    = 64
	// maxReasoning is how much of a reasoning is looked through for terms, in
	// characters: reasonings are a few sentences, and memory must not follow one that
	// is a book.
	maxReasoning = 2000
)

// vocabulary is how many reasonings there are, and how many have each of some words.
// Judgments without a reasoning do not count.
type vocabulary struct {
	reasonings int
	words      map[string]int
}

func reasonings(members []Member) (n int) {
	for _, m := range members {
		n += m.reasoned()
	}
	return n
}

// common counts the words that at least half of the reasonings of a cluster have. Such
// a word is missing in half of them at most, so one that did not come by then needs no
// count.
func (c cluster) common() vocabulary {
	v := vocabulary{reasonings: reasonings(c), words: map[string]int{}}
	seen := 0
	for _, m := range c {
		for word := range vocabularyOf(m.Reasoning) {
			if v.words[word] > 0 || 2*seen <= v.reasonings {
				v.words[word]++
			}
		}
		seen += m.reasoned()
	}
	maps.DeleteFunc(v.words, func(_ string, n int) bool { return 2*n < v.reasonings })
	return v
}

// count counts the words of some clusters in all judgments of their scope.
func count(members []Member, of []vocabulary) vocabulary {
	v := vocabulary{reasonings: reasonings(members), words: map[string]int{}}
	wanted := map[string]bool{}
	for _, one := range of {
		for word := range one.words {
			wanted[word] = true
		}
	}
	for _, m := range members {
		for word := range vocabularyOf(m.Reasoning) {
			if wanted[word] {
				v.words[word]++
			}
		}
	}
	return v
}

// vocabularyOf returns the words of a reasoning that may be terms.
func vocabularyOf(reasoning string) map[string]bool {
	words := map[string]bool{}
	for _, word := range term.Words(cut(reasoning, maxReasoning)) {
		if !term.Stop(word) && letters(word) >= minLetters && utf8.RuneCountInString(word) <= maxTerm {
			words[word] = true
		}
	}
	return words
}

func letters(word string) (n int) {
	for _, r := range word {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// terms returns up to 3 of the common words of a cluster that less than a tenth of the
// other reasonings in its scope have: the most frequent first, of equally frequent
// ones in the order of the alphabet.
func terms(common, scope vocabulary) []string {
	others := scope.reasonings - common.reasonings
	rare := map[string]int{}
	for word, inside := range common.words {
		if outside := scope.words[word] - inside; outside == 0 || 10*outside < others {
			rare[word] = inside
		}
	}
	words := byFrequency(rare)
	return words[:min(maxTerms, len(words))]
}

// byFrequency orders words, the most frequent first, then by the alphabet.
func byFrequency(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// describe puts a pattern into words: what was decided how often, why by the words of
// its medoid, and its terms.
func describe(medoid Member, agreeing, votes int, terms []string) string {
	verb := "rejected"
	if medoid.Approves {
		verb = "approved"
	}
	description := fmt.Sprintf("Usually %s (%d of %d)", verb, agreeing, votes)
	var why []string
	if sentence := firstSentence(medoid.Reasoning); sentence != "" {
		why = append(why, sentence)
	}
	if len(terms) > 0 {
		why = append(why, "Common terms: "+strings.Join(terms, ", "))
	}
	if len(why) == 0 {
		return description
	}
	return description + ": " + strings.Join(why, " ")
}

// firstSentence returns the first sentence of a reasoning word for word. A long one ends
// with a whole word where it can.
func firstSentence(reasoning string) string {
	sentences := append(markdown.Sentences(strings.TrimSpace(reasoning)), "")
	sentence := strings.TrimSpace(sentences[0])
	short := cut(sentence, maxSentence)
	if at := strings.LastIndexFunc(short, unicode.IsSpace); at > 0 && goesOn(sentence[len(short):]) {
		short = short[:at]
	}
	return strings.TrimSpace(short)
}

// goesOn reports whether what was cut away begins in the middle of a word.
func goesOn(rest string) bool {
	return rest != "" && strings.TrimLeftFunc(rest, unicode.IsSpace) == rest
}

// cut returns at most that many characters of a text.
func cut(text string, characters int) string {
	for at := range text {
		if characters == 0 {
			return text[:at]
		}
		characters--
	}
	return text
}

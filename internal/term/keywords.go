package term

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// askingWords only make a sentence a question or a rule, as stop words do, and are none
// of those: modal verbs, and what is asked for by "how". They stand all over texts of
// rules, so that what a question has in common with them by these is chance.
var askingWords = map[string]bool{}

func init() {
	for word := range strings.FieldsSeq("may might could must shall would need get gets got much many often soon fast long far old whose happen happens us") {
		askingWords[word] = true
	}
}

// Keywords returns the stems of the words of a text that are no stop words, in their order
// and as often as they stand there. A word with hyphens counts as its parts.
func Keywords(text string) []string { return stems(text, func(string) bool { return false }) }

// Asked are the Keywords of a question: without the words that only make it one, unless it
// has no others.
func Asked(question string) []string {
	if said := stems(question, func(word string) bool { return askingWords[word] }); len(said) > 0 {
		return said
	}
	return Keywords(question)
}

// enough is which part of what a question asks for a text must have. With less, what they
// share is mostly chance; of the shares from a quarter to six tenths it was the best on the
// tuning half of the labelled questions, as good as a third and a half.
const enough = 0.4

// Least returns how many of the Asked words of a question a text must have for it to be about
// the question. One is enough where the question names something, by a number, an
// identifier or a name: then it is likely to be looked for literally.
func Least(question string) int {
	if names(question) {
		return 1
	}
	asked := Asked(question)
	slices.Sort(asked)
	return max(1, int(math.Ceil(enough*float64(len(slices.Compact(asked))))))
}

// names reports whether a word has a digit, or a capital letter though no sentence begins
// with it.
func names(question string) bool {
	begins := true
	for word := range strings.FieldsSeq(question) {
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		capital := strings.IndexFunc(bare, unicode.IsUpper)
		ofI := bare == "I" || strings.HasPrefix(bare, "I'") || strings.HasPrefix(bare, "I’")
		if strings.ContainsFunc(bare, unicode.IsDigit) || capital > 0 || capital == 0 && !begins && !ofI {
			return true
		}
		begins = strings.HasSuffix(word, ".") || strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!")
	}
	return false
}

// stems leaves out stop words, and others.
func stems(text string, out func(word string) bool) []string {
	var found []string
	for _, word := range Words(text) {
		for part := range strings.SplitSeq(word, "-") {
			if part = strings.Trim(part, "'"); part != "" && !Stop(part) && !out(part) {
				found = append(found, Stem(part))
			}
		}
	}
	return found
}

package term

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// Words returns the words of a text in lower case, in their order: runs of letters, digits
// and marks, with the apostrophes and hyphens between them.
func Words(text string) []string {
	folded := strings.ToLower(norm.NFKC.String(strings.ReplaceAll(text, "’", "'")))
	words := strings.FieldsFunc(folded, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '-'
	})
	kept := words[:0]
	for _, word := range words {
		if word = strings.Trim(word, "'-"); word != "" {
			kept = append(kept, word)
		}
	}
	return kept
}

// Stop reports whether a word, in lower case, says nothing about what a text is about.
func Stop(word string) bool { return english.IsStopWord(word) }

// Stem returns the stem of a word in lower case, by the Snowball stemmer for English.
func Stem(word string) string { return english.Stem(word, true) }

// Stems returns the stems of the words of a text that are no stop words, each once.
func Stems(text string) map[string]bool {
	stems := map[string]bool{}
	for _, word := range Words(text) {
		if !Stop(word) {
			stems[Stem(word)] = true
		}
	}
	return stems
}

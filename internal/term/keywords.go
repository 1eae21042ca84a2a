package term

import "strings"

// askingWords only make a sentence a question or a rule, as stop words do, and are none
// of those: modal verbs, and what is asked for by "how". They stand all over texts of
// rules, so that what a question has in common with them by these is chance.
var askingWords = map[string]bool{}

func init() {
	for word := range strings.FieldsSeq("may might could must shall would need get gets got much many often soon fast long far old whose happen happens us") {
		askingWords[word] = true
	}
}

// Keywords gives the stems of the words of a text that are no stop words, in their order
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

package term

import "strings"

// Keywords gives the stems of the words of a text that are no stop words, in their order
// and as often as they stand there. A word with hyphens counts as its parts.
func Keywords(text string) []string {
	var stems []string
	for _, word := range Words(text) {
		for part := range strings.SplitSeq(word, "-") {
			if part = strings.Trim(part, "'"); part != "" && !Stop(part) {
				stems = append(stems, Stem(part))
			}
		}
	}
	return stems
}

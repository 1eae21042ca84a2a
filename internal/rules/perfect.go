package rules

import (
	"regexp"
	"strings"
)

// Necessities that are supposed or past: must have forgotten. They are none, while
// must have a badge and must have mixed case are.

// timeToCome is a clause that makes a duty of must have been: before it is shipped.
var timeToCome = regexp.MustCompile(`\b(before|until|till|prior to|by (the (time|end|start|beginning|close)|then|noon|midnight|today|tomorrow|next|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|[0-9]+))\b`)

// perfects returns the parts of a text that are a modal of duty and have with a
// participle as its verb.
func perfects(words []word, text string) [][2]int {
	var parts [][2]int
	for i, w := range words {
		have := next(words, i+1)
		if !dutiful(words, i) || have == len(words) || words[have].text != "have" && words[have].text != "'ve" {
			continue
		}
		verb := next(words, have+1)
		if !participle(words, verb) || w.text == "must" && words[verb].text == "been" && timeToCome.MatchString(text[words[verb].end:]) {
			continue
		}
		parts = append(parts, [2]int{w.at, words[have].end})
	}
	return parts
}

// dutiful reports whether a word is must, should, shall or the to of ought to.
func dutiful(words []word, i int) bool {
	switch words[i].text {
	case "must", "should", "shall":
		return true
	case "to":
		return i > 0 && words[i-1].text == "ought"
	}
	return false
}

// next returns the first word from i that is no adverb.
func next(words []word, i int) int {
	for i < len(words) && (adverbial(words[i]) || words[i].text == "also" || words[i].text == "already") {
		i++
	}
	return i
}

// neverBeforeNouns are participles that say nothing of a noun behind them.
var neverBeforeNouns = set("been had gone come become got gotten taken made seen done")

// participle reports whether a word is one and the verb, not what says more of a
// noun that follows it: in must have mixed case a noun does, in must have mixed the
// colours an article, which no participle that belongs to a noun stands before.
func participle(words []word, i int) bool {
	if i == len(words) {
		return false
	}
	w := words[i]
	if neverBeforeNouns[w.text] {
		return true
	}
	if w.tag != "VBN" && w.tag != "VBD" && !strings.HasSuffix(w.text, "ed") {
		return false
	}
	if i+1 == len(words) {
		return true
	}
	after := words[i+1]
	if after.tag == "CC" {
		return i+2 < len(words) && (words[i+2].tag == "VBN" || words[i+2].tag == "VBD")
	}
	return !nominal(after)
}

// indefinite pronouns are tagged as nouns, and nothing says more of them.
var indefinite = set("everything everyone everybody something someone somebody nothing anything anyone anybody all both each")

// nominal reports whether a word may be, or say more of, a noun without an article.
func nominal(w word) bool {
	switch w.tag {
	case "VBG", "VBN":
		return true
	}
	return (strings.HasPrefix(w.tag, "NN") || strings.HasPrefix(w.tag, "JJ")) && !indefinite[w.text]
}

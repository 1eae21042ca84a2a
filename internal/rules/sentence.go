package rules

import (
	"regexp"
	"strings"
)

// word is one of a sentence: text[at:end], with its part of speech by the Penn
// Treebank: VBD a past form, VBN a participle, VBZ and VBP a present form, VB a
// base form, MD a modal verb.
type word struct {
	text    string
	tag     string
	at, end int
}

// token is a word with what is joined to it, or one other sign.
var token = regexp.MustCompile(`[\p{L}\p{N}]+(?:['._/@:+-][\p{L}\p{N}]+)*|[^\s\p{L}\p{N}]`)

// contraction is the part of a token that the Treebank counts as a word.
var contraction = regexp.MustCompile(`(n't|'(s|re|ve|ll|d|m))$`)

// split returns the words of a folded text, without tags.
func split(text string) []word {
	var words []word
	for _, at := range token.FindAllStringIndex(text, -1) {
		from, to := at[0], at[1]
		if cut := contraction.FindStringIndex(text[from:to]); cut != nil && cut[0] > 0 {
			words = append(words, word{text: text[from : from+cut[0]], at: from, end: from + cut[0]})
			from += cut[0]
		}
		words = append(words, word{text: text[from:to], at: from, end: to})
	}
	return words
}

// tagged returns the words of a folded text with their tags, where the rules below
// correct what the tagger, which has read news, gets wrong in other texts.
func tagged(text string) []word {
	words := split(text)
	texts := make([]string, len(words))
	for i, w := range words {
		if texts[i] = w.text; w.text == "'ve" {
			texts[i] = "have"
		}
	}
	for i, tag := range english().tags(texts) {
		words[i].tag = tag
	}
	if first := next(words, 0); first < len(words) && words[first].tag == "NN" && !indefinite[words[first].text] && order(texts[first:]) {
		words[first].tag = "VB"
	}
	for i := range words {
		words[i].tag = corrected(words, i)
	}
	for i := range words {
		if words[i].tag == "VBD" && reduced(words, i) {
			words[i].tag = "VBN"
		}
	}
	return words
}

// order reports whether a sentence that seems to begin with a noun begins with an
// order, as in: use only approved tools. It does, when its first word is a verb behind
// you.
func order(texts []string) bool {
	return english().tags(append([]string{"you"}, texts...))[1] == "VBP"
}

func set(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// finite reports whether a tag is that of a verb that a clause can stand on.
func finite(tag string) bool { return tag == "MD" || tag == "VBD" || tag == "VBZ" || tag == "VBP" }

var openers = set("who which whose whom where when whenever while if because since before after until till unless whoever whatever whichever although though whether how what why once whereas than wherever")

// opens reports whether a word begins a clause that is not the main one.
func opens(w word) bool {
	return openers[w.text] || (w.text == "that" || w.text == "as") && w.tag != "DT"
}

// separates reports whether a sign ends a clause.
func separates(text string) bool {
	switch text {
	case ",", ";", ":", "(", ")", "-":
		return true
	}
	return false
}

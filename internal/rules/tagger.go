package rules

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/jdkato/prose/tag"
)

// tagger gives words their part of speech, by the names of the Penn Treebank. The
// features and weights are those of the averaged perceptron in prose, trained on
// news. Only the sum is made here, in whole numbers and in a fixed order: that of
// the library depends on the order of a map, and the same text must always have
// the same rules.
type tagger struct {
	classes []string
	known   map[string]string
	weights map[string][]weight
}

// weight is what a feature adds to a class, in thousandths.
type weight struct {
	class int
	add   int
}

// english is the tagger. It takes about a quarter of a second to load and 25 MB,
// so it is loaded when the first sentence needs it.
var english = sync.OnceValue(func() *tagger {
	model := tag.NewPerceptronTagger()
	t := &tagger{classes: slices.Sorted(slices.Values(model.Classes())), known: model.TagMap(), weights: map[string][]weight{}}
	for feature, classes := range model.Weights() {
		list := make([]weight, 0, len(classes))
		for class, add := range classes {
			at, _ := slices.BinarySearch(t.classes, class)
			list = append(list, weight{at, int(math.Round(add * 1000))})
		}
		t.weights[feature] = list
	}
	return t
})

// tags returns the tag of each word of a sentence.
func (t *tagger) tags(words []string) []string {
	tags := make([]string, len(words))
	context := []string{"-START-", "-START2-"}
	for _, word := range words {
		context = append(context, normal(word))
	}
	context = append(context, "-END-", "-END2-")
	before, last := "-START2-", "-START-"
	for i, word := range words {
		known, ok := t.known[word]
		if !ok {
			known = t.best(word, context[i:i+5], last, before)
		}
		tags[i] = known
		before, last = last, known
	}
	return tags
}

// best returns the class with the highest sum. around are the word in the middle,
// and two on each side of it; last and before are the tags of those before it.
func (t *tagger) best(word string, around []string, last, before string) string {
	sums := make([]int, len(t.classes))
	for _, feature := range [...]string{
		"bias", "i suffix " + suffix(word), "i pref1 " + word[:1], "i-1 tag " + last, "i-2 tag " + before,
		"i tag+i-2 tag " + last + " " + before, "i word " + around[2], "i-1 tag+i word " + last + " " + around[2],
		"i-1 word " + around[1], "i-1 suffix " + suffix(around[1]), "i-2 word " + around[0],
		"i+1 word " + around[3], "i+1 suffix " + suffix(around[3]), "i+2 word " + around[4],
	} {
		for _, w := range t.weights[feature] {
			sums[w.class] += w.add
		}
	}
	best := 0
	for class, sum := range sums {
		if sum > sums[best] {
			best = class
		}
	}
	return t.classes[best]
}

// suffix is the last three bytes, as the weights were learnt.
func suffix(word string) string { return word[max(0, len(word)-3):] }

// normal is the form in which a word is a feature of its neighbours.
func normal(word string) string {
	digit := word[0] >= '0' && word[0] <= '9'
	switch {
	case strings.Contains(word, "-") && word[0] != '-':
		return "!HYPHEN"
	case digit && len(word) == 4 && strings.Trim(word, "0123456789") == "":
		return "!YEAR"
	case digit:
		return "!DIGITS"
	}
	return word
}

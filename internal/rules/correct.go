package rules

import "strings"

// What a verb is by its form and by the words around it. The words are of closed
// classes: auxiliaries, pronouns, conjunctions, and verbs whose past form is no
// participle.
var (
	modals  = set("can could may might must shall should will would cannot ca wo sha 'll")
	haves   = set("have has had having 've")
	beings  = set("be is are was were been being am 're 'm get gets got getting")
	present = set("is are am has have do does 're 'm 've")
	pasts   = set("was were had did")
	// onlyPast are no participles, so they are verbs wherever they stand.
	onlyPast = set("was were did went came became began took gave wrote saw knew ran rose fell grew chose broke spoke drove ate drew flew threw wore arose")
)

// frequency are adverbs that stand between a subject and its verb.
var frequency = set("only always never ever also usually")

// corrected returns the tag of a word by the word itself and by what stands before it.
func corrected(words []word, i int) string {
	w := words[i]
	if tag := closed(w); tag != "" {
		return tag
	}
	if w.tag == "NN" && i > 1 && frequency[words[i-1].text] && strings.HasPrefix(words[i-2].tag, "NN") {
		return "VBP" // as in: staff only use approved tools
	}
	if w.tag == "NN" && i == 1 && adverbial(words[0]) && words[0].text != "only" {
		return "VB" // as in: always credit the author
	}
	if !verbal(w.tag) {
		return w.tag
	}
	before := skipBack(words, i)
	if before < 0 {
		return atStart(w)
	}
	return behind(words, i, before)
}

// closed is the tag of a word that has but one, empty for others.
func closed(w word) string {
	switch {
	case strings.ContainsAny(w.text, "0123456789_"):
		return "NN" // a name or a number
	case modals[w.text] && w.tag != "NN":
		return "MD"
	case pasts[w.text], onlyPast[w.text] && w.tag != "NN" && w.tag != "JJ":
		return "VBD"
	case present[w.text] && w.tag != "VB":
		return "VBP"
	}
	return ""
}

// behind is the tag of a verb by the word before it, adverbs left out.
func behind(words []word, i, before int) string {
	w, last := words[i], words[before]
	switch {
	case w.tag == "VBN" && spoken(words, i, before):
		return "VBD"
	case last.tag == "MD" || doing(last.text) || last.text == "to" && w.tag != "VBG":
		return base(w) // as read in: you should read, or do not put
	case w.tag != "VBD":
		return w.tag
	case haves[last.text] || beings[last.text]:
		return "VBN"
	case before == i-1 && determines(last.tag) && !onlyPast[w.text]:
		return "VBN" // as in: the attached notes
	}
	return w.tag
}

// spoken reports whether what may be a participle is the verb of the subject before
// it, as in: he only ever paid in cash, or customers always paid in advance.
func spoken(words []word, i, before int) bool {
	if subjects[words[before].text] {
		return true
	}
	often := before < i-1 && frequency[words[i-1].text] && words[i-1].text != "only"
	return often && (strings.HasPrefix(words[before].tag, "NN") || words[before].tag == "PRP")
}

// atStart is the tag of a verb that no word but adverbs stands before: an order, or
// a participle, but no past form.
func atStart(w word) string {
	switch {
	case strings.HasSuffix(w.text, "ed") && w.tag != "VB":
		return "VBN"
	case w.tag == "VBD" || w.tag == "VBP":
		return "VB"
	}
	return w.tag
}

// base is the tag of a verb that a modal, do or to stands before.
func base(w word) string {
	if w.tag == "VBN" && strings.HasSuffix(w.text, "ed") {
		return w.tag
	}
	return "VB"
}

func verbal(tag string) bool { return strings.HasPrefix(tag, "VB") }

func doing(text string) bool { return text == "do" || text == "does" || text == "did" }

func adverbial(w word) bool { return w.tag == "RB" || w.text == "n't" || w.text == "not" }

// determines reports whether a noun is still to come behind a word of this tag.
func determines(tag string) bool { return tag == "DT" || tag == "PRP$" || tag == "JJ" || tag == "POS" }

// skipBack returns the word before i that is no adverb, -1 where there is none.
func skipBack(words []word, i int) int {
	for i--; i >= 0 && adverbial(words[i]); i-- {
	}
	return i
}

// reduced reports whether a word that looks like a past form is a participle
// behind its noun, as in: the data collected must be kept. It is, when another
// finite verb follows that belongs to no other clause, or when by follows.
func reduced(words []word, i int) bool {
	before := skipBack(words, i)
	if onlyPast[words[i].text] || pasts[words[i].text] || i+1 == len(words) || before >= 0 && (subjects[words[before].text] || before == 0 && words[0].tag == "PRP") {
		return false
	}
	after := words[i+1]
	switch {
	case after.text == "by":
		return i > 0 && !adverbial(words[i-1])
	case after.tag == "DT" || after.tag == "PRP$" || indefinite[after.text]:
		return false // an object, as in: they suggested everybody should leave
	}
	return finiteFollows(words, i+1)
}

// finiteFollows reports whether there is a finite verb from i on that belongs to no
// clause of its own: none with a subject or a conjunction before it.
func finiteFollows(words []word, i int) bool {
	owed, since := 0, false
	for ; i < len(words); i++ {
		w := words[i]
		switch {
		case since && w.tag == "VBD":
			return false // as in: they called after the doors had closed
		case finite(w.tag) && owed == 0:
			return true
		case finite(w.tag):
			owed--
		case timely[w.text]:
			since = true
		case opens(w):
			owed++
		case w.tag == "CC" && qualifies(words, i+1):
		case separates(w.text) || w.tag == "CC" || w.tag == "PRP":
			return false
		}
	}
	return false
}

// timely are words that stand before a noun as well as before a clause.
var timely = set("before after since until till as than")

// subjects are pronouns that are nothing else.
var subjects = set("i he she we they who")

// qualifies reports whether the word at i may be a second participle of the noun.
func qualifies(words []word, i int) bool {
	i = next(words, i)
	return i < len(words) && (words[i].tag == "VBD" || words[i].tag == "VBN" || words[i].tag == "JJ")
}

package rules

import "strings"

// past reports whether the verb of the clause that a position stands in is in the
// past. A sentence is cut into main clauses at a semicolon, a colon and a dash, and
// where a conjunction follows a comma; one without a verb goes on with that of the
// clause before it.
func past(words []word, at int) bool {
	verb, from := "", 0
	for i := range words {
		if !startsMain(words, i) {
			continue
		}
		if found := mainVerb(words[from:i]); found != "" {
			verb = found
		}
		if from = i; words[i].at > at {
			return verb == "VBD"
		}
	}
	if found := mainVerb(words[from:]); found != "" {
		verb = found
	}
	return verb == "VBD"
}

// startsMain reports whether a main clause may begin at a word.
func startsMain(words []word, i int) bool {
	switch words[i].text {
	case ";", ":", "-":
		return true
	}
	return i > 0 && words[i].tag == "CC" && words[i-1].text == ","
}

// mainVerb returns the tag of the verb of the main clause, empty where none is found.
// It is the first finite verb that belongs to no clause that an opener such as
// which began; an order is one too.
func mainVerb(words []word) string {
	owed := 0 // verbs that clauses begun by an opener are still to have
	for i, w := range words {
		switch {
		case separates(w.text):
			owed = 0
		case opens(w):
			owed++
		case finite(w.tag) && owed > 0:
			owed--
		case finite(w.tag) && !joined(words, i):
			return w.tag
		case w.tag == "VB" && owed == 0 && ordered(words, i):
			return w.tag
		}
	}
	return ""
}

// joined reports whether a verb is the second one of a clause that is not the main
// one, as in: what comes and goes.
func joined(words []word, i int) bool {
	before := skipBack(words, i)
	if before < 1 || words[before].tag != "CC" {
		return false
	}
	return finite(words[before-1].tag)
}

// ordered reports whether a base form is an order: no modal and no to before it.
func ordered(words []word, i int) bool {
	before := skipBack(words, i)
	return before < 0 || words[before].tag != "MD" && words[before].text != "to" && !doing(words[before].text)
}

// conditions returns the parts of a text that are clauses of if and when: from that
// word to the comma that ends it, or to the end. Where a sentence or a part of it
// begins with such a clause and no comma follows, the second finite verb is taken to
// be that of the main clause, so that the clause ends before it.
func conditions(words []word, text string) [][2]int {
	var parts [][2]int
	for i := 0; i < len(words); i++ {
		if !conditional(words, i) {
			continue
		}
		end, to := conditionEnd(words, i), len(text)
		if end < len(words) {
			to = words[end].at
		}
		parts = append(parts, [2]int{words[i].at, to})
		i = end - 1
	}
	return parts
}

// conditional reports whether a word begins a condition; as if begins none.
func conditional(words []word, i int) bool {
	switch words[i].text {
	case "if", "when", "whenever":
		return i == 0 || words[i-1].text != "as"
	}
	return false
}

// conditionEnd returns the word that the clause of the if or when at from ends before.
func conditionEnd(words []word, from int) int {
	c := condition{long: from+1 < len(words) && subject(words[from+1]), second: len(words)}
	for i := from + 1; i < len(words); i++ {
		if c.ends(words[i]) || c.depth == 0 && addressed(words[i:]) {
			return i
		}
		if c.depth == 0 {
			c.verb(words, i)
		}
	}
	if before := skipBack(words, from); before < 0 || separates(words[before].text) || words[before].tag == "CC" {
		return c.second
	}
	return len(words)
}

// addressed reports whether a comma with a pronoun behind it comes next: if the client
// objects, you must stop.
func addressed(words []word) bool {
	return len(words) > 1 && words[0].text == "," && words[1].tag == "PRP"
}

// condition is what was read of a clause of if or when.
type condition struct {
	// long is a clause whose verb may come behind a comma.
	long bool
	// depth is that of parentheses, owed what clauses within are still to have.
	depth, owed int
	// verbs of the clause itself so far, and where the second one stands.
	verbs, second int
}

// ends reports whether the clause ends before a word that is a sign, or then.
func (c *condition) ends(w word) bool {
	switch w.text {
	case "(":
		c.depth++
	case ")":
		c.depth--
		return c.depth < 0
	case ";", ":", "-", "then":
		return c.depth == 0
	case ",":
		return c.depth == 0 && (c.verbs > 0 || !c.long)
	}
	return false
}

// verb counts a word that is a verb of the clause.
func (c *condition) verb(words []word, i int) {
	w := words[i]
	order := w.tag == "VB" && c.verbs == 1 && c.owed == 0 && ordered(words, i) // as in: if it is lost call the desk
	switch {
	case opens(w):
		c.owed++
	case finite(w.tag) && c.owed > 0:
		c.owed--
	case order || finite(w.tag) && !joined(words, i):
		if c.verbs++; c.verbs == 2 {
			c.second = i
		}
	}
}

// subject reports whether a clause that begins with a word may have its verb yet to
// come: if a, b or c is. Others are short: if needed, when in doubt.
func subject(w word) bool {
	return strings.HasPrefix(w.tag, "NN") || w.tag == "DT" || w.tag == "PRP" || w.tag == "PRP$"
}

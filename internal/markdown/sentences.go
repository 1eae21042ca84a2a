package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations do not end a sentence, though a full stop follows them.
var abbreviations = map[string]bool{}

func init() {
	for word := range strings.FieldsSeq("mr mrs ms dr prof st sr jr vs etc e.g i.e cf al approx no nos vol fig figs eq eqs sec ch pp p ed eds inc ltd co corp dept est " +
		"jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun a.m p.m u.s u.k ph.d resp incl excl max min art para") {
		abbreviations[word] = true
	}
}

// Quotation marks that open and close. A straight one does both.
const (
	opening = "“„«"
	closing = "”»"
)

// Sentences splits prose at the ends of its sentences: at a full stop, an
// exclamation or a question mark, or a blank line; not after a known
// abbreviation, inside a number, or inside quotation marks. The parts joined
// are the text; each keeps the white space behind it.
func Sentences(text string) []string {
	var parts []string
	s := scanner{text: text}
	for start := 0; start < len(text); {
		end := s.next(start)
		parts = append(parts, text[start:end])
		start = end
	}
	return parts
}

// maxQuotation is how long a quotation may be, in bytes, to be taken for one.
const maxQuotation = 2000

// maxDepth is how deep quotations stand in one another in written text. Behind it
// marks open and never close.
const maxDepth = 8

type scanner struct{ text string }

// next returns where the sentence that begins at start ends, its white space
// included. A quotation that is never closed counts as none.
func (s scanner) next(start int) int {
	if end, closed := s.find(start, true); closed {
		return end
	}
	end, _ := s.find(start, false)
	return end
}

// quoting is how deep a position stands in quotation marks.
type quoting struct {
	depth    int
	straight bool
}

// endless reports whether a quotation that stands open is none: it is too long by
// now, or too deep.
func (q quoting) endless(length int) bool {
	return length > maxQuotation && q.inside() || q.depth > maxDepth
}

func (q quoting) inside() bool { return q.depth > 0 || q.straight }

// take notes a mark and reports whether it closed the outermost quotation.
func (q *quoting) take(r rune) (closed bool) {
	switch {
	case r < utf8.RuneSelf && r != '"':
	case strings.ContainsRune(opening, r):
		q.depth++
	case strings.ContainsRune(closing, r):
		q.depth = max(0, q.depth-1)
		return q.depth == 0
	case r == '"':
		q.straight = !q.straight
		return !q.straight
	}
	return false
}

// find returns the end of the sentence from start. Unless quotes count it looks
// into quotations too. closed is false when a quotation went on to the end.
func (s scanner) find(start int, quotes bool) (end int, closed bool) {
	var q quoting
	for at := start; at < len(s.text); {
		r, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
		switch {
		case quotes && q.endless(at-start):
			return at, false
		case q.take(r):
			if s.endsBefore(at-size) && s.startsAfter(at) {
				return s.skipSpace(at), true
			}
		case r == '\n' && s.blankFrom(at):
			return s.skipSpace(at), true
		case strings.ContainsRune(".!?", r) && (!quotes || !q.inside()) && s.ends(start, at):
			return s.skipSpace(s.skipClosing(at)), true
		}
	}
	return len(s.text), !q.inside()
}

// blankFrom reports whether the line that begins at a position is blank.
func (s scanner) blankFrom(at int) bool {
	for ; at < len(s.text); at++ {
		if c := s.text[at]; c != ' ' && c != '\t' {
			return c == '\n'
		}
	}
	return false
}

// endsBefore reports whether a sentence ended just before a closing mark.
func (s scanner) endsBefore(at int) bool {
	return at > 0 && strings.ContainsRune(".!?", rune(s.text[at-1]))
}

// startsAfter reports whether what follows looks like another sentence.
func (s scanner) startsAfter(at int) bool {
	next := s.skipSpace(at)
	first, _ := utf8.DecodeRuneInString(s.text[next:])
	return next == len(s.text) || next > at && !unicode.IsLower(first)
}

// ends reports whether the mark just before at ends the sentence from start.
func (s scanner) ends(start, at int) bool {
	closed := s.skipClosing(at)
	next := s.skipSpace(closed)
	if next == closed && next < len(s.text) {
		return false // inside a number, a name of a file, an ellipsis
	}
	if s.text[at-1] != '.' {
		return true
	}
	word := s.wordBefore(start, at-1)
	first, size := utf8.DecodeRuneInString(word)
	if size == len(word) && unicode.IsUpper(first) && next < len(s.text) {
		return false // an initial
	}
	return !abbreviations[strings.ToLower(word)]
}

// longestWord is more than any abbreviation has, in bytes.
const longestWord = 32

// wordBefore returns the word before a position, its end where it is longer than any that
// matters.
func (s scanner) wordBefore(start, at int) string {
	word := s.text[max(start, at-longestWord):at]
	space := strings.LastIndexFunc(word, func(r rune) bool { return r == '(' || unicode.IsSpace(r) })
	if space < 0 {
		return word
	}
	_, size := utf8.DecodeRuneInString(word[space:])
	return word[space+size:]
}

func (s scanner) skipClosing(at int) int {
	for at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[at:])
		if !strings.ContainsRune(")]*_’'"+closing, r) {
			break
		}
		at += size
	}
	return at
}

func (s scanner) skipSpace(at int) int {
	for at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[at:])
		if !unicode.IsSpace(r) {
			break
		}
		at += size
	}
	return at
}

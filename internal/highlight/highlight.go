package highlight

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/markdown"
	"github.com/redline-svc/redline/internal/term"
)

// Most is how many ranges a text has at most.
const Most = 5

// Range is a part of a text in UTF-16 code units: from Start up to End, which is behind it.
type Range struct {
	Start, End int
}

// span is a part of a text in bytes, with the stems of the question that are in it.
type span struct {
	start, end int
	stems      []string
}

// Ranges returns the parts of a text to look at for a question, in their order and none over
// another: at most Most.
func Ranges(question, text string) []Range {
	asked := term.Stems(strings.ReplaceAll(question, "-", " "))
	words := sharedWords(text, asked)
	var spans []span
	if nearest, is := nearestSentence(text, words); is {
		spans = append(spans, nearest)
		words = slices.DeleteFunc(words, func(w span) bool { return w.start < nearest.end && nearest.start < w.end })
	}
	words = firstOfEach(words)
	spans = append(spans, words[:min(len(words), Most-len(spans))]...)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return inUnits(text, spans)
}

// sharedWords are the words of a text that have a stem of the question.
func sharedWords(text string, asked map[string]bool) []span {
	var found []span
	for at := 0; at < len(text); {
		start, end := nextWord(text, at)
		at = end
		w := span{start: start, end: end}
		for _, stem := range term.Keywords(text[start:end]) {
			if asked[stem] {
				w.stems = append(w.stems, stem)
			}
		}
		if len(w.stems) > 0 {
			found = append(found, w)
		}
	}
	return found
}

// nextWord returns the first word from a position on; an empty one at the end.
func nextWord(text string, at int) (start, end int) {
	start = strings.IndexFunc(text[at:], ofWord)
	if start < 0 {
		return len(text), len(text)
	}
	start += at
	end = start
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		next, _ := utf8.DecodeRuneInString(text[end+size:])
		if !ofWord(r) && (!apostrophe(r) || !ofWord(next)) {
			break
		}
		end += size
	}
	return start, end
}

func ofWord(r rune) bool { return unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) }

func apostrophe(r rune) bool { return r == '\'' || r == '’' }

// nearestSentence is the one with the most stems of the question; of equal ones the
// shortest, and the first of those. The only sentence of a text is it in any case.
func nearestSentence(text string, words []span) (span, bool) {
	all := sentences(text)
	best, next := -1, 0 // both are in their order
	for i := range all {
		for ; next < len(words) && words[next].end <= all[i].end; next++ {
			if words[next].start >= all[i].start {
				all[i].stems = append(all[i].stems, words[next].stems...)
			}
		}
		slices.Sort(all[i].stems)
		all[i].stems = slices.Compact(all[i].stems)
		if len(all[i].stems) > 0 && (best < 0 || nearer(all[i], all[best]) < 0) {
			best = i
		}
	}
	switch {
	case best >= 0:
		return all[best], true
	case len(all) == 1:
		return all[0], true
	default:
		return span{}, false
	}
}

func nearer(a, b span) int {
	return cmp.Or(cmp.Compare(len(b.stems), len(a.stems)), cmp.Compare(a.end-a.start, b.end-b.start))
}

// sentences are those of a text, without the white space around them. An item of a list and
// a row of a table are sentences of their own.
func sentences(text string) []span {
	var all []span
	at := 0
	for _, line := range lines(text) {
		numbered := false // "2." is no sentence but begins one
		for _, part := range markdown.Sentences(line) {
			trimmed := strings.TrimSpace(part)
			start := at + strings.Index(part, trimmed)
			at += len(part)
			if trimmed == "" {
				continue
			}
			if numbered {
				all[len(all)-1].end = start + len(trimmed)
			} else {
				all = append(all, span{start: start, end: start + len(trimmed)})
			}
			numbered = !strings.ContainsFunc(trimmed, unicode.IsLetter)
		}
	}
	return all
}

// lines cuts before lines that are items or rows; the parts joined are the text.
func lines(text string) []string {
	var parts []string
	from, at := 0, 0
	for line := range strings.Lines(text) {
		if at > 0 && ownLine(line) {
			parts = append(parts, text[from:at])
			from = at
		}
		at += len(line)
	}
	if from < at {
		parts = append(parts, text[from:])
	}
	return parts
}

// ownLine reports whether a line is an item of a list or a row of a table.
func ownLine(line string) bool {
	line = strings.TrimLeft(line, " \t")
	mark, _, found := strings.Cut(line, " ")
	number := strings.TrimRight(mark, ".)")
	numbered := number != mark && number != "" && strings.Trim(number, "0123456789") == ""
	return strings.HasPrefix(line, "|") || found && (mark == "-" || mark == "*" || mark == "+" || numbered)
}

// firstOfEach puts the first word of each stem before all that repeat one.
func firstOfEach(words []span) []span {
	seen := map[string]bool{}
	var first, again []span
	for _, w := range words {
		if slices.ContainsFunc(w.stems, func(stem string) bool { return !seen[stem] }) {
			first = append(first, w)
		} else {
			again = append(again, w)
		}
		for _, stem := range w.stems {
			seen[stem] = true
		}
	}
	return append(first, again...)
}

// inUnits counts spans, which are in their order, in UTF-16 code units. A byte that is no
// UTF-8 is one unit, as it becomes one character in JSON.
func inUnits(text string, spans []span) []Range {
	ranges := make([]Range, len(spans))
	units, at := 0, 0
	upTo := func(end int) int {
		for _, r := range text[at:end] {
			units += utf16.RuneLen(r)
		}
		at = end
		return units
	}
	for i, s := range spans {
		ranges[i].Start = upTo(s.start)
		ranges[i].End = upTo(s.end)
	}
	return ranges
}

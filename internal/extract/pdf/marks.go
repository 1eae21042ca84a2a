package pdf

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/numbering"
)

// symbolMark stands for a mark of a font of symbols.
const symbolMark = "•"

// symbolFonts are parts of the names of fonts that have no letters.
var symbolFonts = []string{"wingding", "webding", "dingbat", "opensymbol", "starsymbol"}

// symbol reports whether a row begins with a bullet that is one by its font: where the
// file does not say which character it means, any may stand for it. Word uses the letter o
// of Courier besides.
func (r reader) symbol(row []letter, seen []int) bool {
	first, next := row[seen[0]], row[seen[0]+1:]
	if m := markOf(string(first.char)); m.bullet || len(next) > 0 && !unicode.IsSpace(next[0].char) && unicode.IsLetter(first.char) {
		return false // it is one by its character, or a word
	}
	name, _ := r.font(first.index)
	among := func(parts ...string) func(string) bool {
		return func(name string) bool {
			return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
		}
	}
	of := among(symbolFonts...)
	if first.char == 'o' && !of(name) {
		of = among("courier")
	}
	if !of(name) || len(seen) == 1 && first.char == 'o' {
		return false
	}
	if len(seen) == 1 {
		return true
	}
	second, _ := r.font(row[seen[1]].index)
	return !of(second)
}

// mark is what an item of a list begins with.
type mark struct {
	text string
	// bullet says that it is none of those that count; dash that it may be a sign of the
	// text as well.
	bullet, dash bool
	// steps are the numbers and letters of one that counts, style what stands around them.
	steps []string
	style string
	// rare says that it is a mark beside others of its kind alone, and bare that it is a number
	// and nothing else.
	rare, bare bool
}

// box is one of a list of things to do, as plain text has it.
var box = regexp.MustCompile(`^\[[ xX]\]\s`)

// emptyBox is one that is not ticked.
const emptyBox = "[ ]"

// markOf is the mark that a text begins with; one without text is none.
func markOf(text string) mark {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return mark{}
	}
	if box.MatchString(text) {
		return mark{text: text[:len(emptyBox)], bullet: true}
	}
	next := ' '
	if size < len(text) {
		next, _ = utf8.DecodeRuneInString(text[size:])
	}
	if bullet, sign := numbering.Bullet(first, next); bullet {
		return mark{text: text[:size], bullet: true, dash: sign}
	}
	found, is := numbering.CountOf(text)
	if !is {
		return mark{}
	}
	m := mark{text: found.Text, steps: found.Steps, rare: found.Rare(), bare: found.Bare()}
	m.style = found.Open + numbering.Kind(m.steps[0]) + found.Close
	if len(m.steps) > 1 {
		m.style = found.Open + found.Between + "levels"
	}
	return m
}

// ticked reports whether a mark is a box, and whether that is ticked.
func (m mark) ticked() (isBox, ticked bool) {
	if strings.HasPrefix(m.text, "[") && m.bullet {
		return true, m.text != emptyBox
	}
	first, _ := utf8.DecodeRuneInString(m.text)
	return numbering.Box(first)
}

// named reports whether a mark may as well be the initial of a name, an abbreviation, or refer to
// something.
func (m mark) named() bool {
	return m.rare || len(m.steps) == 1 && !numbering.IsNumber(m.steps[0]) && strings.HasSuffix(m.text, ".")
}

// none reports whether there is no mark.
func (m mark) none() bool { return m.text == "" }

// follows reports whether a step comes next after another one of its kind.
func follows(before, step string) bool {
	if numbering.Kind(before) != numbering.Kind(step) {
		return false
	}
	for _, n := range numbering.Places(before) {
		if slices.Contains(numbering.Places(step), n+1) {
			return true
		}
	}
	return false
}

// firsts reports whether all steps are the first of their kind.
func firsts(steps []string) bool {
	return !slices.ContainsFunc(steps, func(s string) bool { return !numbering.First(s) })
}

// after reports whether steps come next after others: one more at some depth, or deeper.
func after(before, steps []string) bool {
	for depth := range steps {
		switch {
		case depth == len(before):
			return firsts(steps[depth:])
		case follows(before[depth], steps[depth]):
			return firsts(steps[depth+1:])
		case before[depth] != steps[depth]:
			return false
		}
	}
	return false
}

// lists knows the marks of a document.
type lists struct {
	// seen are those that a line begins with, anywhere.
	seen map[string]bool
	// last is the latest one of each style that began an item.
	last map[string][]string
}

func newLists(pages []page) *lists {
	l := &lists{seen: map[string]bool{}, last: map[string][]string{}}
	for _, p := range pages {
		for _, part := range p.parts {
			for _, line := range part {
				if m := markOf(line.text); m.steps != nil {
					l.seen[m.style+strings.Join(m.steps, ".")] = true
				}
			}
		}
	}
	return l
}

// began notes that an item began.
func (l *lists) began(m mark) {
	if m.steps != nil {
		l.last[m.style] = m.steps
	}
}

// expected reports whether a mark comes next in a list, or begins one.
func (l *lists) expected(m mark) bool {
	if firsts(m.steps) {
		return true
	}
	for _, last := range l.last {
		if after(last, m.steps) {
			return true
		}
	}
	return false
}

// counted reports whether some line begins with the mark before or behind one: a number
// alone in a document is the beginning of a sentence.
func (l *lists) counted(m mark) bool {
	depth := len(m.steps) - 1
	for _, n := range numbering.Places(m.steps[depth]) {
		for _, near := range []int{n - 1, n + 1} {
			for _, step := range numbering.Written(near, m.steps[depth]) {
				if l.seen[m.style+strings.Join(append(slices.Clone(m.steps[:depth]), step), ".")] {
					return true
				}
			}
		}
	}
	if depth == 0 {
		return false
	}
	return l.expected(m) && !firsts(m.steps)
}

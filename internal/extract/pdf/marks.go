package pdf

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/numbering"
)

// Bullets. What stands alone in the private use area is one as well: the fonts of symbols
// that word processors use have theirs there.
const (
	// bullets are nothing else when a space follows.
	bullets = "•◦‣∙⁃⦁⦿⦾⋄⁌⁍‧・◘"
	// glued need no space behind them.
	glued = "•▪●■"
	// dashes are bullets where a line begins for their sake, and else signs of the text.
	dashes = "·–—―-‐−*+∗⋆"
	// empty and ticked are boxes of a form or a list of things to do.
	empty, ticked = "☐", "☑☒"
)

// shapes are ranges of characters that are bullets when a space follows: arrows, geometric
// shapes, dingbats. circled are numbers and letters in circles, which stay as they are.
var (
	shapes = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x2190, Hi: 0x21ff, Stride: 1}, {Lo: 0x25a0, Hi: 0x27bf, Stride: 1}, {Lo: 0x2900, Hi: 0x297f, Stride: 1}, {Lo: 0x2b00, Hi: 0x2bff, Stride: 1},
	}}
	circled = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x2460, Hi: 0x24ff, Stride: 1}, {Lo: 0x2776, Hi: 0x2793, Stride: 1}}}
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
}

// counted are the marks that count, such as 1. (2) 3) 1.2.1 A. b) (iv) A.1 and 2.a).
var counted = regexp.MustCompile(`^(\(?)((?:[0-9]{1,3}|[A-Za-z]|[ivxl]{2,6}|[IVXL]{2,6})(?:\.(?:[0-9]{1,3}|[a-z]|[ivx]{2,5}))*)(\.?\)|\.)?(?:\s|$)`)

// markOf is the mark that a text begins with; one without text is none.
func markOf(text string) mark {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return mark{}
	}
	next, _ := utf8.DecodeRuneInString(text[size:])
	alone := size == len(text) || unicode.IsSpace(next)
	switch {
	case alone && (strings.ContainsRune(bullets, first) || unicode.In(first, shapes, circled)), strings.ContainsRune(glued, first) && next != first,
		unicode.Is(unicode.Co, first) && !unicode.Is(unicode.Co, next):
		return mark{text: text[:size], bullet: true}
	case alone && strings.ContainsRune(dashes, first):
		return mark{text: text[:size], bullet: true, dash: true}
	}
	found := counted.FindStringSubmatch(text)
	if found == nil {
		return mark{}
	}
	open, steps, closed := found[1], strings.Split(found[2], "."), found[3]
	m := mark{text: open + found[2] + closed, steps: steps, style: open + numbering.Kind(steps[0]) + strings.Repeat(".", len(steps)-1) + closed}
	if !m.counts(open, closed) {
		return mark{}
	}
	if len(steps) > 1 {
		m.style = open + "levels"
	}
	return m
}

// counts reports whether what looks like a mark is one: closed, but for several levels,
// of which one must be a number, since e.g. is none.
func (m mark) counts(open, closed string) bool {
	switch {
	case open != "" && !strings.HasSuffix(closed, ")"):
		return false
	case len(m.steps) == 1:
		return closed != "" && numbering.Places(m.steps[0]) != nil
	default:
		return slices.ContainsFunc(m.steps, numbering.IsNumber) && (numbering.IsNumber(m.steps[0]) || unicode.IsUpper(rune(m.steps[0][0])))
	}
}

// named reports whether a mark may as well be the initial of a name or an abbreviation.
func (m mark) named() bool {
	return len(m.steps) == 1 && !numbering.IsNumber(m.steps[0]) && strings.HasSuffix(m.text, ".")
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
	return !slices.ContainsFunc(steps, func(s string) bool { return !slices.Contains(numbering.Places(s), 1) })
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

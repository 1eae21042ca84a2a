package markdown

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/numbering"
)

// Mark is what an item of a list begins with.
type Mark struct {
	// Length is that of the mark with the white space around it, in bytes; 0 where there is
	// none.
	Length int
	// Ticked: a box to be ticked is part of it.
	Ticked bool
	// Bare: it is a number and nothing else.
	Bare bool

	// steps are the numbers and letters of a mark that counts, none of a bullet; style is
	// what stands around them.
	steps []string
	style string
	// closed says that a sign stands behind its steps, rare that it is a mark beside others of
	// its kind alone.
	closed, rare bool
}

// Marks knows which marks the lines and cells of a text begin with. Some are only marks
// beside others of their kind: A. may be an initial, and 2.5 a number.
type Marks struct{ seen map[string]bool }

// maxSeen is how many different marks of a text are known: more than lists have.
const maxSeen = 100_000

// MarksOf reads the marks of a text.
func MarksOf(text string) Marks {
	m := Marks{map[string]bool{}}
	for line := range strings.Lines(text) {
		if m.see(line); strings.Contains(line, "|") {
			for cell := range strings.SplitSeq(line, "|") {
				m.see(cell)
			}
		}
		if len(m.seen) > maxSeen {
			break
		}
	}
	return m
}

func (m Marks) see(line string) {
	found, rest := begin(line)
	if rest == "" {
		return
	}
	if len(found.steps) == 0 {
		if found, rest = begin(rest); rest == "" || len(found.steps) == 0 {
			return
		}
	}
	key := found.key(found.steps)
	m.seen[again+key] = m.seen[key]
	m.seen[key] = true
}

// again stands before the key of a mark that was seen twice.
const again = "again "

func (m Mark) key(steps []string) string { return m.style + strings.Join(steps, ".") }

// Of returns the mark that a line or cell begins with.
func (m Marks) Of(text string) Mark {
	mark, rest := begin(text)
	if mark.Length == 0 || !m.counts(mark, rest) {
		mark, rest = Mark{}, text
	}
	if inner, behind := begin(rest); mark.Length > 0 && len(mark.steps) == 0 && inner.closed && !inner.rare && m.counts(inner, behind) {
		mark.Length, rest = mark.Length+inner.Length, behind // a number behind a bullet
	}
	if box := tick.FindStringIndex(rest); box != nil {
		mark.Length += box[1]
		mark.Ticked = true
	}
	return mark
}

// boxes are marks to be ticked: what stands for a ticked one is one as well.
const boxes = numbering.Boxes + "✓✔"

// tick is a box, with text behind it.
var tick = regexp.MustCompile(`^[\s\p{Zs}]*(\[[ xX]\]|[` + boxes + `]\x{fe0f}?)[\s\p{Zs}]+`)

// letters are those under which symbol fonts have bullets, where a text has lost its fonts. A tab
// follows them, or a space where the text has several.
const letters = "o§Øüvqnlw"

// begin reads what may be a mark and returns the text behind it; a mark that has none is
// none.
func begin(text string) (Mark, string) {
	inner := strings.TrimLeftFunc(text, unicode.IsSpace)
	first, size := utf8.DecodeRuneInString(inner)
	behind := strings.TrimPrefix(inner[size:], "\ufe0f") // shows a symbol as a picture
	next, _ := utf8.DecodeRuneInString(behind)
	mark := Mark{}
	switch {
	case size == 0:
		return mark, ""
	case isBullet(first, next):
	case strings.ContainsRune(letters, first) && unicode.IsSpace(next) && first != utf8.RuneError && !numbered(inner):
		mark.steps = []string{inner[:size]}
		if mark.style = "symbol "; next == '\t' {
			mark.steps = nil
		}
	default:
		mark, behind = counted(inner)
	}
	rest := strings.TrimLeftFunc(behind, unicode.IsSpace)
	if rest == "" || rest == inner {
		return Mark{}, ""
	}
	mark.Length = len(text) - len(rest)
	return mark, rest
}

// numbered reports whether a text begins with a paragraph sign that has a number.
func numbered(text string) bool {
	found, is := numbering.CountOf(text)
	return is && found.Open != ""
}

// isBullet reports whether a character with another one behind it is a bullet, and no box.
func isBullet(first, next rune) bool {
	bullet, _ := numbering.Bullet(first, next)
	return bullet && !strings.ContainsRune(boxes, first)
}

// emphasis are the signs around what is set bold or slanted.
var emphasis = regexp.MustCompile(`^(?:\*{1,3}|_{1,3})`)

// counted reads a mark that counts, which may be emphasised, and returns the text behind it, all
// of it where there is none.
func counted(text string) (Mark, string) {
	sign := emphasis.FindString(text)
	if sign == "" {
		return count(text)
	}
	inner, _, closed := strings.Cut(text[len(sign):], sign)
	mark, behind := count(inner)
	if !closed || behind != "" || mark.steps == nil {
		return Mark{}, text
	}
	return mark, text[len(inner)+2*len(sign):]
}

// count reads a mark that counts and returns the text behind it, all of it where there is none.
func count(text string) (Mark, string) {
	found, is := numbering.CountOf(text)
	if !is {
		return Mark{}, text
	}
	mark := Mark{
		Bare: found.Bare(), steps: found.Steps, style: found.Open + numbering.Kind(found.Steps[0]) + strings.Trim(found.Between, ".") + found.Close,
		closed: found.Close != "", rare: found.Rare(),
	}
	if len(found.Steps) > 1 && (found.Glued || !mark.rare) {
		mark.style = levels
		if found.Close == "" {
			mark.style = bare
		}
	}
	return mark, text[len(found.Text):]
}

// Styles of marks of several levels, with and without a sign behind them.
const levels, bare = "levels. ", "levels "

// units follow numbers that are none of a list.
var units = map[string]bool{}

func init() {
	for unit := range strings.FieldsSeq("V W A K C F N J Hz kHz MHz GHz B KB MB GB TB KiB MiB GiB Mbit Gbit Mbps Gbps AM PM M MW GW kV MV Pa MPa EUR USD GBP CHF " +
		"January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec") {
		units[unit] = true
	}
}

// counts reports whether what a text with that rest begins with is a mark here. Capitals
// with a full stop are one beside others; so are numbers of several levels where a sentence
// could go on with them.
func (m Marks) counts(mark Mark, rest string) bool {
	if len(mark.steps) == 0 {
		return true
	}
	if mark.rare {
		return m.Beside(mark) && (mark.closed || begins(rest))
	}
	switch mark.style {
	case "symbol ":
		return m.seen[again+mark.key(mark.steps)]
	case "A.":
		return m.Beside(mark)
	case bare:
		return begins(rest) || m.Beside(mark)
	default:
		return true
	}
}

// begins reports whether a text is the beginning of a sentence, and not the unit of the number
// before it.
func begins(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	word, _, _ := strings.Cut(text, " ")
	capital := unicode.IsLetter(first) && !unicode.IsLower(first) || strings.ContainsRune("\"“„«'‘([*_`", first)
	return capital && !units[strings.TrimRight(word, ".,;")]
}

// Beside reports whether the text has the mark before or behind one as well, or one level
// above or below.
func (m Marks) Beside(mark Mark) bool {
	last := len(mark.steps) - 1
	if last < 0 {
		return true
	}
	for depth := last; depth >= 0; depth-- {
		for _, near := range neighbours(mark.steps[depth]) {
			if m.seen[mark.key(slices.Concat(mark.steps[:depth], []string{near}, mark.steps[depth+1:]))] {
				return true
			}
		}
		if !numbering.First(mark.steps[depth]) {
			break
		}
	}
	below := m.seen[mark.key(append(slices.Clone(mark.steps), "1"))]
	return below || last > 0 && m.seen[mark.key(mark.steps[:last])]
}

// First reports whether a mark is the first of its kind, or a bullet.
func (m Mark) First() bool {
	return len(m.steps) == 0 || len(m.steps) == 1 && numbering.First(m.steps[0])
}

// neighbours are the steps before and behind one, of its kind.
func neighbours(step string) []string {
	var near []string
	for _, at := range numbering.Places(step) {
		for _, place := range []int{at - 1, at + 1} {
			near = append(near, numbering.Written(place, step)...)
		}
	}
	return near
}

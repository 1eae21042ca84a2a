package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/requests"
)

const (
	// initialRatio is how much larger than what follows it a letter is set that
	// begins a text as an ornament.
	initialRatio = 1.6
	// nearInitial is how many lines before or behind it in the page's order the text
	// stands that it begins.
	nearInitial = 4
	// blankRatio is how wide at least the space behind an initial is that is a word, in
	// sizes of the type.
	blankRatio = 0.15
)

// withoutInitial parts a row behind a large first letter, if it has one. No text begins
// with one in lower case.
func (r reader) withoutInitial(row []letter) [][]letter {
	seen := visible(row)
	at := 0
	if len(seen) > at && unicode.In(row[seen[at]].char, unicode.Ps, unicode.Pi) {
		at++ // a quotation mark or bracket that is set as large
	}
	if len(seen) < at+2 || !unicode.IsLetter(row[seen[at]].char) || unicode.IsLower(row[seen[at]].char) || rightToLeft(row) {
		return [][]letter{row}
	}
	large, err := r.size(row[seen[at]].index)
	small, failed := r.size(row[seen[at+1]].index)
	if err != nil || failed != nil || large < initialRatio*small {
		return [][]letter{row}
	}
	cut := seen[at] + 1
	initial, rest := row[:cut:cut], row[cut:]
	if unicode.IsSpace(rest[0].char) && r.generated(rest[0].index) {
		rest = rest[1:] // PDFium takes the gap behind it for a space
	}
	return [][]letter{initial, rest}
}

// generated reports whether PDFium made a character that the file does not have.
func (r reader) generated(index int) bool {
	answer, err := r.instance.FPDFText_IsGenerated(&requests.FPDFText_IsGenerated{TextPage: r.page, Index: index})
	return err == nil && answer.IsGenerated
}

// joinInitials puts large first letters before the lines that they begin.
func joinInitials(lines []line) []line {
	gone := make([]bool, len(lines))
	for i, l := range lines {
		if !initial(l) {
			continue
		}
		if begun := beginsAt(lines, gone, i); begun >= 0 {
			lines[begun].text = l.text + gap(lines, begun) + lines[begun].text
			lines[begun].bold = lines[begun].bold && l.bold
			gone[i] = true
		}
	}
	var rest []line
	for i, l := range lines {
		if !gone[i] {
			rest = append(rest, l)
		}
	}
	return rest
}

// initial reports whether a line is one letter, which may have a mark before it.
func initial(l line) bool {
	text := strings.TrimLeftFunc(strings.TrimSpace(l.text), func(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pi) || r == '"' })
	only, size := utf8.DecodeRuneInString(text)
	return size > 0 && size == len(text) && unicode.IsLetter(only)
}

// beginsAt returns the line that the initial at i begins, or -1: the highest one near
// it that stands beside it.
func beginsAt(lines []line, gone []bool, i int) int {
	initial, found := lines[i], -1
	for j := max(0, i-nearInitial); j < min(len(lines), i+nearInitial+1); j++ {
		l := lines[j]
		beside := l.x >= initial.end-sameLine*l.size && l.x < initial.end+initial.size &&
			l.y > initial.y-sameLine*l.size && l.y < initial.y+initial.size
		if j == i || gone[j] || !beside || initial.size < initialRatio*l.size {
			continue
		}
		if found < 0 || l.y > lines[found].y {
			found = j
		}
	}
	return found
}

// gap is what stands between an initial and the line that it begins: a space where that
// begins farther in than the next line beside the initial.
func gap(lines []line, at int) string {
	if at+1 == len(lines) || strings.HasPrefix(lines[at].text, " ") {
		return ""
	}
	l, next := lines[at], lines[at+1]
	if math.Abs(l.size-next.size) < 1 && next.y < l.y && l.x-next.x > blankRatio*l.size && l.x-next.x < l.size {
		return " "
	}
	return ""
}

package table

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// format is the code of a number format that has been read: up to four sections, of
// which each number takes one, and text another.
type format struct {
	// numbers are the sections of numbers. words is that of text, nil where text is shown
	// as it is.
	numbers []section
	words   *section
}

// section is what a code says of some numbers.
type section struct {
	kind   kind
	pieces []piece
	// when it applies; always where there is no operator.
	when condition
	// negative: it is for negative numbers only, so it has the sign that they shall have.
	negative bool
}

type kind int

const (
	numberKind kind = iota
	dateKind
	durationKind
)

// condition compares a number with a limit.
type condition struct {
	operator string
	limit    float64
}

func (c condition) holds(value float64) bool {
	switch c.operator {
	case "<":
		return value < c.limit
	case "<=":
		return value <= c.limit
	case ">":
		return value > c.limit
	case ">=":
		return value >= c.limit
	case "=":
		return value == c.limit
	case "<>":
		return value != c.limit
	default:
		return true
	}
}

// piece is a part of a section.
type piece struct {
	kind pieceKind
	// text is what stands there: of a literal what it shows, of a run of letters of a
	// moment these in lower case, of other pieces their one sign.
	text string
}

type pieceKind int

const (
	literal pieceKind = iota
	digit             // 0, # or ?
	point             // the decimal point
	comma             // between digits, or behind the last one
	percent
	exponent // E+ or E-
	slash
	general
	words   // @
	moment  // a run of one letter of y, m, d, h, s and others, or AM/PM
	elapsed // such a run in brackets
)

// parse reads a code. One of nothing is the general format.
func parse(code string) *format {
	if strings.TrimSpace(code) == "" {
		code = "General"
	}
	f := &format{}
	var all []section
	for _, part := range splitCode(code) {
		all = append(all, readSection(part))
	}
	if last := len(all) - 1; last == 3 || all[last].has(words) {
		f.words, all = &all[last], all[:last]
	}
	f.numbers = all
	if len(all) == 0 {
		f.numbers = []section{plainly()}
	}
	f.conditions()
	return f
}

// splitCode divides a code at its semicolons, up to the fourth section.
func splitCode(code string) []string {
	var parts []string
	from, quoted := 0, false
	for i := 0; i < len(code); i++ {
		switch {
		case code[i] == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte(`\_*!`, code[i]) >= 0:
			i++
		case code[i] == ';' && len(parts) < 3:
			parts = append(parts, code[from:i])
			from = i + 1
		}
	}
	return append(parts, code[from:])
}

// conditions completes the conditions of sections: those without any are for positive
// numbers, negative ones and zero, in this order, or for what the others leave.
func (f *format) conditions() {
	n := len(f.numbers)
	for i := range f.numbers {
		s := &f.numbers[i]
		switch {
		case s.when.operator != "" || n == 1 || i == n-1:
		case i == 1:
			s.when = condition{"<", 0}
		case n == 2 && f.numbers[1].when.operator == "":
			s.when = condition{">=", 0}
		default:
			s.when = condition{">", 0}
		}
		s.negative = s.when.below() || i == 1 && s.when.operator == "" && f.numbers[0].when.above()
	}
}

// below reports whether a condition leaves no number but negative ones and zero, above the
// opposite of those at zero.
func (c condition) below() bool {
	return c.limit <= 0 && (c.operator == "<" || c.operator == "<=")
}

func (c condition) above() bool { return c.limit == 0 && strings.HasPrefix(c.operator, ">") }

// chosen returns the section of a number: the first that applies to it. Where none does, the
// general format shows it.
func (f *format) chosen(value float64) section {
	for _, s := range f.numbers {
		if s.when.holds(value) {
			return s
		}
	}
	return plainly()
}

// plainly is the section of the general format.
func plainly() section { return section{kind: numberKind, pieces: []piece{{kind: general}}} }

// text returns how the format shows a text.
func (f *format) text(text string) string {
	if f.words == nil {
		return text
	}
	var shown strings.Builder
	for _, p := range f.words.pieces {
		switch p.kind {
		case words, general:
			shown.WriteString(text)
		case literal:
			shown.WriteString(p.text)
		}
	}
	return shown.String()
}

func (s section) has(kind pieceKind) bool {
	for _, p := range s.pieces {
		if p.kind == kind {
			return true
		}
	}
	return false
}

// readSection reads the code of one section.
func readSection(code string) section {
	var s section
	for code != "" {
		code = code[s.piece(code):]
	}
	s.kind = s.kindOf()
	return s
}

// momentLetters begin parts of a date or time: those of the year, also of an era and
// in Buddhist years, of month, day, weekday, hour, and minute and second.
const momentLetters = "yebgmdahs"

// piece reads what a code begins with and returns its length.
func (s *section) piece(code string) int {
	lower := strings.ToLower(code)
	add := func(kind pieceKind, text string, length int) int {
		s.pieces = append(s.pieces, piece{kind, text})
		return length
	}
	switch first := code[0]; {
	case first == '"':
		text, _, _ := strings.Cut(code[1:], `"`)
		return add(literal, text, min(len(code), len(text)+2))
	case first == '\\', first == '!', first == '_', first == '*':
		return s.escaped(code)
	case first == '[':
		return s.bracket(code)
	case strings.HasPrefix(lower, "general"):
		return add(general, "", len("general"))
	case strings.HasPrefix(lower, "standard"): // as programs in some languages write it
		return add(general, "", len("standard"))
	case strings.HasPrefix(lower, "am/pm"), strings.HasPrefix(lower, "a/p"):
		return add(moment, "am/pm", strings.IndexByte(lower, 'p')+1+lettersOf(lower, "am/pm"))
	case (strings.HasPrefix(lower, "e+") || strings.HasPrefix(lower, "e-")) && s.has(digit):
		return add(exponent, code[1:2], 2)
	case strings.IndexByte(momentLetters, lower[0]) >= 0:
		run := len(lower) - len(strings.TrimLeft(lower, lower[:1]))
		return add(moment, lower[:run], run)
	}
	if kind, is := signs[code[0]]; is {
		return add(kind, code[:1], 1)
	}
	_, size := utf8.DecodeRuneInString(code)
	return add(literal, code[:size], size)
}

// lettersOf is one for the M of AM/PM, which A/P has not.
func lettersOf(lower, long string) int {
	if strings.HasPrefix(lower, long) {
		return 1
	}
	return 0
}

var signs = map[byte]pieceKind{'0': digit, '#': digit, '?': digit, '.': point, ',': comma, '%': percent, '/': slash, '@': words}

// escaped reads a sign and the character behind it: one that is shown as it is, one as
// wide as a space, or one that fills the cell, which shows nothing.
func (s *section) escaped(code string) int {
	_, size := utf8.DecodeRuneInString(code[1:])
	switch text := code[1 : 1+size]; code[0] {
	case '_':
		s.pieces = append(s.pieces, piece{literal, " "})
	case '\\', '!':
		s.pieces = append(s.pieces, piece{literal, text})
	}
	return 1 + size
}

// bracket reads what stands in brackets: a condition, a currency with its language, a
// count of hours, minutes or seconds; colours and the like show nothing.
func (s *section) bracket(code string) int {
	inside, _, closed := strings.Cut(code[1:], "]")
	lower := strings.ToLower(inside)
	switch {
	case !closed:
		s.pieces = append(s.pieces, piece{literal, "["})
		return 1
	case strings.HasPrefix(inside, "$"):
		currency, _, _ := strings.Cut(inside[1:], "-")
		s.pieces = append(s.pieces, piece{literal, currency})
	case inside != "" && strings.Trim(lower, lower[:1]) == "" && strings.ContainsAny(lower[:1], "hms"):
		s.pieces = append(s.pieces, piece{elapsed, lower})
	default:
		operator := inside[:len(inside)-len(strings.TrimLeft(inside, "<>="))]
		if limit, err := strconv.ParseFloat(strings.TrimSpace(inside[len(operator):]), 64); err == nil && operator != "" {
			s.when = condition{operator, limit}
		}
	}
	return len(inside) + 2
}

// kindOf returns what a section shows. What shows minutes or seconds without hours is a
// duration; a month alone is a date.
func (s section) kindOf() kind {
	var date, hours, seconds, months bool
	for _, p := range s.pieces {
		switch {
		case p.kind == elapsed:
			return durationKind
		case p.kind != moment:
		case p.text == "am/pm" || p.text[0] == 'h':
			hours = true
		case p.text[0] == 's':
			seconds = true
		case p.text == "m" || p.text == "mm":
			months = true
		default:
			date = true
		}
	}
	switch {
	case date, hours, months && !seconds:
		return dateKind
	case seconds:
		return durationKind
	default:
		return numberKind
	}
}

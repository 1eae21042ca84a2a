package table

import (
	"archive/zip"
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// texts are those that the cells of a workbook have in common, one behind the other.
type texts struct {
	all  []byte
	ends []int
}

// at returns the text of that number, empty where there is none.
func (t *texts) at(number int) string {
	if number < 0 || number >= len(t.ends) {
		return ""
	}
	from := 0
	if number > 0 {
		from = t.ends[number-1]
	}
	return string(t.all[from:t.ends[number]])
}

// readTexts reads the part that has them. A workbook may have none.
func readTexts(part *zip.File) (*texts, error) {
	t := &texts{}
	if part == nil {
		return t, nil
	}
	s := spoken{}
	err := visit(part, visitor{
		element: func(name string, begin *xml.StartElement) error {
			s.see(name, begin)
			if name == "si" && begin == nil {
				if len(t.ends) == maxStrings {
					return tooManyTexts()
				}
				t.ends = append(t.ends, len(t.all))
			}
			return nil
		},
		text: func(text []byte) {
			if s.reads() {
				t.all = append(t.all, text...)
			}
		},
	})
	return t, err
}

// spoken follows the elements of a text: what it says stands in t, but not in that of
// a note on how to speak it (rPh).
type spoken struct{ inText, inPhonetic bool }

func (s *spoken) see(name string, begin *xml.StartElement) {
	switch name {
	case "t":
		s.inText = begin != nil
	case "rPh":
		s.inPhonetic = begin != nil
	}
}

func (s *spoken) reads() bool { return s.inText && !s.inPhonetic }

// hidden are characters that XML cannot hold, as workbooks write them.
var hidden = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// revealed returns a text with the characters that are hidden in it.
func revealed(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	return hidden.ReplaceAllStringFunc(text, func(code string) string {
		unit, _ := strconv.ParseUint(code[2:6], 16, 16) // four digits, by the expression
		return string(utf16.Decode([]uint16{uint16(unit)}))
	})
}

// cellReader reads the cells of a sheet, row by row.
type cellReader struct {
	texts   *texts
	formats *formats
	// row takes each row that has a cell, with its number from 1.
	row func(number int, cells row) error

	position

	spoken spoken
	cells  row
	// kind and format are those of the current cell, value what it has.
	kind    string
	format  int
	inValue bool
	value   []byte
}

func (r *cellReader) visitor() visitor { return visitor{element: r.see, text: r.read} }

func (r *cellReader) read(text []byte) {
	if r.inValue || r.spoken.reads() {
		r.value = append(r.value, text...)
	}
}

func (r *cellReader) see(name string, begin *xml.StartElement) error {
	r.spoken.see(name, begin)
	r.position.see(name, begin)
	switch name {
	case "c":
		if begin == nil {
			r.add()
			return nil
		}
		r.kind, r.value = attribute(begin, "t"), r.value[:0]
		r.format, _ = strconv.Atoi(attribute(begin, "s")) // none is the first one
	case "v":
		if r.inValue = begin != nil; r.inValue {
			r.value = r.value[:0]
		}
	case "row":
		if begin == nil && len(r.cells) > 0 {
			cells := r.cells
			r.cells = nil
			return r.row(r.position.row, cells.sorted())
		}
	}
	return nil
}

// add keeps the cell that ended, if it shows anything.
func (r *cellReader) add() {
	if text := clean(r.shown(string(r.value))); text != "" {
		r.cells = append(r.cells, cell{column: r.column - 1, text: text})
	}
}

// shown is what the current cell shows whose value is that.
func (r *cellReader) shown(value string) string {
	if value == "" {
		return ""
	}
	switch r.kind {
	case "s":
		number, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return ""
		}
		return r.formats.text(r.format, revealed(r.texts.at(number)))
	case "inlineStr", "str":
		return r.formats.text(r.format, revealed(value))
	case "b":
		if strings.TrimSpace(value) == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "d":
		return r.formats.day(r.format, strings.TrimSpace(value))
	case "e":
		return value
	default:
		return r.formats.number(r.format, strings.TrimSpace(value))
	}
}

// position follows where in a sheet a cell stands, from 1.
type position struct{ row, column int }

func (p *position) see(name string, begin *xml.StartElement) {
	switch {
	case begin == nil:
	case name == "row":
		p.row++
		if number, err := strconv.Atoi(attribute(begin, "r")); err == nil && number >= p.row {
			p.row = number
		}
		p.column = 0
	case name == "c":
		p.column++
		if column, _, found := coordinates(attribute(begin, "r")); found {
			p.column = column
		}
	}
}

const (
	// maxColumns and maxRow are the last ones of a sheet, XFD1048576.
	maxColumns, maxRow = 16_384, 1_048_576
)

// coordinates reads the name of a cell, such as B12 or $B$12, as its column and row
// from 1.
func coordinates(name string) (column, row int, found bool) {
	name = strings.ReplaceAll(name, "$", "")
	letters := strings.TrimRight(name, "0123456789")
	if letters == "" || len(letters) > 3 {
		return 0, 0, false
	}
	for _, letter := range []byte(strings.ToUpper(letters)) {
		if letter < 'A' || letter > 'Z' {
			return 0, 0, false
		}
		column = column*26 + int(letter-'A') + 1
	}
	row, err := strconv.Atoi(name[len(letters):])
	return column, row, err == nil && row > 0 && row <= maxRow
}

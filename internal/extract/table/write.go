package table

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/redline-svc/redline/internal/extract"
)

// cell is one that is not empty, in the column of that number, from 0.
type cell struct {
	column int
	text   string
}

// row are its cells in the order of their columns.
type row []cell

// minCell is what a cell costs in markdown beside its text.
const minCell = len("| ")

// writer writes tables as markdown.
type writer struct{ text strings.Builder }

// heading begins what belongs to a name.
func (w *writer) heading(name string) {
	w.gap()
	w.text.WriteString("## " + heading(name) + "\n")
}

var (
	// closingMarks end a heading and are none of it, emphasis is read without its marks.
	closingMarks = regexp.MustCompile(`(^|[ \t])(#+)$`)
	emphasis     = regexp.MustCompile(`(^|[\s(])[*_].*[*_]|(\*\*|__).*(\*\*|__)`)
	escaping     = strings.NewReplacer("*", `\*`, "_", `\_`)
)

// heading returns a name as a heading that says the same. Most names stay as they are.
func heading(name string) string {
	if emphasis.MatchString(name) {
		name = escaping.Replace(name)
	}
	return closingMarks.ReplaceAllString(name, `$1\$2`)
}

func (w *writer) gap() {
	if w.text.Len() > 0 {
		w.text.WriteByte('\n')
	}
}

// table writes rows with those of their columns that are named, in that order. Where
// the first row is no header, one is invented.
func (w *writer) table(rows []row, columns []int) error {
	w.gap()
	if !isHeader(rows[0], len(columns)) {
		w.line(invented(columns), columns)
	} else {
		w.line(rows[0], columns)
		rows = rows[1:]
	}
	w.text.WriteString(strings.Repeat("| --- ", len(columns)) + "|\n")
	for _, r := range rows {
		if w.line(r, columns); w.text.Len() > extract.MaxText {
			return tooMuchText()
		}
	}
	return nil
}

func (w *writer) line(r row, columns []int) {
	next := 0
	for _, column := range columns {
		w.text.WriteString("| ")
		for next < len(r) && r[next].column < column {
			next++
		}
		if next < len(r) && r[next].column == column {
			escape(&w.text, r[next].text)
			w.text.WriteByte(' ')
		}
	}
	w.text.WriteString("|\n")
}

// escape writes a text in such a way that it does not end its cell.
func escape(to *strings.Builder, text string) {
	for {
		before, after, found := strings.Cut(text, "|")
		to.WriteString(before)
		if !found {
			return
		}
		to.WriteString(`\|`)
		text = after
	}
}

func tooMuchText() error {
	return extract.Fail(extract.TooLarge, "The file holds more than 20 MiB of text.")
}

func tooManyRows() error {
	return extract.Fail(extract.TooLarge, "The file has more than 200,000 rows.")
}

// isHeader reports whether a row names the columns of a table of that width: each
// one, each otherwise, and none by a number.
func isHeader(r row, width int) bool {
	if len(r) != width {
		return false
	}
	seen := make(map[string]bool, len(r))
	for _, c := range r {
		if seen[c.text] || isNumber(c.text) {
			return false
		}
		seen[c.text] = true
	}
	return true
}

var (
	// plainNumber is a number as people write it, with signs, separators of thousands, a
	// currency or a percent sign.
	plainNumber = regexp.MustCompile(`^\(?[-+−]?\s?\p{Sc}?\s?[-+−]?(\p{Nd}{1,3}([.,'’\s]\p{Nd}{2,3})*[.,'’\s]\p{Nd}{3}|\p{Nd}+)?([.,]\p{Nd}*)?` +
		`([eE][-+]?\p{Nd}+)?\s?[%‰]?\s?\p{Sc}?[-−]?\)?$`)
	// month is one of a year in digits, which could be a number.
	month = regexp.MustCompile(`^((0?[1-9]|1[0-2])[.,](19|20)[0-9]{2}|(19|20)[0-9]{2}[.,](0[1-9]|1[0-2]))$`)
)

// isNumber reports whether a text is a plain number. Dates and months are words: they
// name what stands below them.
func isNumber(text string) bool {
	return plainNumber.MatchString(text) && !month.MatchString(text) && strings.ContainsFunc(text, unicode.IsDigit)
}

// invented names columns by their numbers.
func invented(columns []int) row {
	names := make(row, len(columns))
	for i, column := range columns {
		names[i] = cell{column: column, text: "column " + strconv.Itoa(i+1)}
	}
	return names
}

// clean returns what a cell says in one line, and nothing where nothing is to be seen.
func clean(text string) string {
	if extract.Blank(text) {
		return ""
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		lines := strings.FieldsFunc(text, unicode.IsControl)
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		text = strings.Join(lines, " ")
	}
	return norm.NFC.String(strings.TrimSpace(text))
}

package table

import (
	"cmp"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/extract"
)

// advanceEvery is after how many rows a conversion shows that it goes on.
const advanceEvery = 1000

// CSV converts a file of rows. It calls advanced now and then.
func CSV(raw []byte, advanced func()) (extract.Document, error) {
	text, found, err := extract.Decode(raw)
	if err != nil {
		return extract.Document{}, err
	}
	if extract.Blank(text) {
		return extract.Document{}, noCells()
	}
	rows, width, err := read(text, advanced)
	if err != nil {
		return extract.Document{}, err
	}
	if len(rows) == 0 {
		return extract.Document{}, noCells()
	}
	columns := make([]int, width)
	for i := range columns {
		columns[i] = i
	}
	var w writer
	if err := w.table(rows, columns); err != nil {
		return extract.Document{}, err
	}
	return extract.Document{Markdown: w.text.String(), Metadata: found}, nil
}

// read reads the rows by the first delimiter by which the file can be read to its end.
// Where none is, the fault is that of the first.
func read(text string, advanced func()) (rows []row, width int, err error) {
	named, text := namedDelimiter(text)
	if named == nil {
		named = ranked(text)
	}
	for i, delimiter := range named {
		found, columns, fault := records(text, delimiter, advanced)
		if file := extract.AsFailure(fault); file == nil || file.Reason != extract.Corrupt {
			return found, columns, fault
		}
		if i == 0 {
			err = fault
		}
	}
	return nil, 0, err
}

// naming is a first line that names the delimiter, as spreadsheets write and read it;
// one that saved it as a row has put delimiters behind it.
var naming = regexp.MustCompile(`^(?i:"?sep=)([^"\r\n])"?[,;|\t ]*(\n|$)`)

// namedDelimiter returns the delimiter that the first line of a text names, and the text
// with that line empty, so that others keep their number; nothing where it names none.
func namedDelimiter(text string) (named []rune, rest string) {
	line := naming.FindStringSubmatch(text)
	if line == nil {
		return nil, text
	}
	delimiter, _ := utf8.DecodeRuneInString(line[1])
	if delimiter == utf8.RuneError {
		return nil, text
	}
	return []rune{delimiter}, line[2] + text[len(line[0]):]
}

func noCells() error {
	return extract.Fail(extract.Empty, "The file holds nothing but empty cells.")
}

// records returns the rows that have a cell, and how many columns the widest has.
func records(text string, delimiter rune, advanced func()) (rows []row, width int, err error) {
	r, size := newScanner(text, delimiter), 0
	for n := 0; ; n++ {
		record, err := r.next()
		if record == nil {
			return rows, width, err
		}
		if n%advanceEvery == 0 {
			advanced()
		}
		width = max(width, len(record))
		if width*minCell > extract.MaxText {
			return nil, 0, tooMuchText()
		}
		cells := filled(record)
		if len(cells) == 0 {
			continue
		}
		if rows = append(rows, cells); len(rows) > extract.MaxRows {
			return nil, 0, tooManyRows()
		}
		if size += cells.size(); size > extract.MaxText {
			return nil, 0, tooMuchText()
		}
	}
}

// filled returns the cells of a record that are not empty.
func filled(record []string) row {
	n := 0
	for i := range record {
		if record[i] = clean(record[i]); record[i] != "" {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	cells := make(row, 0, n)
	for i, text := range record {
		if text != "" {
			cells = append(cells, cell{column: i, text: text})
		}
	}
	return cells
}

// size is what a row has in markdown at least, in bytes.
func (r row) size() int {
	size := 0
	for _, c := range r {
		size += len(c.text) + minCell
	}
	return size
}

// delimiters are those that are looked for; of equally good ones the first is taken. The
// comma stands in texts and numbers too, so it is the last one.
var delimiters = []rune{';', '\t', '|', ','}

// sampleRows are so many rows of a file that its delimiter is found by.
const sampleRows = 50

// fewRows is the share of the first rows that a delimiter must cut alike; those that
// cut fewer are letters of the text.
const fewRows = 0.1

// ranked returns the delimiters that a file may have, first the one that cuts the first
// rows into the steadiest number of columns.
func ranked(text string) []rune {
	scores := map[rune]float64{}
	var may []rune
	for _, delimiter := range delimiters {
		if score := steadiness(text, delimiter); score > fewRows {
			scores[delimiter] = score
			may = append(may, delimiter)
		}
	}
	if len(may) == 0 {
		return delimiters[len(delimiters)-1:]
	}
	slices.SortStableFunc(may, func(a, b rune) int { return cmp.Compare(scores[b], scores[a]) })
	return may
}

// steadiness is the share of the first rows that have the most frequent number of
// columns beyond 1. Rows of one column, such as remarks before a table, say nothing of its
// delimiter.
func steadiness(text string, delimiter rune) float64 {
	r := newScanner(text, delimiter)
	counts := map[int]int{}
	rows, usual := 0, 0
	for rows < sampleRows {
		record, _ := r.next() // a fault ends what is looked at
		if record == nil {
			break
		}
		rows++
		columns := len(record)
		if columns == 1 {
			continue
		}
		counts[columns]++
		if counts[columns] > counts[usual] || counts[columns] == counts[usual] && columns > usual {
			usual = columns
		}
	}
	if usual == 0 {
		return 0
	}
	return float64(counts[usual]) / float64(rows)
}

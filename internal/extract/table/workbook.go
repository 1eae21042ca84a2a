package table

import (
	"bytes"
	"slices"

	"github.com/redline-svc/redline/internal/extract"
)

// Workbook converts a workbook. It calls advanced now and then.
func Workbook(file []byte, advanced func()) (extract.Document, error) {
	if bytes.HasPrefix(file, oleMark) {
		return extract.Document{}, oleFault(file)
	}
	files, err := unzip(file)
	if err != nil {
		return extract.Document{}, err
	}
	b, err := openBook(files)
	if err != nil {
		return extract.Document{}, err
	}
	if err := b.survey(advanced); err != nil {
		return extract.Document{}, err
	}
	text, err := b.text(advanced)
	if err != nil {
		return extract.Document{}, err
	}
	return extract.Document{Markdown: text, Metadata: extract.Metadata{Sheets: len(b.sheets)}}, nil
}

// survey surveys the sheets: what is too much, or damaged, is found before any is read.
func (b *book) survey(advanced func()) (err error) {
	for i := range b.sheets {
		advanced()
		s := &b.sheets[i]
		if s.part == nil {
			continue
		}
		if s.survey, err = look(s.part); err != nil {
			return malformed(err, "The sheet "+s.name+" is damaged.")
		}
	}
	return nil
}

// text returns the markdown of all sheets.
func (b *book) text(advanced func()) (string, error) {
	texts, err := readTexts(b.strings)
	if err != nil {
		return "", malformed(err, "The texts of the workbook are damaged.")
	}
	formats, err := readFormats(b.styles, b.date1904)
	if err != nil {
		return "", malformed(err, "The formats of the workbook are damaged.")
	}
	r := reading{advanced: advanced}
	for _, s := range b.sheets {
		if s.part == nil {
			continue
		}
		r.begin(s)
		cells := cellReader{texts: texts, formats: formats, row: r.row}
		if err := visit(s.part, cells.visitor()); err != nil {
			return "", malformed(err, "The sheet "+s.name+" is damaged.")
		}
		if err := r.finish(s.rows); err != nil {
			return "", err
		}
	}
	if r.rows == 0 {
		return "", noCells()
	}
	return r.writer.text.String(), nil
}

// reading gathers the tables of a workbook.
type reading struct {
	writer

	advanced func()
	// rows are those that had a cell so far, size what they have in markdown at least.
	rows, size int
	// title is the name of a sheet that has had no table yet.
	title string
	// number is that of the last row of the sheet that was read, from 1.
	number int
	merged merging
	// block are rows without an empty one between them.
	block []row
}

// begin begins with a sheet.
func (r *reading) begin(s sheet) {
	r.title, r.number, r.merged = s.name, 0, merging{left: s.merges}
}

// row takes a row that has a cell, and what merged cells make of the empty ones before it.
func (r *reading) row(number int, cells row) error {
	if err := r.upTo(number); err != nil {
		return err
	}
	if number%advanceEvery == 0 {
		r.advanced()
	}
	r.number = number
	return r.fill(cells)
}

// upTo takes the empty rows before a row. Behind the last one that merged cells fill,
// one stands for all.
func (r *reading) upTo(number int) error {
	for r.number+1 < number {
		filled := len(r.merged.active) > 0
		r.number++
		if err := r.fill(nil); err != nil {
			return err
		}
		if !filled {
			r.number = number - 1
		}
	}
	return nil
}

// fill adds the current row with what merged cells repeat in it.
func (r *reading) fill(cells row) error {
	cells = r.merged.fill(r.number, cells)
	if r.size += max(cells.size(), r.merged.spent); r.size > extract.MaxText {
		return tooMuchText()
	}
	return r.add(cells)
}

// finish takes the empty rows at the end of a sheet, up to the last one with a value.
func (r *reading) finish(last int) error {
	if err := r.upTo(last + 1); err != nil {
		return err
	}
	return r.end()
}

// add takes the next row; an empty one ends a table.
func (r *reading) add(cells row) error {
	if len(cells) == 0 {
		return r.end()
	}
	if r.rows++; r.rows > extract.MaxRows {
		return tooManyRows()
	}
	r.block = append(r.block, cells)
	return nil
}

// end writes the table that was gathered, with the columns that have a cell.
func (r *reading) end() error {
	if len(r.block) == 0 {
		return nil
	}
	if r.title != "" {
		r.heading(r.title)
		r.title = ""
	}
	used := map[int]bool{}
	var columns []int
	for _, cells := range r.block {
		for _, c := range cells {
			if !used[c.column] {
				used[c.column] = true
				columns = append(columns, c.column)
			}
		}
	}
	slices.Sort(columns)
	block := r.block
	r.block = nil
	return r.table(block, columns)
}

// merging repeats the values of merged cells, row by row.
type merging struct {
	left   []merge
	active []repeated
	// spent is what the repeated values of the last row would have in markdown if
	// each had a column of its own: it bounds how much work merges make.
	spent int
}

// repeated is a merge whose first row has been read.
type repeated struct {
	merge

	text string
}

// fill gives a row with the values of merged cells in each of their columns.
func (m *merging) fill(number int, cells row) row {
	for len(m.left) > 0 && m.left[0].top <= number {
		next := m.left[0]
		m.left = m.left[1:]
		if text := cells.at(next.left - 1); text != "" && next.top == number {
			m.active = append(m.active, repeated{next, text})
		}
	}
	m.spent = 0
	if len(m.active) == 0 {
		return cells
	}
	var kept []repeated
	for _, a := range m.active {
		for column := a.left - 1; column < a.right && m.spent <= extract.MaxText; column++ {
			cells = append(cells, cell{column, a.text})
			m.spent += len(a.text) + minCell
		}
		if a.bottom > number {
			kept = append(kept, a)
		}
	}
	m.active = kept
	return cells.sorted()
}

// at returns the text in a column.
func (r row) at(column int) string {
	i, found := slices.BinarySearchFunc(r, column, func(c cell, column int) int { return c.column - column })
	if !found {
		return ""
	}
	return r[i].text
}

// sorted returns the cells in the order of their columns, one of each.
func (r row) sorted() row {
	slices.SortStableFunc(r, func(a, b cell) int { return a.column - b.column })
	return slices.CompactFunc(r, func(a, b cell) bool { return a.column == b.column })
}

package table

import (
	"bytes"
	"slices"

	"github.com/xuri/excelize/v2"

	"github.com/redline-svc/redline/internal/extract"
)

// inMemory is how long the XML of a sheet, or of the texts of all cells, may be to be
// read in memory; longer ones are unpacked into a file.
const inMemory = 4 << 20

// Workbook converts a workbook. Files that it makes are in dir and left there. It
// calls advanced now and then.
func Workbook(file []byte, dir string, advanced func()) (extract.Document, error) {
	if bytes.HasPrefix(file, oleMark) {
		return extract.Document{}, oleFault(file)
	}
	b, f, err := surveyed(file, advanced)
	if err != nil {
		return extract.Document{}, err
	}
	name, err := b.pack(dir, f)
	if err != nil {
		return extract.Document{}, err
	}
	advanced()
	opened, err := excelize.OpenFile(name, excelize.Options{
		UnzipSizeLimit: 2 * extract.MaxUnpacked, UnzipXMLSizeLimit: inMemory, TmpDir: dir,
	})
	if err != nil {
		return extract.Document{}, corrupt("The file cannot be read as a workbook; it is damaged.")
	}
	defer func() { _ = opened.Close() }()
	text, err := b.text(opened, advanced)
	if err != nil {
		return extract.Document{}, err
	}
	return extract.Document{Markdown: text, Metadata: extract.Metadata{Sheets: len(b.sheets)}}, nil
}

// surveyed reads everything of a workbook but its rows.
func surveyed(file []byte, advanced func()) (*book, *formats, error) {
	files, err := unzip(file)
	if err != nil {
		return nil, nil, err
	}
	b, err := openBook(files)
	if err != nil {
		return nil, nil, err
	}
	if b.strings != nil {
		if err := countStrings(b.strings); err != nil {
			return nil, nil, malformed(err, "The texts of the workbook are damaged.")
		}
	}
	f, err := readFormats(b.styles)
	if err != nil {
		return nil, nil, malformed(err, "The formats of the workbook are damaged.")
	}
	for i := range b.sheets {
		advanced()
		s := &b.sheets[i]
		if s.part == nil {
			continue
		}
		if s.survey, err = look(s.part); err != nil {
			return nil, nil, malformed(err, "The sheet "+s.name+" is damaged.")
		}
	}
	return b, f, nil
}

// text returns the markdown of all sheets.
func (b *book) text(opened *excelize.File, advanced func()) (string, error) {
	r := reading{advanced: advanced}
	for i, s := range b.sheets {
		if s.part == nil {
			continue
		}
		if err := r.sheet(opened, sheetName(i), s); err != nil {
			return "", err
		}
	}
	if r.rows == 0 {
		return "", noCells()
	}
	return r.text.String(), nil
}

// reading gathers the tables of a workbook.
type reading struct {
	writer

	advanced func()
	// rows are those that had a cell so far, size what they have in markdown at least.
	rows, size int
	// title is the name of a sheet that has had no table yet.
	title string
	// block are rows without an empty one between them.
	block []row
}

// sheet reads the rows of a sheet.
func (r *reading) sheet(opened *excelize.File, name string, s sheet) error {
	rows, err := opened.Rows(name)
	if err != nil {
		return corrupt("The sheet " + s.name + " cannot be read.")
	}
	defer func() { _ = rows.Close() }()
	r.title = s.name
	merged := merging{left: s.merges}
	number := 1
	for ; number <= s.rows && rows.Next(); number++ {
		values, err := rows.Columns()
		if err != nil {
			return corrupt("The sheet " + s.name + " cannot be read.")
		}
		if number%advanceEvery == 0 {
			r.advanced()
		}
		cells := merged.fill(number, filled(values))
		if r.size += max(cells.size(), merged.spent); r.size > extract.MaxText {
			return tooMuchText()
		}
		if err := r.add(cells); err != nil {
			return err
		}
	}
	if rows.Error() != nil || number <= s.rows {
		return corrupt("The sheet " + s.name + " cannot be read.")
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
		if text := cells.at(next.left - 1); text != "" {
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
	slices.SortStableFunc(cells, func(a, b cell) int { return a.column - b.column })
	return slices.CompactFunc(cells, func(a, b cell) bool { return a.column == b.column })
}

// at returns the text in a column.
func (r row) at(column int) string {
	i, found := slices.BinarySearchFunc(r, column, func(c cell, column int) int { return c.column - column })
	if !found {
		return ""
	}
	return r[i].text
}

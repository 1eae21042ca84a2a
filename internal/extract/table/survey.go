package table

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/extract"
)

// survey is what must be known of a sheet before its rows are read.
type survey struct {
	// rows and columns are the last ones, from 1, with a value.
	rows, columns int
	// merges are the merged cells in the order of their first rows.
	merges []merge
}

// merge are cells that are shown as one. Rows and columns are from 1.
type merge struct{ top, left, bottom, right int }

const (
	// maxCells is how many cells may have a value: with the marks beside each, more
	// of them are more than 20 MiB of text.
	maxCells = extract.MaxText / (minCell + 2)
	// maxStrings is how many texts cells may have in common. Of two million different
	// ones most have seven letters and more, which are more than 20 MiB as well.
	maxStrings = 2_000_000
)

// look surveys a sheet, whose XML must be whole.
func look(part *zip.File) (survey, error) {
	var l looker
	err := walk(part, l.see)
	if err != nil {
		return survey{}, err
	}
	l.clip()
	return l.survey, nil
}

// looker follows the elements of a sheet.
type looker struct {
	survey

	position

	cells int
	// marked has the elements of merged cells, which stand behind the rows.
	marked []merge
}

func (l *looker) see(name string, begin *xml.StartElement) error {
	l.position.see(name, begin)
	if begin == nil {
		return nil
	}
	switch name {
	case "c":
		if l.column > maxColumns {
			return extract.Fail(extract.TooLarge, "A sheet has more than 16,384 columns.")
		}
	case "v", "is":
		l.rows, l.columns = max(l.rows, l.row), max(l.columns, l.column)
		if l.cells++; l.cells > maxCells {
			return extract.Fail(extract.TooLarge, "A sheet has more than five million cells.")
		}
	case "mergeCell":
		if m, ok := mergeOf(attribute(begin, "ref")); ok {
			l.marked = append(l.marked, m)
		}
	}
	return nil
}

// mergeOf reads a range such as A1:C2.
func mergeOf(ref string) (merge, bool) {
	var m merge
	var begins, ends bool
	from, to, _ := strings.Cut(ref, ":")
	m.left, m.top, begins = coordinates(from)
	m.right, m.bottom, ends = coordinates(to)
	return m, begins && ends && m.left <= m.right && m.top <= m.bottom
}

// clip leaves of merged cells what is within the cells with a value: whole rows are
// merged to have a title in the middle of the screen.
func (l *looker) clip() {
	for _, m := range l.marked {
		if m.top <= l.rows && m.left <= l.columns {
			m.bottom, m.right = min(m.bottom, l.rows), min(m.right, l.columns)
			l.merges = append(l.merges, m)
		}
	}
	slices.SortStableFunc(l.merges, func(a, b merge) int { return cmp.Compare(a.top, b.top) })
}

func tooManyTexts() error {
	return extract.Fail(extract.TooLarge, "The workbook has more than two million texts.")
}

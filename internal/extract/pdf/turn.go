package pdf

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// quarters are those of a full turn. slant stands for what is neither upright nor sideways, as
// stamps are; the page is not turned for it.
const (
	quarters = 4
	slant    = quarters
)

// turns returns by how many quarters the page must be turned clockwise so that text
// of it is upright, for each direction in which it has some, that of most words first and
// slanted text last: it lies across the other.
// A page's own rotation is none of it: what counts is how the text stands. One letter
// of a word is asked.
func (r reader) turns(plain string) ([]int, error) {
	rows, err := r.rows(plain)
	if err != nil {
		return nil, err
	}
	var words [quarters + 1]int
	for _, row := range rows {
		inWord := false
		for _, l := range row {
			seen := !unicode.IsSpace(l.char) && !unicode.IsControl(l.char)
			if seen && !inWord {
				words[r.turnedAt(l.index)]++
			}
			inWord = seen
		}
	}
	var turns []int
	for turn, count := range words {
		if count > 0 {
			turns = append(turns, turn)
		}
	}
	slices.SortStableFunc(turns, func(a, b int) int { return cmp.Or(a/slant-b/slant, words[b]-words[a]) })
	return turns, nil
}

// leaning is how far text may lean and be no slanted one, in quarters.
const leaning = 0.25

// turnedAt returns by how many quarters the page must be turned clockwise for a
// character to stand upright, or slant.
func (r reader) turnedAt(index int) int {
	angle, err := r.instance.FPDFText_GetCharAngle(&requests.FPDFText_GetCharAngle{TextPage: r.page, Index: index})
	if err != nil {
		return 0
	}
	turned := float64(angle.CharAngle) * quarters / (2 * math.Pi) // clockwise
	nearest := math.Round(turned)
	if math.Abs(turned-nearest) > leaning {
		return slant
	}
	return (quarters - int(nearest)%quarters) % quarters
}

// turn turns what is drawn on the page clockwise by quarters, and opens it again: PDFium
// finds lines where text is upright, and nowhere else as well.
func (s *sheet) turn(by int) error {
	by = (by + quarters) % quarters
	page := s.loaded()
	none := &requests.FPDFPage_SetRotation{Page: page, Rotate: enums.FPDF_PAGE_ROTATION_NONE}
	if _, err := s.instance.FPDFPage_SetRotation(none); err != nil {
		return err
	}
	if by > 0 {
		matrix, err := s.quarter(by)
		if err != nil {
			return err
		}
		if _, err := s.instance.FPDFPage_TransFormWithClip(&requests.FPDFPage_TransFormWithClip{Page: page, Matrix: &matrix}); err != nil {
			return err
		}
		if _, err := s.instance.FPDFPage_TransformAnnots(&requests.FPDFPage_TransformAnnots{Page: page, Transform: matrix}); err != nil {
			return err
		}
	}
	s.close()
	return s.open()
}

// quarter is the matrix that turns a page so and keeps it in the first quadrant.
func (s *sheet) quarter(by int) (structs.FPDF_FS_MATRIX, error) {
	width, err := s.instance.FPDF_GetPageWidth(&requests.FPDF_GetPageWidth{Page: s.loaded()})
	if err != nil {
		return structs.FPDF_FS_MATRIX{}, err
	}
	height, err := s.instance.FPDF_GetPageHeight(&requests.FPDF_GetPageHeight{Page: s.loaded()})
	if err != nil {
		return structs.FPDF_FS_MATRIX{}, err
	}
	w, h := float32(width.Width), float32(height.Height)
	return [quarters]structs.FPDF_FS_MATRIX{
		{A: 1, D: 1},
		{B: -1, C: 1, F: w},
		{A: -1, D: -1, E: w, F: h},
		{B: 1, C: -1, E: h},
	}[by], nil
}

// sunk is by how many sizes of the type a letter stands lower or higher than the one
// before it, where it is of another line.
const sunk = 0.6

// linesAlong reads the lines of a page on which text stands in several directions,
// of which only the upright one is kept, for which the page was turned so, or slanted text.
// PDFium may have put letters of the others among those of a line, or lines behind each
// other: each letter is measured.
func (r reader) linesAlong(turn int) ([]line, error) {
	plain, err := r.text()
	if err != nil {
		return nil, err
	}
	rows, err := r.rows(plain)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, row := range rows {
		pieces, err := r.along(row, turn/slant*slant)
		if err != nil {
			return nil, err
		}
		for _, piece := range pieces {
			if lines, err = r.add(lines, piece); err != nil {
				return nil, err
			}
		}
	}
	for i := range lines {
		lines[i].slanted = turn == slant
	}
	return logical(lines), nil
}

// along returns what stands so of a line: upright, parted where another line begins, or slanted.
func (r reader) along(row []letter, turn int) (pieces [][]letter, err error) {
	var piece []letter
	var below float64
	begun := false
	for _, l := range row {
		if unicode.IsSpace(l.char) || unicode.IsControl(l.char) {
			piece = append(piece, l)
			continue
		}
		if r.turnedAt(l.index) != turn {
			continue
		}
		_, y, err := r.origin(l.index)
		if err != nil {
			return nil, err
		}
		size, err := r.size(l.index)
		if err != nil {
			return nil, err
		}
		if begun && turn != slant && math.Abs(y-below) > sunk*size {
			pieces, piece = append(pieces, piece), nil
		}
		piece, below, begun = append(piece, l), y, true
	}
	if begun {
		pieces = append(pieces, piece)
	}
	return pieces, nil
}

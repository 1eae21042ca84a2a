package pdf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// line is a line of text as it is set on the page, in points. y is the
// baseline, growing upwards; x is where the line begins and end where it ends,
// growing in the direction in which it is read.
type line struct {
	text string
	size float64
	bold bool
	x, y float64
	end  float64
	// slanted says that it is neither upright nor sideways, as a stamp.
	slanted bool
	// fromRight says that most of its letters are read from the right. shown are the
	// letters of a line that has such, from left to right, until its page is read.
	fromRight bool
	shown     []cluster
}

// page is what one page holds: its lines or, where those cannot be measured,
// nothing but its plain text. Lines of one direction are a part of their own.
type page struct {
	plain string
	parts [][]line
	raw   bool
}

// readPage reads one page. A page that PDFium finds faulty counts as one
// without text: the others do not suffer for it. What else goes wrong with a
// page is a crash.
func readPage(instance pdfium.Pdfium, document references.FPDF_DOCUMENT, number int) (page, error) {
	s := &sheet{instance: instance, document: document, number: number}
	switch err := s.open(); {
	case errors.Is(err, pdfiumerrors.ErrPage):
		return page{raw: true}, nil
	case err != nil:
		return page{}, fmt.Errorf("%w: %w", errCrashed, err)
	}
	defer func() { s.close() }()
	plain, err := s.reader().text()
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", errCrashed, err)
	}
	p := page{plain: plain}
	if p.parts, err = s.parts(plain); err != nil {
		p.parts, p.raw = nil, true
		s.fields = readFields(instance, document, s.page)
	}
	p.withFields(s.fields)
	return p, nil
}

// sheet is a page of an open document.
type sheet struct {
	instance pdfium.Pdfium
	document references.FPDF_DOCUMENT
	number   int
	page     references.FPDF_PAGE
	text     references.FPDF_TEXTPAGE
	// fields are those of the page as its first part is turned.
	fields []field
}

func (s *sheet) open() error {
	loaded, err := s.instance.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: s.document, Index: s.number})
	if err != nil {
		return err
	}
	s.page = loaded.Page
	text, err := s.instance.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: s.loaded()})
	if err != nil {
		_, _ = s.instance.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: s.page})
		return err
	}
	s.text = text.TextPage
	return nil
}

func (s *sheet) close() {
	_, _ = s.instance.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: s.text})
	_, _ = s.instance.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: s.page})
}

func (s *sheet) loaded() requests.Page { return requests.Page{ByReference: &s.page} }

func (s *sheet) reader() reader { return reader{instance: s.instance, page: s.text} }

// parts reads the lines of each direction in which the page has text, the most
// frequent one first. Where all text is upright, as on nearly every page, there is
// nothing to turn.
func (s *sheet) parts(plain string) ([][]line, error) {
	turns, err := s.reader().turns(plain)
	if err != nil {
		return nil, err
	}
	rotated, err := s.instance.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: s.loaded()})
	if err != nil {
		return nil, err
	}
	if len(turns) == 0 || slices.Equal(turns, []int{0}) && rotated.PageRotation == enums.FPDF_PAGE_ROTATION_NONE {
		s.fields = readFields(s.instance, s.document, s.page)
		lines, err := s.reader().lines(plain)
		return [][]line{lines}, err
	}
	var parts [][]line
	turned := 0
	for i, turn := range turns {
		if err := s.turn(turn%quarters - turned); err != nil {
			return nil, err
		}
		turned = turn % quarters
		if i == 0 {
			s.fields = readFields(s.instance, s.document, s.page)
		}
		lines, err := s.reader().linesAlong(turn)
		if err != nil {
			return nil, err
		}
		parts = append(parts, lines)
	}
	return parts, nil
}

// reader reads the text of one page.
type reader struct {
	instance pdfium.Pdfium
	page     references.FPDF_TEXTPAGE
}

func (r reader) text() (string, error) {
	count, err := r.instance.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: r.page})
	if err != nil || count.Count <= 0 {
		return "", err
	}
	text, err := r.instance.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: r.page, Count: count.Count})
	if err != nil {
		return "", err
	}
	return strings.TrimRight(text.Text, "\x00"), nil
}

// letter is a character of a page, and which of PDFium's it is.
type letter struct {
	char  rune
	index int
	// x is where it stands, in a line with letters from right to left.
	x float64
}

// divides is what PDFium gives for the hyphen at the end of a line, which it joins
// with the next one.
const divides = '\ufffe'

// rows returns the letters of a text line by line, without those that nothing is
// visible in. PDFium counts in UTF-16 units, and leaves out of the text what it has
// no character for: so each line is looked up.
func (r reader) rows(plain string) ([][]letter, error) {
	var rows [][]letter
	var row []letter
	at := 0
	end := func() error {
		if len(visible(row)) > 0 {
			if err := r.locate(row); err != nil {
				return err
			}
			rows = append(rows, row)
		}
		row = nil
		return nil
	}
	for _, char := range plain {
		row = append(row, letter{char: char, index: at})
		at += utf16.RuneLen(char)
		if char == '\n' || char == divides {
			if err := end(); err != nil {
				return nil, err
			}
		}
	}
	return rows, end()
}

// locate makes PDFium's indices of characters of those in the text.
func (r reader) locate(row []letter) error {
	first := visible(row)[0]
	begin, err := r.instance.FPDFText_GetCharIndexFromTextIndex(&requests.FPDFText_GetCharIndexFromTextIndex{TextPage: r.page, NTextIndex: row[first].index})
	if err != nil {
		return err
	}
	off := begin.CharIndex - row[first].index
	for i := range row {
		row[i].index += off
	}
	return nil
}

// lines measures each line of an upright page.
func (r reader) lines(plain string) ([]line, error) {
	rows, err := r.rows(plain)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, row := range rows {
		if lines, err = r.add(lines, row); err != nil {
			return nil, err
		}
	}
	return logical(lines), nil
}

// add reads a line; a large first letter is one of its own.
func (r reader) add(lines []line, row []letter) ([]line, error) {
	for _, part := range r.withoutInitial(row) {
		l, err := r.line(part)
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// visible returns the positions of the visible characters.
func visible(row []letter) []int {
	var seen []int
	for i, l := range row {
		if !unicode.IsSpace(l.char) && !unicode.IsControl(l.char) {
			seen = append(seen, i)
		}
	}
	return seen
}

// line reads a line.
func (r reader) line(row []letter) (l line, err error) {
	seen := visible(row)
	if err := r.measure(&l, row, seen); err != nil {
		return l, err
	}
	if rightToLeft(row) {
		return l, r.look(&l, row)
	}
	l.text = spelled(row)
	if r.symbol(row, seen) {
		l.text = symbolMark + spelled(row[seen[0]+1:])
	}
	return l, nil
}

// spelled is the text of a row of letters.
func spelled(row []letter) string {
	var text strings.Builder
	for _, l := range row {
		text.WriteRune(l.char)
	}
	return strings.TrimRight(text.String(), "\r\n")
}

// sameHeight is how far two characters may stand apart in height and be of one line, in points.
const sameHeight = 0.1

// measure looks at the first, the middle and the last of the visible characters of a
// line: none of them alone says how it is set, since marks stand higher or lower, and are
// larger or smaller.
func (r reader) measure(l *line, row []letter, seen []int) (err error) {
	first, middle, last := row[seen[0]].index, row[seen[len(seen)/2]].index, row[seen[len(seen)-1]].index
	if l.x, l.y, err = r.origin(first); err != nil {
		return err
	}
	if l.y, err = r.height(l.y, middle, last); err != nil {
		return err
	}
	if l.size, err = r.size(middle); err != nil {
		return err
	}
	if l.end, err = r.right(last); err != nil {
		return err
	}
	l.bold = r.boldAt(middle) && r.boldAt(first) && r.boldAt(last)
	return nil
}

// height is that of most of three characters, of which the first one stands so high.
func (r reader) height(first float64, middle, last int) (float64, error) {
	_, second, err := r.origin(middle)
	if err != nil || math.Abs(second-first) < sameHeight {
		return first, err
	}
	_, third, err := r.origin(last)
	heights := []float64{first, second, third}
	slices.Sort(heights)
	return heights[1], err
}

// size is how large a character is set.
func (r reader) size(index int) (float64, error) {
	size, err := r.instance.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: r.page, Index: index})
	if err != nil {
		return 0, err
	}
	matrix, err := r.instance.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: r.page, Index: index})
	if err != nil {
		return 0, err
	}
	return size.FontSize * math.Hypot(float64(matrix.Matrix.C), float64(matrix.Matrix.D)), nil
}

// right is where a character ends.
func (r reader) right(index int) (float64, error) {
	box, err := r.instance.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.page, Index: index})
	if err != nil {
		return 0, err
	}
	return float64(box.Rect.Right), nil
}

// origin is where a character stands.
func (r reader) origin(index int) (x, y float64, err error) {
	origin, err := r.instance.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: r.page, Index: index})
	if err != nil {
		return 0, 0, err
	}
	return origin.X, origin.Y, nil
}

// boldAt reports whether a character is bold; one without a font is not.
func (r reader) boldAt(index int) bool {
	name, flags := r.font(index)
	return bold(name, flags)
}

// font is the name of a character's font, in lower case, and its flags.
func (r reader) font(index int) (name string, flags int) {
	font, err := r.instance.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: r.page, Index: index})
	if err != nil {
		return "", 0
	}
	return strings.ToLower(font.FontName), font.Flags
}

// boldNames are parts of the names of bold fonts; cmbx and cmssbx are those of
// Computer Modern.
var boldNames = []string{"bold", "black", "heavy", "cmbx", "cmssbx", "sfbx", "medi", "demi"}

// forceBold is the flag of a font descriptor (PDF 1.7, 9.8.2, bit 19).
const forceBold = 1 << 18

func bold(name string, flags int) bool {
	for _, part := range boldNames {
		if strings.Contains(name, part) {
			return true
		}
	}
	return flags&forceBold != 0
}

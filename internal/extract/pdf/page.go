package pdf

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/redline-svc/redline/internal/extract/attempt"
)

// line is a line of text as it is set on the page, in points. y is the
// baseline, growing upwards.
type line struct {
	text string
	size float64
	bold bool
	x, y float64
}

// page is what one page holds: its lines or, where those cannot be measured,
// nothing but its plain text.
type page struct {
	plain string
	lines []line
	raw   bool
}

// readPage reads one page. A page that PDFium finds faulty counts as one
// without text: the others do not suffer for it. What else goes wrong with a
// page is a crash.
func readPage(instance pdfium.Pdfium, document references.FPDF_DOCUMENT, number int) (page, error) {
	loaded, err := instance.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: document, Index: number})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPage):
		return page{raw: true}, nil
	case err != nil:
		return page{}, fmt.Errorf("%w: %w", attempt.ErrCrashed, err)
	}
	defer func() { _, _ = instance.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) }()
	text, err := instance.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &loaded.Page}})
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", attempt.ErrCrashed, err)
	}
	defer func() { _, _ = instance.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}) }()
	r := reader{instance: instance, page: text.TextPage}
	plain, err := r.text()
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", attempt.ErrCrashed, err)
	}
	p := page{plain: plain}
	if p.lines, err = r.lines(plain); err != nil {
		p.raw = true
	}
	p.withFields(readFields(instance, document, loaded.Page))
	return p, nil
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

// lines measures each line: where its first character stands, how its middle
// one is set, and whether it is bold from end to end.
func (r reader) lines(plain string) ([]line, error) {
	var lines []line
	at := 0
	for whole := range strings.SplitAfterSeq(plain, "\n") {
		runes := []rune(whole)
		if seen := visible(runes); len(seen) > 0 {
			l, err := r.line(runes, at, seen)
			if err != nil {
				return nil, err
			}
			lines = append(lines, l)
		}
		at += len(runes)
	}
	return lines, nil
}

// visible returns the positions of the visible characters.
func visible(runes []rune) []int {
	var seen []int
	for i, r := range runes {
		if !unicode.IsSpace(r) && !unicode.IsControl(r) {
			seen = append(seen, i)
		}
	}
	return seen
}

// line reads the line that begins at the text's character at.
func (r reader) line(runes []rune, at int, seen []int) (l line, err error) {
	begin, err := r.instance.FPDFText_GetCharIndexFromTextIndex(&requests.FPDFText_GetCharIndexFromTextIndex{TextPage: r.page, NTextIndex: at + seen[0]})
	if err != nil {
		return l, err
	}
	if runes, err = r.unfold(runes, seen[0], begin.CharIndex); err != nil {
		return l, err
	}
	l.text = strings.TrimRight(string(runes), "\r\n")
	return l, r.measure(&l, begin.CharIndex, seen)
}

// measure looks at the first, the middle and the last of the visible
// characters of a line; the first one is PDFium's character begin.
func (r reader) measure(l *line, begin int, seen []int) (err error) {
	first, middle, last := seen[0], seen[len(seen)/2], seen[len(seen)-1]
	if l.x, l.y, err = r.origin(begin); err != nil {
		return err
	}
	index := begin + middle - first
	size, err := r.instance.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: r.page, Index: index})
	if err != nil {
		return err
	}
	matrix, err := r.instance.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: r.page, Index: index})
	if err != nil {
		return err
	}
	l.size = size.FontSize * math.Hypot(float64(matrix.Matrix.C), float64(matrix.Matrix.D))
	l.bold = r.boldAt(index) && r.boldAt(begin) && r.boldAt(begin+last-first)
	return nil
}

// boldAt reports whether a character is bold; one without a font is not.
func (r reader) boldAt(index int) bool {
	font, err := r.instance.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: r.page, Index: index})
	return err == nil && bold(font.FontName, font.Flags)
}

// boldNames are parts of the names of bold fonts; cmbx and cmssbx are those of
// Computer Modern.
var boldNames = []string{"bold", "black", "heavy", "cmbx", "cmssbx", "sfbx", "medi", "demi"}

// forceBold is the flag of a font descriptor (PDF 1.7, 9.8.2, bit 19).
const forceBold = 1 << 18

func bold(name string, flags int) bool {
	name = strings.ToLower(name)
	for _, part := range boldNames {
		if strings.Contains(name, part) {
			return true
		}
	}
	return flags&forceBold != 0
}

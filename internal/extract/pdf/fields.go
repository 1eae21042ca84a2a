package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// field is what a form's field shows: its value and where its box stands, in points.
type field struct {
	text              string
	left, bottom, top float64
}

// readFields reads the values of a page's fields, which are no part of its text. One
// that PDFium cannot read is left out, as a viewer leaves it empty.
func readFields(instance pdfium.Pdfium, document references.FPDF_DOCUMENT, page references.FPDF_PAGE) []field {
	form, err := instance.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: document})
	if err != nil || form.FormType == enums.FPDF_FORMTYPE_NONE {
		return nil // its pages may have hundreds of links, which are annotations too
	}
	of := requests.Page{ByReference: &page}
	count, err := instance.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: of})
	if err != nil {
		return nil
	}
	var fields []field
	for i := range count.Count {
		opened, err := instance.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: of, Index: i})
		if err != nil {
			continue
		}
		if f, ok := readField(instance, opened.Annotation); ok {
			fields = append(fields, f)
		}
		_, _ = instance.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: opened.Annotation})
	}
	return fields
}

// written are the types of fields that a person writes in or chooses a text from.
var written = []string{"Tx", "Ch"}

// readField reads an annotation, if it is a field with a text.
func readField(instance pdfium.Pdfium, annotation references.FPDF_ANNOTATION) (field, bool) {
	kind, err := instance.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: annotation})
	if err != nil || kind.Subtype != enums.FPDF_ANNOT_SUBTYPE_WIDGET || hidden(instance, annotation) {
		return field{}, false
	}
	value := func(key string) string {
		answer, err := instance.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: annotation, Key: key})
		if err != nil {
			return ""
		}
		return clean(answer.Value)
	}
	text := value("V")
	box, err := instance.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: annotation})
	if text == "" || err != nil || !slices.Contains(written, value("FT")) {
		return field{}, false
	}
	return field{text: text, left: float64(box.Rect.Left), bottom: float64(box.Rect.Bottom), top: float64(box.Rect.Top)}, true
}

// hidden reports whether nobody sees an annotation.
func hidden(instance pdfium.Pdfium, annotation references.FPDF_ANNOTATION) bool {
	flags, err := instance.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: annotation})
	return err == nil && flags.Flags&(enums.FPDF_ANNOT_FLAG_HIDDEN|enums.FPDF_ANNOT_FLAG_NOVIEW) != 0
}

// withFields adds the fields of a page to its text, each behind its label.
func (p *page) withFields(fields []field) {
	if len(fields) == 0 {
		return
	}
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Or(cmp.Compare(b.top, a.top), cmp.Compare(a.left, b.left)) })
	var text strings.Builder
	text.WriteString(strings.TrimRight(p.plain, "\r\n"))
	for _, f := range fields {
		text.WriteString("\r\n" + f.text)
	}
	p.plain = text.String()
	if !p.raw {
		p.parts[0] = among(p.parts[0], fields)
	}
}

// among puts fields behind what stands left of them or, where nothing does, behind what
// stands next above them.
func among(lines []line, fields []field) []line {
	f := newFilling(lines)
	for _, each := range fields {
		f.place(each)
	}
	ordered := f.emit(nil, 0)
	return ordered[1:]
}

const (
	// rowsOfField is how many points of a field's height are looked at from its top.
	rowsOfField = 200
	// lately is how many of the fields placed last may be what another one stands behind.
	lately = 16
)

// filling is a page as its fields are placed.
type filling struct {
	// all are the lines, behind one that stands for the beginning of the page, and behind
	// them the fields.
	all []line
	// rows are the lines by their height in whole points, from left to right, and heights
	// all of them from the lowest one on.
	rows    map[int][]int
	heights []int
	// behind are the fields by what they stand behind.
	behind map[int][]int
	fields int
}

func newFilling(lines []line) *filling {
	f := &filling{all: append([]line{{}}, lines...), rows: map[int][]int{}, behind: map[int][]int{}}
	for i := range lines {
		f.heights = append(f.heights, i+1)
	}
	slices.SortStableFunc(f.heights, func(a, b int) int { return cmp.Or(cmp.Compare(f.all[a].x, f.all[b].x), cmp.Compare(a, b)) })
	for _, i := range f.heights {
		row := int(math.Floor(f.all[i].y))
		f.rows[row] = append(f.rows[row], i)
	}
	slices.SortFunc(f.heights, func(a, b int) int { return cmp.Or(cmp.Compare(f.all[a].y, f.all[b].y), cmp.Compare(b, a)) })
	return f
}

// place puts a field behind a line or another field.
func (f *filling) place(each field) {
	l := line{text: each.text, x: each.left, y: each.bottom, size: each.top - each.bottom}
	at := f.beside(each)
	switch {
	case at > 0:
		l.y, l.size = f.all[at].y, f.all[at].size
	default:
		if at = f.above(each); at > 0 {
			l.size = f.all[at].size
			l.y = max(each.top-l.size, each.bottom)
		}
	}
	l.end = l.x
	f.behind[at] = append(f.behind[at], len(f.all))
	f.all = append(f.all, l)
	f.fields++
}

// beside is what stands next left of a field, or 0.
func (f *filling) beside(each field) int {
	found := 0
	consider := func(i int) {
		if l := f.all[i]; l.y >= each.bottom && l.y <= each.top && l.x < each.left && (found == 0 || l.x >= f.all[found].x) {
			found = i
		}
	}
	top := math.Floor(each.top)
	for row := int(max(math.Floor(each.bottom), top-rowsOfField)); row <= int(top); row++ {
		inRow := f.rows[row]
		left, _ := slices.BinarySearchFunc(inRow, each.left, func(i int, x float64) int { return cmp.Compare(f.all[i].x, x) })
		for _, i := range inRow[max(0, left-lately):left] {
			consider(i)
		}
	}
	for i := len(f.all) - min(lately, f.fields); i < len(f.all); i++ {
		consider(i)
	}
	return found
}

// above is what stands next above a field, or 0.
func (f *filling) above(each field) int {
	found := 0
	at, _ := slices.BinarySearchFunc(f.heights, each.top, func(i int, y float64) int {
		if f.all[i].y > y {
			return 1
		}
		return -1
	})
	if at < len(f.heights) {
		found = f.heights[at]
	}
	for i := len(f.all) - min(lately, f.fields); i < len(f.all); i++ {
		if f.all[i].y > each.top && (found == 0 || f.all[i].y <= f.all[found].y) {
			found = i
		}
	}
	return found
}

// emit adds a line and what stands behind it, the latest first.
func (f *filling) emit(ordered []line, at int) []line {
	ordered = append(ordered, f.all[at])
	for _, i := range slices.Backward(f.behind[at]) {
		ordered = f.emit(ordered, i)
	}
	if at == 0 {
		for i := 1; i < len(f.all)-f.fields; i++ {
			ordered = f.emit(ordered, i)
		}
	}
	return ordered
}

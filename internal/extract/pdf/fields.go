package pdf

import (
	"cmp"
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
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Or(cmp.Compare(b.top, a.top), cmp.Compare(a.left, b.left)) })
	for _, f := range fields {
		p.plain = strings.TrimRight(p.plain, "\r\n") + "\r\n" + f.text
		if !p.raw {
			p.lines = f.among(p.lines)
		}
	}
}

// among puts a field behind what stands left of it or, where nothing does, behind what
// stands next above it.
func (f field) among(lines []line) []line {
	beside, above := -1, -1
	for i, l := range lines {
		switch {
		case l.y >= f.bottom && l.y <= f.top:
			if l.x < f.left && (beside < 0 || l.x >= lines[beside].x) {
				beside = i
			}
		case l.y > f.top && (above < 0 || l.y <= lines[above].y):
			above = i
		}
	}
	at, l := above, line{text: f.text, x: f.left, y: f.bottom, size: f.top - f.bottom}
	switch {
	case beside >= 0:
		at, l.y, l.size = beside, lines[beside].y, lines[beside].size
	case above >= 0:
		l.size = lines[above].size
		l.y = max(f.top-l.size, f.bottom)
	}
	return slices.Insert(lines, at+1, l)
}

package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// form is a PDF of one page of that content with these annotations.
func form(content string, annotations ...string) []byte {
	return fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] >> >> endobj\n2 0 obj << /Type /Pages /Kids [4 0 R] /Count 1 >> endobj\n"+
		"3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\n"+
		"4 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F 3 0 R >> >> /Annots [%s] >> endobj\n"+
		"5 0 obj << /Length %d >> stream\n%s\nendstream endobj\ntrailer << /Root 1 0 R /Size 6 >>\n%%%%EOF\n", strings.Join(annotations, " "), len(content), content)
}

// widget is a field with that value, box and whatever else its dictionary has.
func widget(kind, value, box, more string) string {
	return fmt.Sprintf("<< /Type /Annot /Subtype /Widget /FT /%s /V %s /Rect [%s] %s >>", kind, value, box, more)
}

// What was written into a form stands behind its label, or below what stands above it.
// What nobody sees, or is no text, is left out.
func TestValuesOfFieldsStandBehindTheirLabels(t *testing.T) {
	t.Parallel()
	document, err := convert(t, form("BT /F 12 Tf 50 700 Td (Name of the visitor:) Tj 0 -40 Td (Reason of the visit:) Tj 0 -100 Td (Thank you.) Tj ET",
		widget("Tx", "(A talk about the lease\rof the upper floor)", "50 580 400 650", ""),
		widget("Tx", "(Ann Example)", "200 695 400 715", ""),
		widget("Ch", "(of Example and Sons)", "410 695 580 715", ""),
		widget("Tx", "(nobody sees this)", "200 655 400 675", "/F 2"),
		widget("Btn", "/Yes", "410 655 430 675", ""),
		widget("Tx", "()", "440 655 460 675", ""),
		"<< /Type /Annot /Subtype /Link /Rect [50 695 100 715] >>"))
	require.NoError(t, err)
	require.Equal(t, "<!-- page 1 -->\n\nName of the visitor: Ann Example of Example and Sons\n\n"+
		"Reason of the visit:\n\nA talk about the lease of the upper floor\n\nThank you.\n", document.Markdown)
}

// A form whose labels are a picture has nothing but its values.
func TestAPageMayHaveNothingButFields(t *testing.T) {
	t.Parallel()
	document, err := convert(t, form("0 0 600 800 re f",
		widget("Tx", "(The second value of it)", "50 580 400 600", ""), widget("Tx", "(The first value of it)", "50 680 400 700", "")))
	require.NoError(t, err)
	require.Equal(t, "<!-- page 1 -->\n\nThe first value of it\n\nThe second value of it\n", document.Markdown)
	require.Zero(t, document.Metadata.PagesWithoutText)
}

// A running header that is drawn last stands above the text all the same, a footer
// below it.
func TestARunningHeaderComesFirst(t *testing.T) {
	t.Parallel()
	document, err := convert(t, several("", "BT /F 12 Tf 50 700 Td (Every door must be) Tj 0 -14 Td (locked at night and) Tj "+
		"0 -14 Td (windows too, also) Tj 0 -14 Td (those of the cellar.) Tj ET "+
		"BT /F 12 Tf 50 760 Td (House rules) Tj ET BT /F 12 Tf 50 40 Td (Page 1) Tj ET"))
	require.NoError(t, err)
	require.Equal(t, "<!-- page 1 -->\n\nHouse rules\n\nEvery door must be locked at night and windows too, also those of the cellar.\n\nPage 1\n", document.Markdown)
}

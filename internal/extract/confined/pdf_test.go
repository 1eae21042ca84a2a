package confined_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
)

func TestAPDFIsConvertedInAProcess(t *testing.T) {
	dir := inFolder(t)
	file, err := os.ReadFile("../pdf/testdata/files/a04-rotate-90.pdf")
	require.NoError(t, err)
	want, err := os.ReadFile("../pdf/testdata/files/a04-rotate-90.md")
	require.NoError(t, err)
	document, err := converter(extract.TypePDF).Convert(t.Context(), file)
	require.NoError(t, err)
	require.Equal(t, extract.Document{Markdown: string(want), Metadata: extract.Metadata{Pages: 1}}, document)
	_, err = converter(extract.TypePDF).Convert(t.Context(), file[:300])
	require.Equal(t, extract.Corrupt, reason(t, err))
	require.Empty(t, within(t, dir))
}

// nested is a PDF of a page that draws a form ten times, which draws another one ten times,
// and so on, until the last one draws a text: a few kilobytes that are 10^depth texts.
func nested(depth int) []byte {
	var file strings.Builder
	file.WriteString("%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [4 0 R] /Count 1 >> endobj\n" +
		"3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\n" +
		"4 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R /Resources << /XObject << /X 7 0 R >> >> >> endobj\n" +
		"6 0 obj << /Length 4 >> stream\n/X Do\nendstream endobj\n")
	for i := range depth {
		content := strings.Repeat("1 0 0 1 3 1 cm /X Do ", 10)
		if i == depth-1 {
			content = "BT /F 12 Tf (A text of twenty letters) Tj ET"
		}
		fmt.Fprintf(&file, "%d 0 obj << /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> /XObject << /X %d 0 R >> >> /Length %d >> stream\n%s\nendstream endobj\n",
			7+i, 8+i, len(content), content)
	}
	fmt.Fprintf(&file, "trailer << /Root 1 0 R /Size %d >>\n%%%%EOF\n", 7+depth)
	return []byte(file.String())
}

// A file that takes more than its share fails at its first try, and takes nothing else
// with it.
func TestLong_APDFThatMultipliesEndsAtItsLimits(t *testing.T) {
	dir := inFolder(t)
	_, err := converter(extract.TypePDF).Convert(t.Context(), nested(9))
	require.Equal(t, extract.Timeout, reason(t, err))
	require.Empty(t, within(t, dir))
}

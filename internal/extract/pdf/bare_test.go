package pdf

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/stretchr/testify/require"
)

// BenchmarkConverterAgainstPDFium gives the pages a second of the converter and
// those of PDFium asked for the text of each page and no more. Both take turns.
func BenchmarkConverterAgainstPDFium(b *testing.B) {
	c := started(b)
	names, err := filepath.Glob("testdata/*.pdf")
	require.NoError(b, err)
	files := make([][]byte, len(names))
	for i, name := range names {
		files[i], err = os.ReadFile(name)
		require.NoError(b, err)
		_, err = c.Convert(context.Background(), files[i], func() {}) // PDFium is started
		require.NoError(b, err)
	}
	var ours, bare time.Duration
	var pages int
	for b.Loop() {
		for _, file := range files {
			began := time.Now()
			document, err := c.Convert(context.Background(), file, func() {})
			require.NoError(b, err)
			ours += time.Since(began)
			pages += document.Metadata.Pages
			began = time.Now()
			plainPages(b, c, file)
			bare += time.Since(began)
		}
	}
	b.ReportMetric(float64(pages)/ours.Seconds(), "pages/s")
	b.ReportMetric(float64(pages)/bare.Seconds(), "bare-pages/s")
}

func plainPages(b *testing.B, c *Converter, file []byte) {
	b.Helper()
	instance, err := c.pool.GetInstance(time.Minute)
	require.NoError(b, err)
	defer func() { require.NoError(b, instance.Close()) }()
	document, err := instance.OpenDocument(&requests.OpenDocument{File: &file})
	require.NoError(b, err)
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: document.Document})
	require.NoError(b, err)
	for number := range count.PageCount {
		plainPage(b, instance, document.Document, number)
	}
}

// plainPage asks for all text of a page at once, the cheapest way there is.
func plainPage(b *testing.B, instance pdfium.Pdfium, document references.FPDF_DOCUMENT, number int) {
	b.Helper()
	page, err := instance.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: document, Index: number})
	require.NoError(b, err)
	text, err := instance.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &page.Page}})
	require.NoError(b, err)
	count, err := instance.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	require.NoError(b, err)
	_, err = instance.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text.TextPage, Count: count.Count})
	require.NoError(b, err)
	_, err = instance.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	require.NoError(b, err)
	_, err = instance.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page})
	require.NoError(b, err)
}

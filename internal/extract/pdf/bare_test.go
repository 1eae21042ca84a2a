package pdf

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/stretchr/testify/require"
)

// BenchmarkConverterAgainstPDFium gives the pages a second of the converter and
// those of PDFium asked for the text of each page and no more. Both take turns.
func BenchmarkConverterAgainstPDFium(b *testing.B) {
	c := New("")
	defer func() { require.NoError(b, c.Close()) }()
	names, err := filepath.Glob("testdata/*.pdf")
	require.NoError(b, err)
	files := make([][]byte, len(names))
	for i, name := range names {
		files[i], err = os.ReadFile(name)
		require.NoError(b, err)
		_, err = c.Convert(context.Background(), files[i]) // PDFium is started
		require.NoError(b, err)
	}
	var ours, bare time.Duration
	var pages int
	for b.Loop() {
		for _, file := range files {
			began := time.Now()
			document, err := c.Convert(context.Background(), file)
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
		page := requests.Page{ByIndex: &requests.PageByIndex{Document: document.Document, Index: number}}
		_, err := instance.GetPageText(&requests.GetPageText{Page: page})
		require.NoError(b, err)
	}
}

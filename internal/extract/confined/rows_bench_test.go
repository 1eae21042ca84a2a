package confined_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/redline-svc/redline/internal/extract"
)

// large is a workbook of so many rows as its maker writes it: texts, numbers and
// dates.
func large(b *testing.B, rows int) []byte {
	b.Helper()
	file := excelize.NewFile()
	defer func() { _ = file.Close() }()
	day, err := file.NewStyle(&excelize.Style{NumFmt: 14})
	require.NoError(b, err)
	writer, err := file.NewStreamWriter("Sheet1")
	require.NoError(b, err)
	require.NoError(b, writer.SetRow("A1", []any{"order", "customer", "article", "pieces", "price", "day", "state", "remark"}))
	for n := 2; n <= rows; n++ {
		require.NoError(b, writer.SetRow(fmt.Sprint("A", n), []any{
			n, fmt.Sprint("customer ", n%5000), fmt.Sprint("article ", n%900), n % 17, float64(n%1000) + 0.25,
			excelize.Cell{StyleID: day, Value: 40000 + n%3000},
			"shipped", fmt.Sprint("remark on order ", n),
		}))
	}
	require.NoError(b, writer.Flush())
	var content bytes.Buffer
	require.NoError(b, file.Write(&content))
	return content.Bytes()
}

// BenchmarkWorkbookOfTheMostRows converts a workbook of as many rows as are taken, and
// prints the greatest memory of the process that did so.
func BenchmarkWorkbookOfTheMostRows(b *testing.B) {
	file := large(b, extract.MaxRows)
	b.Logf("%d bytes", len(file))
	stop := watchMemory()
	for b.Loop() {
		document, err := converter(extract.TypeXLSX).Convert(b.Context(), file)
		require.NoError(b, err)
		require.Equal(b, extract.MaxRows+3, strings.Count(document.Markdown, "\n"))
	}
	_, child := stop()
	b.ReportMetric(float64(child)/(1<<20), "peak-MiB")
}

package pdf_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/pdf"
)

var converter *pdf.Converter

func TestMain(m *testing.M) {
	var err error
	if converter, err = pdf.New(""); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = converter.Close()
	os.Exit(code)
}

func convert(t testing.TB, file []byte) (extract.Document, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	return converter.Convert(ctx, file, func() {})
}

func TestStructureOfARealFile(t *testing.T) {
	file, err := os.ReadFile("testdata/xmlformat-tutorial.pdf")
	require.NoError(t, err)
	first, err := convert(t, file)
	require.NoError(t, err)
	require.Equal(t, 8, first.Metadata.Pages)
	require.Contains(t, first.Markdown, "<!-- page 8 -->")
	require.Regexp(t, `(?m)^# .*Tutorial`, first.Markdown)
	again, err := convert(t, file)
	require.NoError(t, err)
	require.Equal(t, first, again)
}

// small is a PDF of one page of that content.
func small(content string, encrypted bool) []byte {
	trailer := ""
	if encrypted {
		trailer = "/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4" +
			" /O <0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20>" +
			" /U <2102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20> >>"
	}
	return several(trailer, content)
}

// several is a PDF of one page for each content.
func several(trailer string, contents ...string) []byte {
	const first = 4
	var kids, pages strings.Builder
	for i, content := range contents {
		number := first + 2*i
		fmt.Fprintf(&kids, "%d 0 R ", number)
		fmt.Fprintf(&pages, "%d 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >> endobj\n"+
			"%d 0 obj << /Length %d >> stream\n%s\nendstream endobj\n", number, number+1, number+1, len(content), content)
	}
	return fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n"+
		"2 0 obj << /Type /Pages /Kids [%s] /Count %d >> endobj\n"+
		"3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\n%s"+
		"trailer << /Root 1 0 R /Size %d %s >>\n%%%%EOF\n", kids.String(), len(contents), pages.String(), first+2*len(contents), trailer)
}

func TestFaultsOfFilesHaveTheirReason(t *testing.T) {
	truncated, err := os.ReadFile("testdata/pytidylib.pdf")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		file   []byte
		reason string
	}{
		"encrypted":     {small("BT /F 12 Tf 50 700 Td (A text of more than twenty letters) Tj ET", true), extract.Encrypted},
		"scan":          {small("0 0 600 800 re f", false), extract.NoTextLayer},
		"few letters":   {small("BT /F 12 Tf 50 700 Td (12 34) Tj ET", false), extract.NoTextLayer},
		"truncated":     {truncated[:2000], extract.Corrupt},
		"nothing there": {[]byte("%PDF-1.4\n%%EOF"), extract.Corrupt},
		"pages":         {several("", slices.Repeat([]string{"0 0 600 800 re f"}, extract.MaxPages+1)...), extract.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := convert(t, c.file)
			require.NotNil(t, extract.AsFailure(err), "%v", err)
			require.Equal(t, c.reason, extract.AsFailure(err).Reason)
		})
	}
}

// Receivers learn from the sample of a failed ingest what a failure looks like.
func TestTheSampleOfAFailedIngestIsThatOfAScan(t *testing.T) {
	_, err := convert(t, small("0 0 600 800 re f", false))
	failure := extract.AsFailure(err)
	require.NotNil(t, failure, "%v", err)
	event, known := envelope.Find(envelope.IngestFailed)
	require.True(t, known)
	var sample struct {
		Error struct{ Code, Message string }
	}
	require.NoError(t, json.Unmarshal(event.Data, &sample))
	require.Equal(t, []string{failure.Reason, failure.Message}, []string{sample.Error.Code, sample.Error.Message})
}

func TestTextOfASmallFile(t *testing.T) {
	document, err := convert(t, small("BT /F 24 Tf 50 700 Td (Rules of the house) Tj /F 12 Tf 0 -40 Td (Every door must be locked at night, and the win-) Tj "+
		"0 -14 Td (dows closed.) Tj 0 -14 Td (\\267 No smoking.) Tj 0 -14 Td (\\267 No dogs.) Tj ET", false))
	require.NoError(t, err)
	require.Equal(t, "<!-- page 1 -->\n\n# Rules of the house\n\nEvery door must be locked at night, and the windows closed.\n\n"+
		"- No smoking.\n\n- No dogs.\n", document.Markdown)
	require.Zero(t, document.Metadata.PagesWithoutText)
}

// Pages without text are counted, and do no harm to the others.
func TestPagesWithoutTextAreCounted(t *testing.T) {
	t.Parallel()
	const drawing = "0 0 600 800 re f"
	document, err := convert(t, several("", drawing, "BT /F 12 Tf 50 700 Td (A text of more than twenty letters.) Tj ET", drawing))
	require.NoError(t, err)
	require.Equal(t, extract.Metadata{Pages: 3, PagesWithoutText: 2}, document.Metadata)
	require.Equal(t, "<!-- page 1 -->\n\n<!-- page 2 -->\n\nA text of more than twenty letters.\n\n<!-- page 3 -->\n", document.Markdown)
}

func TestCancelledConversionEnds(t *testing.T) {
	file, err := os.ReadFile("testdata/seed-library.pdf")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = converter.Convert(ctx, file, func() {})
	require.ErrorIs(t, err, context.Canceled)
	document, err := convert(t, file)
	require.NoError(t, err)
	require.NotEmpty(t, document.Markdown)
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/redline-svc/redline/tests/client"
)

// soundFile is a real file of a few pages; its beginning is a truncated one.
const (
	soundFile = "internal/extract/pdf/testdata/vnetbuild-manual.pdf"
	beginning = 20_000
)

// scannedPages are as many as a long contract has.
const scannedPages = 300

// scan is a PDF file whose pages have no text; with locked in its trailer it
// opens with a password only.
func scan(locked string) []byte {
	var kids, pages strings.Builder
	for page := range scannedPages {
		fmt.Fprintf(&kids, "%d 0 R ", page+3)
		fmt.Fprintf(&pages, "%d 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >> endobj\n", page+3)
	}
	return fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n"+
		"2 0 obj << /Type /Pages /Kids [%s] /Count %d >> endobj\n%strailer << /Root 1 0 R /Size %d %s >>\n%%%%EOF\n",
		kids.String(), scannedPages, pages.String(), scannedPages+3, locked)
}

// faultyFile is one that must fail for its reason.
type faultyFile struct {
	reason, mimeType string
	content          []byte
}

// benchFaultyFiles sends files in that cannot be converted, with a sound one
// behind them, and compares the slowest of their ends with the sound one's.
func benchFaultyFiles(ctx context.Context, r *rig) ([]row, error) {
	sound, err := os.ReadFile(soundFile)
	if err != nil {
		return nil, err
	}
	locked := fmt.Sprintf("/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>", strings.Repeat("01", 32), strings.Repeat("02", 32))
	files := []faultyFile{
		{"file-encrypted", pdfType, scan(locked)},
		{"file-corrupt", pdfType, sound[:beginning]},
		{"no-text-layer", pdfType, scan("")},
		{"empty-file", plainText, bytes.Repeat([]byte(" \n\t"), beginning)},
	}
	// One of its own: the library is put together in the other.
	w, err := client.CreateWorkspace(ctx, r.serve.URL, unique("faulty")+"@bench.example.com")
	if err != nil {
		return nil, err
	}
	sources := make([]string, len(files))
	for i, file := range files {
		if sources[i], err = accept(ctx, w, file.content, file.mimeType); err != nil {
			return nil, err
		}
	}
	last, err := accept(ctx, w, sound, pdfType)
	if err != nil {
		return nil, err
	}
	failed := make([]ingestion, len(files))
	for i, file := range files {
		if failed[i], err = r.ended(ctx, w, sources[i], "failed"); err != nil {
			return nil, err
		}
		if failed[i].FailureReason != file.reason {
			return nil, fmt.Errorf("a file should fail for %s and fails for %s", file.reason, failed[i].FailureReason)
		}
	}
	whole, err := r.ended(ctx, w, last, "completed")
	return []row{below(60, row{
		Name: "encrypted, truncated, scanned and blank files failed, the slowest", Unit: "s", Measured: slowest(failed),
		What: "a sound file behind them completed", Against: whole.seconds(),
	})}, err
}

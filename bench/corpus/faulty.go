package corpus

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// The MIME types of what is ingested.
const (
	PlainText = "text/plain"
	PDF       = "application/pdf"
)

// soundFile is a real file of a few pages; its beginning is a truncated one.
const (
	soundFile = "internal/extract/pdf/testdata/greenhouse.pdf"
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

// Faulty is a file that must fail for its reason.
type Faulty struct {
	Reason, MIMEType string
	Content          []byte
}

// FaultyFiles returns files that cannot be converted, and a sound PDF file. That one is
// read from the tree, so the working folder must be its root.
func FaultyFiles() (faulty []Faulty, sound []byte, err error) {
	if sound, err = os.ReadFile(soundFile); err != nil {
		return nil, nil, err
	}
	locked := fmt.Sprintf("/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>", strings.Repeat("01", 32), strings.Repeat("02", 32))
	return []Faulty{
		{"file-encrypted", PDF, scan(locked)},
		{"file-corrupt", PDF, sound[:beginning]},
		{"no-text-layer", PDF, scan("")},
		{"empty-file", PlainText, bytes.Repeat([]byte(" \n\t"), beginning)},
	}, sound, nil
}

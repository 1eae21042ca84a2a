package extract

import (
	"bytes"
	"errors"
	"unicode"
)

// Version counts changes in what the converters make of a file. It is stored
// with each converted version.
const Version = 3

// The types that are accepted, as they are declared.
const (
	TypePDF  = "application/pdf"
	TypeText = "text/plain"
	TypeCSV  = "text/csv"
	TypeXLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// Extension is that of a file of the type, with its dot.
func Extension(mimeType string) string {
	switch mimeType {
	case TypePDF:
		return ".pdf"
	case TypeCSV:
		return ".csv"
	case TypeXLSX:
		return ".xlsx"
	default:
		return ".txt"
	}
}

// Reasons why a file cannot be taken in.
const (
	Encrypted           = "file-encrypted"
	Corrupt             = "file-corrupt"
	NoTextLayer         = "no-text-layer"
	Empty               = "empty-file"
	UnsupportedEncoding = "unsupported-encoding"
	UnsupportedFormat   = "unsupported-format"
	TooLarge            = "file-too-large"
	Timeout             = "conversion-timeout"
)

// Bounds of what is taken in.
const (
	// MaxText is 20 MiB of canonical markdown.
	MaxText = 20 << 20
	// MaxPages of a PDF.
	MaxPages = 5000
	// MaxRows are those of a table, or of all tables of a workbook, that have a cell.
	MaxRows = 200_000
	// MaxUnpacked is what the parts of a workbook have together, 300 MiB.
	MaxUnpacked = 300 << 20
	// MinLetters is what all pages of a PDF hold at least, or it is a scan.
	MinLetters = 20
)

// Failure is a fault of the file.
type Failure struct { //nolint:errname // an error that is meant for people, with a reason word
	// Reason is one of the reasons above, Message a sentence for people.
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Error returns reason and message.
func (f *Failure) Error() string { return f.Reason + ": " + f.Message }

// Fail makes a Failure.
func Fail(reason, message string) error { return &Failure{Reason: reason, Message: message} }

// AsFailure finds the Failure in err, or returns nil.
func AsFailure(err error) *Failure {
	f, _ := errors.AsType[*Failure](err)
	return f
}

// Metadata is what a conversion says about the file; only what applies is set.
type Metadata struct {
	UsedRawFallback bool   `json:"usedRawFallback,omitempty"`
	Encoding        string `json:"encoding,omitempty"`
	// BadBytes counts the bytes that are none of the encoding that the file names.
	BadBytes         int `json:"badBytes,omitempty"`
	Pages            int `json:"pages,omitempty"`
	PagesWithoutText int `json:"pagesWithoutText,omitempty"`
	Sheets           int `json:"sheets,omitempty"`
}

// Document is what a conversion gives.
type Document struct {
	Markdown string   `json:"markdown"`
	Metadata Metadata `json:"metadata"`
}

// pdfMark stands within the first 1,024 bytes of a PDF: readers look so far for it.
var pdfMark = []byte("%PDF-")

// markWindow is how far into a file its mark may stand.
const markWindow = 1024

// Check reports whether bytes can be of the declared type. head is the begin of
// the file, at least 1,024 bytes of it or all. Of a workbook it must be all:
// CheckFile reads as much as it needs.
func Check(mimeType string, head []byte) bool {
	isPDF := bytes.Contains(head[:min(len(head), markWindow)], pdfMark)
	switch mimeType {
	case TypePDF:
		return isPDF
	case TypeText, TypeCSV:
		encoding := encodingOf(head)
		return encoding != "" && (!isPDF || encoding != western && !beginsAsPDF(head))
	case TypeXLSX:
		return bytes.HasPrefix(head, oleMark) || bytes.HasPrefix(head, zipMark) && isWorkbook(head)
	default:
		return false
	}
}

// beginsAsPDF distinguishes a PDF from a text that speaks of one: the mark is
// the first thing in it. Where something stands before the mark, the bytes
// behind it decide, which in a PDF are no text in a Unicode encoding.
func beginsAsPDF(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, markUTF8), " \t\r\n\f\x00"), pdfMark)
}

// binaryMarks begin files that are no text: ZIP, OLE, gzip, PNG, JPEG, GIF,
// ELF, 7z, RAR.
var binaryMarks = [][]byte{
	zipMark, []byte("PK\x05\x06"), oleMark, []byte("\x1f\x8b"), []byte("\x89PNG"),
	[]byte("\xff\xd8\xff"), []byte("GIF8"), []byte("\x7fELF"), []byte("7z\xbc\xaf\x27\x1c"), []byte("Rar!"),
}

// encodingOf returns the encoding of a text's head, or nothing of bytes that are no
// text in any known one.
func encodingOf(head []byte) string {
	for _, mark := range binaryMarks {
		if bytes.HasPrefix(head, mark) {
			return ""
		}
	}
	found := ""
	for cut := range partial(head) + 1 {
		_, read, err := decode(head[:len(head)-cut])
		if err == nil && read.Encoding != western {
			return read.Encoding // what seems western may be a character that was cut
		}
		found = max(found, read.Encoding)
	}
	return found
}

// partial is how many bytes at its end a head may have of a character that goes
// on behind it: 3 of the longest ones in UTF-8 and UTF-16; none in a whole file.
func partial(head []byte) int {
	if len(head) < markWindow {
		return 0
	}
	return 3
}

// letters counts the letters of a text.
func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

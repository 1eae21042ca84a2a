package confined

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/table"
)

const (
	// maxFile is how long a file may be: more than anybody may upload.
	maxFile = 64 << 20
	// memory is what the process may use in all, beside what it has at its start.
	memory = 512 << 20
	// easyMemory is what it uses before it makes an effort to use less.
	easyMemory = 192 << 20
)

// message is one that the process writes: what came of the file, or that the
// conversion goes on.
type message struct {
	Done     bool              `json:"done,omitempty"`
	Document *extract.Document `json:"document,omitempty"`
	Failure  *extract.Failure  `json:"failure,omitempty"`
}

// Serve converts the file that is read from in, of that type, and writes messages to
// out. It bounds the memory of the whole process, so it is all that a process does.
func Serve(mimeType string, in io.Reader, out io.Writer) error {
	if err := limitMemory(); err != nil {
		return fmt.Errorf("limit the memory: %w", err)
	}
	debug.SetMemoryLimit(easyMemory)
	file, err := io.ReadAll(io.LimitReader(in, maxFile))
	if err != nil {
		return err
	}
	writer := json.NewEncoder(out)
	writer.SetEscapeHTML(false)
	document, err := convert(mimeType, file, func() { _ = writer.Encode(message{}) })
	failure := extract.AsFailure(err)
	if err != nil && failure == nil {
		return err
	}
	return writer.Encode(message{Done: true, Document: &document, Failure: failure})
}

func convert(mimeType string, file []byte, advanced func()) (extract.Document, error) {
	switch mimeType {
	case extract.TypeCSV:
		return table.CSV(file, advanced)
	case extract.TypeXLSX:
		return table.Workbook(file, advanced)
	default:
		return extract.Document{}, fmt.Errorf("there is no converter of %s", mimeType)
	}
}

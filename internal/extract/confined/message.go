package confined

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/pdf"
	"github.com/redline-svc/redline/internal/extract/table"
)

const (
	// maxFile is how long a file may be: more than anybody may upload.
	maxFile = 64 << 20
	// memory is what the process may use in all, beside what it has at its start.
	memory = 768 << 20
	// leastTime is how much time of the processor each file may take, megabyteTime how much
	// more for each MiB, mostTime how much in all, beside what starting took.
	leastTime, megabyteTime, mostTime = 30 * time.Second, 10 * time.Second, 5 * time.Minute
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

// convert is a converter of files of one type. It calls advanced as it goes on.
type convert func(file []byte, advanced func()) (extract.Document, error)

// Serve converts the file that is read from in, of that type, and writes messages to
// out. It bounds memory and time of the whole process, so it is all that a process does.
func Serve(mimeType string, in io.Reader, out io.Writer) error {
	writer := json.NewEncoder(out)
	writer.SetEscapeHTML(false)
	advanced := func() { _ = writer.Encode(message{}) }
	convert, err := ready(mimeType, advanced)
	if err != nil {
		return err
	}
	if err := limitMemory(); err != nil {
		return fmt.Errorf("limit the memory: %w", err)
	}
	debug.SetMemoryLimit(easyMemory)
	file, err := io.ReadAll(io.LimitReader(in, maxFile))
	if err != nil {
		return err
	}
	if err := limitTime(timeFor(len(file))); err != nil {
		return fmt.Errorf("limit the time: %w", err)
	}
	document, err := convert(file, advanced)
	failure := extract.AsFailure(err)
	if err != nil && failure == nil {
		return err
	}
	return writer.Encode(message{Done: true, Document: &document, Failure: failure})
}

// startWatch is how often a process says that it still starts.
const startWatch = 5 * time.Second

// ready starts a converter. That takes long once on each machine, where PDFium has to be
// compiled, and no time of the file.
func ready(mimeType string, advanced func()) (convert, error) {
	type result struct {
		convert convert
		err     error
	}
	done := make(chan result, 1)
	go func() {
		convert, err := start(mimeType)
		done <- result{convert, err}
	}()
	for {
		select {
		case r := <-done:
			return r.convert, r.err
		case <-time.After(startWatch):
			advanced()
		}
	}
}

// start gets ready to convert files of a type.
func start(mimeType string) (convert, error) {
	switch mimeType {
	case extract.TypePDF:
		converter, err := pdf.New("")
		if err != nil {
			return nil, err
		}
		return func(file []byte, advanced func()) (extract.Document, error) {
			return converter.Convert(context.Background(), file, advanced)
		}, nil
	case extract.TypeCSV:
		return table.CSV, nil
	case extract.TypeXLSX:
		return table.Workbook, nil
	default:
		return nil, fmt.Errorf("there is no converter of %s", mimeType)
	}
}

// timeFor is how much time of the processor a file of so many bytes may take.
func timeFor(length int) time.Duration {
	return min(leastTime+time.Duration(length)*megabyteTime/(1<<20), mostTime)
}

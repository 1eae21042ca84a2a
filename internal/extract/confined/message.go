package confined

import (
	"cmp"
	"context"
	"encoding/gob"
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

// message is one that the process writes: why there is nothing of the file, or that what was made of it comes next, or that the
// conversion goes on. All is written as gob: a text takes as many bytes as it has, whatever stands in it, and is read without growing
// on the way.
type message struct {
	Done    bool
	Failure *extract.Failure
}

// convert is what makes something of a file. It calls advanced as it goes on.
type convert func(file []byte, advanced func()) (any, error)

// Task is what a process makes of a text besides converting it. Processor is what it may take
// of the processor, 0 for as much as a file of its size may.
type Task struct {
	Make      func(text string) (any, error)
	Processor time.Duration
}

// Serve converts the file that is read from in, of that type, or carries out the task of that
// name, and writes messages to out. It bounds memory and time of the whole process, so it is
// all that a process does.
func Serve(name string, tasks map[string]Task, in io.Reader, out io.Writer) error {
	writer := gob.NewEncoder(out)
	advanced := func() { _ = writer.Encode(message{}) }
	convert, err := ready(name, tasks, advanced)
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
	if err := limitTime(cmp.Or(tasks[name].Processor, timeFor(len(file)))); err != nil {
		return fmt.Errorf("limit the time: %w", err)
	}
	made, err := convert(file, advanced)
	if failure := extract.AsFailure(err); failure != nil {
		return writer.Encode(message{Done: true, Failure: failure})
	}
	if err != nil {
		return err
	}
	if err := writer.Encode(message{Done: true}); err != nil {
		return err
	}
	return writer.Encode(made)
}

// startWatch is how often a process says that it still starts.
const startWatch = 5 * time.Second

// ready starts a converter. That takes long once on each machine, where PDFium has to be
// compiled, and no time of the file.
func ready(name string, tasks map[string]Task, advanced func()) (convert, error) {
	type result struct {
		convert convert
		err     error
	}
	done := make(chan result, 1)
	go func() {
		convert, err := start(name, tasks)
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

// TypeMarkdown is the type of a text that is markdown.
const TypeMarkdown = "text/markdown"

// start gets ready to convert files of a type, or to carry out a task.
func start(name string, tasks map[string]Task) (convert, error) {
	if task, known := tasks[name]; known {
		return func(text []byte, _ func()) (any, error) { return task.Make(string(text)) }, nil
	}
	switch name {
	case extract.TypePDF:
		converter, err := pdf.New("")
		if err != nil {
			return nil, err
		}
		return func(file []byte, advanced func()) (any, error) {
			return converter.Convert(context.Background(), file, advanced)
		}, nil
	case extract.TypeCSV:
		return func(file []byte, advanced func()) (any, error) { return table.CSV(file, advanced) }, nil
	case extract.TypeXLSX:
		return func(file []byte, advanced func()) (any, error) { return table.Workbook(file, advanced) }, nil
	case extract.TypeText, TypeMarkdown:
		return func(file []byte, _ func()) (any, error) { return extract.Text(file) }, nil
	default:
		return nil, fmt.Errorf("there is no converter of %s", name)
	}
}

// timeFor is how much time of the processor a file of so many bytes may take.
func timeFor(length int) time.Duration {
	return min(leastTime+time.Duration(length)*megabyteTime/(1<<20), mostTime)
}

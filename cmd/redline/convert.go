package main

import (
	"context"
	"os"

	"github.com/redline-svc/redline/activities/ingestion"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/confined"
	knowledgerows "github.com/redline-svc/redline/models/knowledge"
)

// convertCommand is the name of the command that this program starts itself again with, for
// each file or text of a caller.
const convertCommand = "convert"

// runConvert carries out a task, such as a conversion, on the file that it reads. It is for
// this program only.
func runConvert(_ context.Context, args []string) error {
	if len(args) != 1 {
		return usageError("takes a task")
	}
	tasks := map[string]confined.Task{}
	for name, task := range knowledgerows.Tasks {
		tasks[name] = confined.Task(task)
	}
	return confined.Serve(args[0], tasks, os.Stdin, os.Stdout)
}

// newConfined is this program as what reads files and texts of callers in processes of their
// own.
func newConfined() (*confined.Program, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return confined.NewProgram(path, convertCommand), nil
}

// convertersBy are the converters of the types of files that are taken in.
func convertersBy(program *confined.Program) map[string]ingestion.Converter {
	converters := map[string]ingestion.Converter{}
	for _, mimeType := range []string{extract.TypePDF, extract.TypeCSV, extract.TypeXLSX, extract.TypeText, knowledgerows.TypeMarkdown} {
		converters[mimeType] = program.Converter(mimeType)
	}
	return converters
}

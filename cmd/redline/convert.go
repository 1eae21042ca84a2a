package main

import (
	"context"
	"os"

	"github.com/redline-svc/redline/activities/ingestion"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/confined"
)

// convertCommand is the name of the command that a worker starts for each file.
const convertCommand = "convert"

// runConvert converts the file that it reads. It is for workers only.
func runConvert(_ context.Context, args []string) error {
	if len(args) != 1 {
		return usageError("takes a type")
	}
	return confined.Serve(args[0], os.Stdin, os.Stdout)
}

// newConverters makes those of the types that are not plain text. They start this program
// again.
func newConverters() (map[string]ingestion.Converter, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	converters := map[string]ingestion.Converter{}
	for _, mimeType := range []string{extract.TypePDF, extract.TypeCSV, extract.TypeXLSX} {
		converters[mimeType] = confined.New(mimeType, program, convertCommand)
	}
	return converters, nil
}

package main

import (
	"context"
	"os"

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

// newTables makes the converters of tables, which start this program again.
func newTables() (csv, workbook *confined.Converter, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	return confined.New(extract.TypeCSV, program, convertCommand), confined.New(extract.TypeXLSX, program, convertCommand), nil
}

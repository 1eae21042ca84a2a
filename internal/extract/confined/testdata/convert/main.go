package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/confined"
)

func main() {
	if err := play(os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(mimeType string) error {
	switch mimeType {
	case "test/crashing":
		panic("a trap")
	case "test/hanging":
		select {}
	default:
		return confined.Serve(mimeType, map[string]confined.Task{"test/nosy": {Make: variables}}, os.Stdin, os.Stdout)
	}
}

// variables are those of the process.
func variables(string) (any, error) {
	return extract.Document{Markdown: strings.Join(os.Environ(), " ")}, nil
}

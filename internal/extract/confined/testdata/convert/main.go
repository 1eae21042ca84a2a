package main

import (
	"fmt"
	"os"
	"strings"

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
	case "test/nosy":
		fmt.Printf(`{"done":true,"document":{"markdown":%q}}`, strings.Join(os.Environ(), " "))
		return nil
	default:
		return confined.Serve(mimeType, nil, os.Stdin, os.Stdout)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

func main() {
	names, err := read(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	text := strings.Join(names, "\n") + "\n"
	if err := os.WriteFile("domains.txt", []byte(text), 0o600); err != nil { //nolint:gosec // its text comes from the files named by the person who runs it
		log.Fatal(err)
	}
}

func read(files []string) ([]string, error) {
	var names []string
	for _, file := range files {
		data, err := os.ReadFile(file) //nolint:gosec // the files are named by the person who runs it
		if err != nil {
			return nil, err
		}
		var listed []string
		if err := json.Unmarshal(data, &listed); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, name := range listed {
			ascii, err := idna.ToASCII(strings.ToLower(name))
			if err != nil {
				return nil, fmt.Errorf("%s: %q: %w", file, name, err)
			}
			names = append(names, ascii)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

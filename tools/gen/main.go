package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/redline-svc/redline/api"
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/telemetry"
)

// documentFile is where the document is kept, from the root of the project.
const documentFile = "clients/openapi.json"

// publicURL is the address in the document: that of a service on this machine.
const publicURL = "http://127.0.0.1:8080"

// printed is what each word prints, made from the document.
var printed = map[string]func([]byte) ([]byte, error){
	"schemas": schemas, "comparable": stripped, "go": goMethods, "typescript": typescriptMethods,
	"python": pythonMethods(false), "python-async": pythonMethods(true),
}

// written are the words that write files.
var written = map[string]func() error{"document": writeDocument, "freeze": freeze}

const words = "document, freeze, comparable, schemas, go, typescript, python, python-async"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("one of " + words)
	}
	if writes, is := written[args[0]]; is {
		return writes()
	}
	text, err := os.ReadFile(documentFile)
	if err != nil {
		return err
	}
	write, is := printed[args[0]]
	if !is {
		return fmt.Errorf("%s is none of %s", args[0], words)
	}
	made, err := write(text)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(made)
	return err
}

func writeDocument() error {
	text, err := published()
	if err != nil {
		return err
	}
	return writeFile(documentFile, text)
}

func writeFile(name string, text []byte) error {
	return os.WriteFile(name, text, 0o644) //nolint:gosec // a file of the tree, for everybody
}

// published returns the document that a service with this tree's table of routes publishes.
func published() ([]byte, error) {
	server, err := rpc.NewServer(rpc.Options{
		Telemetry: telemetry.NewMetrics(), Log: slog.New(slog.DiscardHandler), PublicURL: publicURL,
	}, api.Routes(api.Handlers{}))
	if err != nil {
		return nil, err
	}
	text, err := server.Document()
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var document object
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	text, err = json.MarshalIndent(document, "", " ")
	return append(text, '\n'), err
}

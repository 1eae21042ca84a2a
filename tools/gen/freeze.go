package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tables "github.com/redline-svc/redline/models/schema"
)

// What a release keeps, from the root of the project: the sums of its schema and of the
// histories that it replays, its document as compressed JSON, and its commit.
const (
	sumsFile     = "models/schema/released.sum"
	histories    = "workflows/testdata/histories/"
	releasedFile = "clients/released.json.gz"
	previousFile = "deploy/previous"
)

// freeze records schema, document and commit as those of a release: the tests hold the next
// one against them.
func freeze() error {
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	document, err := published()
	if err != nil {
		return err
	}
	plain, err := stripped(document)
	if err != nil {
		return err
	}
	packed, err := compressed(plain)
	if err != nil {
		return err
	}
	replayed, err := sumsOfHistories()
	if err != nil {
		return err
	}
	sums := strings.Join(tables.Sums(), "\n") + "\n"
	for name, text := range map[string][]byte{
		sumsFile: []byte(sums), histories + "released.sum": []byte(replayed), releasedFile: packed, previousFile: commit,
	} {
		if err := writeFile(name, text); err != nil {
			return err
		}
	}
	return nil
}

// sumsOfHistories has a line for each recorded history: its SHA-256 and its name.
func sumsOfHistories() (string, error) {
	names, err := filepath.Glob(histories + "*.json")
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&lines, "%x %s\n", sha256.Sum256(text), filepath.Base(name))
	}
	return lines.String(), nil
}

func compressed(text []byte) ([]byte, error) {
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := writer.Write(text); err != nil {
		return nil, err
	}
	err = writer.Close()
	return packed.Bytes(), err
}

// stripped returns the document without its examples, and with a name for each shape that is
// one of several: two documents are compared by names, and without one such a shape counts as
// another as soon as anything below it has a further field.
func stripped(text []byte) ([]byte, error) {
	var document object
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	components, _ := document["components"].(object)
	shapes, _ := components["schemas"].(object)
	named := object{}
	for name, shape := range shapes {
		nameChoices(shape, name, named)
	}
	maps.Copy(shapes, named)
	withoutExamples(document)
	return json.Marshal(document)
}

// nameChoices gives the kinds of a choice below value names, and puts them into named.
func nameChoices(value any, name string, named object) {
	switch value := value.(type) {
	case object:
		for key, inner := range value {
			nameChoices(inner, name+"."+key, named)
			if kinds, many := inner.([]any); many && (key == "oneOf" || key == "anyOf") {
				nameKinds(kinds, name+"."+key, named)
			}
		}
	case []any:
		for i, inner := range value {
			nameChoices(inner, fmt.Sprint(name, ".", i), named)
		}
	}
}

// nameKinds names those that have an inside.
func nameKinds(kinds []any, name string, named object) {
	for i, kind := range kinds {
		of, _ := kind.(object)
		if of["items"] == nil && of["properties"] == nil && of["additionalProperties"] == nil {
			continue
		}
		called := fmt.Sprint(name, ".", i)
		named[called] = of
		kinds[i] = object{"$ref": "#/components/schemas/" + called}
	}
}

func withoutExamples(value any) {
	switch value := value.(type) {
	case object:
		delete(value, "examples")
		for _, inner := range value {
			withoutExamples(inner)
		}
	case []any:
		for _, inner := range value {
			withoutExamples(inner)
		}
	}
}

package parts

import (
	"os"
	"path/filepath"
)

// Part is a program that is built from a module.
type Part struct {
	// Title is for people, Name for folders.
	Title, Name string
	// Package is the import path of the program, Version that of its module.
	Package, Version string
	// Program is the file name that go install gives it.
	Program string
	// Space is what a build takes at most in bytes: modules, build cache and program together.
	Space uint64
}

const gigabyte = 1 << 30

// The parts, in the order in which they are built: the small ones first, while the large ones' modules arrive.
var (
	TemporalUI = Part{
		Title: "Temporal UI", Name: "temporal-ui", Program: "server", Space: gigabyte / 2,
		Package: "github.com/temporalio/ui-server/v2/cmd/server", Version: "v2.54.1",
	}
	TemporalServer = Part{
		Title: "Temporal server", Name: "temporal-server", Program: "server", Space: 3 * gigabyte,
		Package: "go.temporal.io/server/cmd/server", Version: "v1.32.1",
	}
	TemporalSQL = Part{
		Title: "Temporal schema tool", Name: "temporal-sql", Program: "sql", Space: gigabyte / 4,
		Package: "go.temporal.io/server/cmd/tools/sql", Version: "v1.32.1",
	}
	Weaviate = Part{
		Title: "Weaviate", Name: "weaviate", Program: "weaviate-server", Space: 3 * gigabyte,
		Package: "github.com/weaviate/weaviate/cmd/weaviate-server", Version: "v1.39.0",
	}
)

// folder is where the finished program lies.
func (p Part) folder(cacheDir string) string {
	return filepath.Join(cacheDir, p.Name+"-"+p.Version)
}

// Path is the finished program.
func (p Part) Path(cacheDir string) string {
	return filepath.Join(p.folder(cacheDir), p.Program)
}

// Built tells whether the program is there.
func (p Part) Built(cacheDir string) bool {
	_, err := os.Stat(p.Path(cacheDir))
	return err == nil
}

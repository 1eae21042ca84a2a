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
	// What a build takes at most, in bytes: in the module cache, in the build cache, and for the program.
	Modules, Objects, Size uint64
}

const (
	megabyte = 1 << 20
	gigabyte = 1 << 30
)

// The parts, in the order in which they are built: the small ones first, while the large ones' modules arrive.
var (
	TemporalUI = Part{
		Title: "Temporal UI", Name: "temporal-ui", Program: "server",
		Modules: 300 * megabyte, Objects: 200 * megabyte, Size: 30 * megabyte,
		Package: "github.com/temporalio/ui-server/v2/cmd/server", Version: "v2.54.1",
	}
	TemporalServer = Part{
		Title: "Temporal server", Name: "temporal-server", Program: "server",
		Modules: 1600 * megabyte, Objects: 1200 * megabyte, Size: 160 * megabyte,
		Package: "go.temporal.io/server/cmd/server", Version: "v1.32.1",
	}
	TemporalSQL = Part{
		Title: "Temporal schema tool", Name: "temporal-sql", Program: "sql",
		Modules: 100 * megabyte, Objects: 100 * megabyte, Size: 45 * megabyte,
		Package: "go.temporal.io/server/cmd/tools/sql", Version: "v1.32.1",
	}
	Weaviate = Part{
		Title: "Weaviate", Name: "weaviate", Program: "weaviate-server",
		Modules: 1600 * megabyte, Objects: 1200 * megabyte, Size: 160 * megabyte,
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

// Built reports whether the program is there.
func (p Part) Built(cacheDir string) bool {
	_, err := os.Stat(p.Path(cacheDir))
	return err == nil
}

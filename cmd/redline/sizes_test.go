package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a package and a file may have at most; tests do not count.
const (
	packageFiles = 25
	packageLines = 3000
	fileLines    = 400
)

// sourceFiles gives the Go files of the module, by their paths in it.
func sourceFiles(t *testing.T) map[string][]byte {
	t.Helper()
	const root = "../.."
	found := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		within, err := filepath.Rel(root, path)
		if err == nil {
			found[filepath.ToSlash(within)], err = os.ReadFile(path)
		}
		return err
	}))
	require.NotEmpty(t, found)
	return found
}

// A package that grows beyond these limits is two packages.
func TestPackagesStaySmall(t *testing.T) {
	files, lines := map[string]int{}, map[string]int{}
	for path, text := range sourceFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		n := bytes.Count(text, []byte("\n"))
		require.LessOrEqual(t, n, fileLines, "%s has too many lines", path)
		files[filepath.Dir(path)]++
		lines[filepath.Dir(path)] += n
	}
	for folder := range files {
		require.LessOrEqual(t, files[folder], packageFiles, "%s has too many files", folder)
		require.LessOrEqual(t, lines[folder], packageLines, "%s has too many lines", folder)
	}
}

// Every package that is no test says in a doc.go what it is for.
func TestPackagesHaveADocument(t *testing.T) {
	folders, documented := map[string]bool{}, map[string]bool{}
	for path := range sourceFiles(t) {
		if !strings.HasSuffix(path, "_test.go") {
			folders[filepath.Dir(path)] = true
			documented[filepath.Dir(path)] = documented[filepath.Dir(path)] || filepath.Base(path) == "doc.go"
		}
	}
	var without []string
	for folder := range folders {
		if !documented[folder] {
			without = append(without, folder)
		}
	}
	slices.Sort(without)
	require.Empty(t, without, "these have no doc.go")
}

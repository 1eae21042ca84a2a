package docs

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocumentsNameOnlyWhatIsThere(t *testing.T) {
	files := os.DirFS("..")
	tree, err := newTree(files)
	require.NoError(t, err)
	read := 0
	for name := range tree.entries {
		if !isDocument(name) {
			continue
		}
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		faults, err := tree.check(name, string(text))
		require.NoError(t, err)
		for _, fault := range faults {
			t.Error(fault)
		}
		read++
	}
	require.Greater(t, read, 50, "the documents are found")
}

// isDocument reports whether a path is that of a document that people read.
func isDocument(name string) bool {
	switch {
	case strings.Contains(name, "testdata/"):
		return false
	case slices.Contains([]string{"doc.go", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"}, path.Base(name)):
		return true
	default:
		return strings.HasPrefix(name, "docs/") && path.Ext(name) == ".md"
	}
}

func TestContributingIsShort(t *testing.T) {
	const most = 9 << 10
	text, err := os.ReadFile("../CONTRIBUTING.md")
	require.NoError(t, err)
	require.LessOrEqual(t, len(text), most, "bytes of CONTRIBUTING.md")
}

package pdf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/rules"
)

// Small files, each with something that producers do: beside each stands its markdown,
// and its rules, one a line behind its category and a tab.
func TestSmallFilesGiveTheirMarkdownAndTheirRules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/files/*.pdf")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			document, err := convert(t, file)
			require.NoError(t, err)
			require.Equal(t, beside(t, path, ".md"), document.Markdown)
			var found strings.Builder
			for _, r := range rules.Extract(document.Markdown).Rules {
				found.WriteString(r.Category + "\t" + r.Content + "\n")
			}
			require.Equal(t, beside(t, path, ".rules"), found.String())
			for _, c := range chunk.Split(document.Markdown) {
				require.NotContains(t, c.Text, "<!--")
			}
		})
	}
}

// beside is the text of the file beside a PDF.
func beside(t *testing.T, path, extension string) string {
	t.Helper()
	text, err := os.ReadFile(strings.TrimSuffix(path, ".pdf") + extension)
	require.NoError(t, err)
	return string(text)
}

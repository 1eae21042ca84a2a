package table_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/rules"
)

// TestFilesOfEachKindConvertAsTheyShould converts small files, each of one way to write
// cells that readers get wrong. What comes of one stands beside it: its markdown (.md),
// and where it has any its rules with their categories (.rules), which are all of them.
func TestFilesOfEachKindConvertAsTheyShould(t *testing.T) {
	files, err := filepath.Glob("testdata/kinds/*.md")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 11)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			name := strings.TrimSuffix(name, ".md")
			document := convertReal(t, name)
			require.Equal(t, string(want), document.Markdown)
			want, _ = os.ReadFile(name + ".rules") // a file without it has no rules
			var found strings.Builder
			for _, r := range rules.Extract(document.Markdown).Rules {
				found.WriteString(r.Content + "\t" + r.Category + "\n")
			}
			require.Equal(t, string(want), found.String())
		})
	}
}

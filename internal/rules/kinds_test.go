package rules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/rules"
)

// TestRulesOfEachKindOfText reads small texts, each of one way to write lists, sentences
// or tables that readers get wrong. Beside one stand its rules with their categories,
// which are all of them.
func TestRulesOfEachKindOfText(t *testing.T) {
	files, err := filepath.Glob("testdata/kinds/*.txt")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 3)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			want, err := os.ReadFile(strings.TrimSuffix(name, ".txt") + ".rules")
			require.NoError(t, err)
			var found strings.Builder
			for _, r := range rules.Extract(string(text)).Rules {
				found.WriteString(r.Content + "\t" + r.Category + "\n")
			}
			require.Equal(t, string(want), found.String())
		})
	}
}

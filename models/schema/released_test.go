package schema_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/schema"
)

// edited are the lines of a release that do not hold any more.
func edited(released string) []string {
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(released), "\n"), func(line string) bool {
		return line == "" || slices.Contains(schema.Sums(), line)
	})
}

// Databases that a release has made are brought on by files with higher numbers alone.
func TestWhatWasReleasedIsNotEdited(t *testing.T) {
	t.Parallel()
	released, err := os.ReadFile("released.sum")
	require.NoError(t, err)
	require.Empty(t, edited(string(released)), "released files are never edited: put the change into a file with the next number")
}

func TestAnEditIsFound(t *testing.T) {
	t.Parallel()
	sums := schema.Sums()
	require.Len(t, sums, 1+len(schema.Baseline)+numbered(t))
	require.Empty(t, edited(strings.Join(sums, "\n")))
	require.Empty(t, edited(sums[1]), "a new file is no edit")
	for _, line := range []string{"0 baseline", strings.Repeat("0", 64) + " workspace.sql", strings.Repeat("0", 64) + " gone.sql"} {
		require.Equal(t, []string{line}, edited(sums[0]+"\n"+line+"\n"))
	}
}

// numbered is how many files have a number.
func numbered(t *testing.T) (count int) {
	t.Helper()
	names, err := fs.Glob(schema.Files(), "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		if schema.IsNumbered(name) {
			count++
		}
	}
	return count
}

package table_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/table"
)

// cellsOf counts the cells of our tables by what they say.
func cellsOf(markdown string) map[string]int {
	found := map[string]int{}
	for line := range strings.Lines(markdown) {
		line, isRow := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "|")
		if !isRow {
			continue
		}
		line = strings.ReplaceAll(line, `\|`, "\x00")
		for text := range strings.SplitSeq(line, "|") {
			found[strings.Join(strings.Fields(strings.ReplaceAll(text, "\x00", "|")), " ")]++
		}
	}
	return found
}

// TestCellsOfRealFilesAreFound holds that each cell of real files that says anything
// is one of ours. What the cells say stands beside each file, one a line, as other
// programs read it.
func TestCellsOfRealFilesAreFound(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.cells")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 15)
	hits, all := 0, 0
	for _, path := range files {
		document := convertReal(t, strings.TrimSuffix(path, ".cells"))
		known, err := os.ReadFile(path)
		require.NoError(t, err)
		found, count := cellsOf(document.Markdown), 0
		var missed []string
		for want := range strings.Lines(string(known)) {
			want = strings.TrimSuffix(want, "\n")
			count++
			if found[want] == 0 {
				missed = append(missed, want)
				continue
			}
			found[want]--
		}
		t.Logf("%-48s %d of %d cells", path, count-len(missed), count)
		hits, all = hits+count-len(missed), all+count
		require.Empty(t, missed[:min(len(missed), 5)], path)
		wordsInChunks(t, document.Markdown)
	}
	t.Logf("%d of %d cells of %d files", hits, all, len(files))
}

// wordsInChunks holds that each word of the tables is in a chunk or a path.
func wordsInChunks(t *testing.T, markdown string) {
	t.Helper()
	have := map[string]bool{}
	for _, c := range chunk.Split(markdown) {
		for word := range strings.FieldsSeq(c.Path + " " + c.Text) {
			have[word] = true
		}
	}
	for word := range strings.FieldsSeq(markdown) {
		require.True(t, have[word] || word == "##", word)
	}
}

// convertReal converts the workbook or CSV file of that name without its extension.
func convertReal(t *testing.T, name string) extract.Document {
	t.Helper()
	var document extract.Document
	file, err := os.ReadFile(name + ".xlsx")
	if err == nil {
		document, err = table.Workbook(file, nothing)
	} else {
		file, err = os.ReadFile(name + ".csv")
		require.NoError(t, err)
		document, err = table.CSV(file, nothing)
	}
	require.NoError(t, err, name)
	return document
}

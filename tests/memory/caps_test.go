package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// maxAnswer is what an answer to a question stays below, in bytes.
const maxAnswer = 8 << 20

// keptText is how many bytes the chunks and rules of a source take.
func keptText(env *kit.Env, sourceID string) int {
	env.T.Helper()
	var bytes int
	require.NoError(env.T, env.DB().QueryRow(env.Ctx, `
SELECT (SELECT coalesce(sum(octet_length(path) + octet_length(content)), 0) FROM chunks WHERE source_id = $1)
     + (SELECT coalesce(sum(octet_length(content) + coalesce(octet_length(category), 0)), 0) FROM rules WHERE source_id = $1)`, sourceID).Scan(&bytes))
	return bytes
}

// numberedItems are so many items of a list.
func numberedItems(count int) string {
	var items strings.Builder
	for n := range count {
		fmt.Fprintf(&items, "- %d\n", n)
	}
	return items.String()
}

// However a text is made, its rows are a small multiple of it, it is brought in, and
// an answer from it stays small.
func TestIngest_NoTextMakesMuchMoreOfItself(t *testing.T) { makesLittleOfItself(t, 5) }

func TestLong_Ingest_NoLargeTextMakesMuchMoreOfItself(t *testing.T) { makesLittleOfItself(t, 1) }

// makesLittleOfItself brings in texts whose size is that part of the largest.
func makesLittleOfItself(t *testing.T, part int) {
	t.Helper()
	env := kit.NewWorkspace(t)
	texts := map[string]string{
		"one endless heading": "# " + strings.Repeat("endless ", 300<<10/8/part) + "\n\n" + strings.Repeat("Some words of the text. ", 5000/part),
		"marks":               "a" + strings.Repeat("\u0301", 500<<10/part),
		"one endless line":    strings.Repeat("word ", 100<<10/part),
		"headings":            strings.Repeat("### note\na word\n\n", 100_000/part),
		"a list":              "You must never use " + strings.Repeat("x", 570) + ":\n\n" + numberedItems(2000/part),
	}
	sources := map[string]string{}
	for name, text := range texts {
		sources[name] = kit.Ingest(env, text)
	}
	for name, text := range texts {
		kit.BroughtIn(env, sources[name], "completed")
		require.LessOrEqual(t, keptText(env, sources[name]), 16*len(text), name)
		_, answer := kit.Question(env, map[string]any{"query": "a word", "sourceId": sources[name], "limit": 50})
		require.Less(t, len(answer), maxAnswer, name)
	}
}

// A file whose writer died before the row that names it was committed goes an hour
// later.
func TestFiles_AFileThatNoRowNamesGoes(t *testing.T) {
	env := kit.NewWorkspace(t)
	rows := env.DB()
	kit.BroughtIn(env, kit.Ingest(env, "The bell must be rung at noon."), "completed")
	var left int
	require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM unclaimed_files WHERE workspace_id = $1`, env.Workspace.ID).Scan(&left))
	require.Zero(t, left, "what a row names is claimed")

	folder := filepath.Join(kit.Shared.Env["REDLINE_BLOB_DIR"], "uploads", env.Workspace.ID)
	require.NoError(t, os.MkdirAll(folder, 0o700))
	file := filepath.Join(folder, "dead")
	require.NoError(t, os.WriteFile(file, []byte("half"), 0o600))
	_, err := rows.Exec(t.Context(), `INSERT INTO unclaimed_files (workspace_id, blob_key, since) VALUES ($1, $2, clock_timestamp() - interval '61 minutes')`,
		env.Workspace.ID, "uploads/"+env.Workspace.ID+"/dead")
	require.NoError(t, err)
	kit.RequireWithin(t, kit.IngestionTime, "the file goes", func() bool {
		_, err := os.Stat(file)
		return os.IsNotExist(err)
	})
}

// What a source has more than it may is cut, or the source fails, as the cap says.
func TestIngest_RulesAreCutAndChunksAreNot(t *testing.T) {
	const most = 2000
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	var rules strings.Builder
	for i := range most + 5 {
		fmt.Fprintf(&rules, "- Door %d must be shut.\n", i)
	}
	long, pieces := kit.Ingest(env, rules.String()), kit.Ingest(env, strings.Repeat("# a\n\nb\n\n", 20_001))
	status := kit.BroughtIn(env, long, "completed")
	require.Equal(t, int64(most), status.ExtractedRulesCount)
	require.Equal(t, true, kit.ObjectOf(status.Metadata)["rulesTruncated"])
	listed := listRulesOf(env, long)
	require.Len(t, listed, most)
	require.Equal(t, []string{"Door 0 must be shut.", "Door 1999 must be shut."}, []string{listed[0].Content, listed[most-1].Content})
	require.Equal(t, "file-too-large", kit.BroughtIn(env, pieces, "failed").FailureReason)
}

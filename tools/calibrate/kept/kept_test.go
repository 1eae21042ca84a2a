package kept_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/tools/calibrate/kept"
)

// counting is the lexical model that counts what it is asked. Other gives other vectors.
type counting struct {
	embed.Lexical

	asked int
	other bool
	fails string
}

func (c *counting) Embed(ctx context.Context, texts []string, use embed.Use) ([][]float32, error) {
	var given []string
	for _, text := range texts {
		if text == c.fails {
			return nil, errors.New("away")
		}
		if text != embed.Probe {
			c.asked++
		}
		if c.other {
			text = "another " + text + " model makes other vectors"
		}
		given = append(given, text)
	}
	return c.Lexical.Embed(ctx, given, use)
}

// embeds opens the folder, embeds the texts and saves.
func embeds(t *testing.T, folder string, model *counting, texts ...string) [][]float32 {
	t.Helper()
	opened, err := kept.Open(t.Context(), folder, model)
	require.NoError(t, err)
	vectors, err := opened.Embed(t.Context(), texts, embed.Passage)
	require.NoError(t, err)
	require.NoError(t, opened.Save())
	return vectors
}

func TestATextIsEmbeddedOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	model := &counting{}
	first := embeds(t, folder, model, "one", "two", "one")
	require.Equal(t, 2, model.asked)
	require.Equal(t, first[0], first[2])
	again := embeds(t, folder, model, "two", "one", "three")
	require.Equal(t, 3, model.asked)
	require.Equal(t, [][]float32{first[1], first[0]}, again[:2])
	exact, err := model.Embed(t.Context(), []string{"three"}, embed.Passage)
	require.NoError(t, err)
	require.Equal(t, exact[0], again[2])
}

func TestQueriesAndPassagesAreApart(t *testing.T) {
	model := &counting{}
	opened, err := kept.Open(t.Context(), "", model)
	require.NoError(t, err)
	for _, use := range []embed.Use{embed.Query, embed.Passage, embed.Query} {
		_, err = opened.Embed(t.Context(), []string{"one"}, use)
		require.NoError(t, err)
	}
	require.Equal(t, 2, model.asked)
	require.NoError(t, opened.Save(), "nothing to keep it in")
}

func TestAnotherModelUnderTheNameStartsOver(t *testing.T) {
	folder := t.TempDir()
	embeds(t, folder, &counting{}, "one")
	other := &counting{other: true}
	embeds(t, folder, other, "one")
	require.Equal(t, 1, other.asked)
}

func TestABrokenFileCountsAsNone(t *testing.T) {
	folder := t.TempDir()
	embeds(t, folder, &counting{}, "one")
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.NoError(t, os.WriteFile(files[0], []byte("broken"), 0o600))
	model := &counting{}
	embeds(t, folder, model, "one")
	require.Equal(t, 1, model.asked)
}

func TestWhatWasMadeBeforeAFailureIsKept(t *testing.T) {
	folder := t.TempDir()
	texts := make([]string, 65)
	for i := range texts {
		texts[i] = string(rune('a' + i))
	}
	model := &counting{fails: texts[64]}
	opened, err := kept.Open(t.Context(), folder, model)
	require.NoError(t, err)
	_, err = opened.Embed(t.Context(), texts, embed.Passage)
	require.ErrorContains(t, err, "away")
	require.NoError(t, opened.Save())
	model = &counting{}
	var seen [][2]int
	opened, err = kept.Open(t.Context(), folder, model)
	require.NoError(t, err)
	opened.Progress = func(done, of int) { seen = append(seen, [2]int{done, of}) }
	_, err = opened.Embed(t.Context(), texts, embed.Passage)
	require.NoError(t, err)
	require.Equal(t, 1, model.asked)
	require.Empty(t, seen, "one text is no work that anybody waits for")
}

package chunk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/markdown"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n\t": 0, "a": 1, "letter": 1, "letters": 2, "a b": 2, "漢字": 2, "3.50": 3, "| a |": 3, "don’t": 3, "é": 1, "abcdefabcdefx": 3,
	} {
		require.Equal(t, want, chunk.Tokens(text), text)
	}
}

func prose(words int, seed string) string {
	var text strings.Builder
	for i := range words {
		text.WriteString(seed)
		if i%12 == 11 {
			text.WriteString(". ")
		} else {
			text.WriteString(" ")
		}
	}
	return strings.TrimSpace(text.String()) + "."
}

func TestShortTextIsOneChunk(t *testing.T) {
	require.Equal(t, []chunk.Chunk{{Path: "", Text: "Hello there.", Tokens: 3}}, chunk.Split("Hello there.\n"))
	require.Empty(t, chunk.Split(" \n<!-- page 1 -->\n"))
}

func TestNoChunkCrossesAStrongHeading(t *testing.T) {
	chunks := chunk.Split("# A\n\none\n\n## B\n\ntwo\n\n### C\n\nthree\n\n### D\n\nfour\n\n# E\n")
	var seen []string
	for _, c := range chunks {
		seen = append(seen, c.Path+": "+strings.ReplaceAll(c.Text, "\n", "~"))
	}
	require.Equal(t, []string{"A: one", "A > B: two", "A > B > C / D: three~~four", "E: E"}, seen)
}

func TestProseRepeatsTheLastSentences(t *testing.T) {
	first := prose(200, "alpha") + " This ends the first one."
	chunks := chunk.Split(first + "\n\n" + prose(150, "beta"))
	require.Len(t, chunks, 2)
	require.True(t, strings.HasSuffix(chunks[0].Text, "This ends the first one."))
	require.Contains(t, chunks[1].Text, "This ends the first one.\n\nbeta")
	require.LessOrEqual(t, chunks[1].Tokens, 150+13+40)
}

func TestEachChunkOfATableBeginsWithItsHeader(t *testing.T) {
	rows := strings.Repeat("| some name | 12345 | a remark |\n", 80)
	chunks := chunk.Split("# Prices\n\n| name | price | remark |\n| --- | --- | --- |\n" + rows)
	require.Greater(t, len(chunks), 3)
	count := 0
	for _, c := range chunks {
		require.True(t, strings.HasPrefix(c.Text, "| name | price | remark |\n| --- |"), c.Text)
		require.LessOrEqual(t, c.Tokens, chunk.Limit)
		count += strings.Count(c.Text, "some name")
	}
	require.Equal(t, 80, count)
}

func TestLongBlocksAreCutAtSentencesThenClausesThenWords(t *testing.T) {
	for name, text := range map[string]string{
		"sentences": prose(2000, "word"),
		"clauses":   strings.Repeat("one two three four, ", 300),
		"words":     strings.Repeat("word ", 1000),
		"one word":  strings.Repeat("x", 10000),
	} {
		t.Run(name, func(t *testing.T) {
			chunks := chunk.Split(text)
			for i, c := range chunks {
				require.LessOrEqual(t, c.Tokens, chunk.Limit)
				if name == "sentences" && i < len(chunks)-1 {
					require.True(t, strings.HasSuffix(c.Text, "."), c.Text)
				}
			}
		})
	}
}

// words are the words of a text outside of its headings.
func words(blocks []markdown.Block) map[string]bool {
	seen := map[string]bool{}
	for _, b := range blocks {
		if b.Kind != markdown.Heading {
			for word := range strings.FieldsSeq(b.Text) {
				seen[word] = true
			}
		}
	}
	return seen
}

// requireWhole holds what is true of the chunks of any text.
func requireWhole(t require.TestingT, text string) {
	blocks, chunks := markdown.Parse(text), chunk.Split(text)
	have := map[string]bool{}
	paths := map[string]bool{}
	for _, c := range chunks {
		require.LessOrEqual(t, c.Tokens, chunk.Limit)
		require.NotEmpty(t, strings.TrimSpace(c.Text))
		for word := range strings.FieldsSeq(c.Text) {
			have[word] = true
		}
		paths[c.Path] = true
	}
	for word := range words(blocks) {
		if chunk.Tokens(word) > 0 && chunk.Tokens(word) <= chunk.Limit && !strings.ContainsFunc(word, unicode.IsControl) {
			require.True(t, have[word] || inside(chunks, word), "%q", word)
		}
	}
	for _, b := range blocks {
		if b.Kind == markdown.Heading {
			require.True(t, anyPath(paths, b.Text), b.Text)
		}
	}
}

// inside finds a word whose chunk was cut at a mark within it.
func inside(chunks []chunk.Chunk, word string) bool {
	var all strings.Builder
	for _, c := range chunks {
		all.WriteString(c.Text)
	}
	return strings.Contains(all.String(), word)
}

func anyPath(paths map[string]bool, heading string) bool {
	for path := range paths {
		if strings.Contains(path, heading) {
			return true
		}
	}
	return false
}

func TestEveryWordIsInAChunkOfAnyText(t *testing.T) {
	line := rapid.OneOf(
		rapid.StringMatching(`#{1,4} [A-Z][a-z]{1,8}`),
		rapid.StringMatching(`([a-z]{1,9}[,.]? ){0,60}[a-z]{1,9}\.`),
		rapid.StringMatching(`- ([a-z]{1,9} ){0,20}[a-z]{1,9}`),
		rapid.StringMatching(`\| [a-z]{1,9} \| [a-z]{1,9} \|`),
		rapid.Just(""), rapid.Just("| --- | --- |"), rapid.Just("```"),
	)
	rapid.Check(t, func(t *rapid.T) {
		requireWhole(t, strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "lines"), "\n"))
	})
}

func TestEveryWordOfRealTextsIsInAChunk(t *testing.T) {
	files, err := filepath.Glob("../extract/pdf/testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		requireWhole(t, string(text))
		first, again := chunk.Split(string(text)), chunk.Split(string(text))
		require.Equal(t, first, again)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("# a\n\n| x | y |\n| - | - |\n| 1 | 2 |")
	f.Add(strings.Repeat("word, ", 500))
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range chunk.Split(text) {
			require.LessOrEqual(t, c.Tokens, chunk.Limit)
		}
	})
}

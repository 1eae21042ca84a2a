package chunk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/markdown"
)

// maxRatio is how many times the bytes of a text its chunks and their paths have at
// most.
const maxRatio = 7

// requireBounded holds the bounds of the chunks of any text.
func requireBounded(t require.TestingT, text string) {
	chunks := chunk.Split(text)
	bytes := 0
	for _, c := range chunks {
		require.LessOrEqual(t, len(c.Text), chunk.MaxBytes)
		require.LessOrEqual(t, len(c.Path), chunk.MaxPath)
		require.LessOrEqual(t, c.Tokens, chunk.Limit)
		require.True(t, utf8.ValidString(c.Text) && utf8.ValidString(c.Path), "cut between characters")
		bytes += len(c.Text) + len(c.Path)
	}
	require.LessOrEqual(t, bytes, maxRatio*len(text))
	visible := slices.ContainsFunc(markdown.Parse(text), func(b markdown.Block) bool { return strings.TrimSpace(b.Text) != "" })
	require.Equal(t, visible, len(chunks) > 0)
}

// requireHeadings wants the words of each heading in a path or a text; one that
// is longer than a path takes may be cut.
func requireHeadings(t require.TestingT, text string) {
	var all strings.Builder
	for _, c := range chunk.Split(text) {
		all.WriteString(c.Path + "\n" + c.Text + "\n")
	}
	have := all.String()
	for _, b := range markdown.Parse(text) {
		if b.Kind != markdown.Heading {
			continue
		}
		for word := range strings.FieldsSeq(b.Text) {
			require.True(t, len(word) > 1000 || strings.Contains(have, word), "%q", word)
		}
	}
}

// oddTexts are texts that a count of tokens alone does not bound, each as long as
// asked for, in bytes.
var oddTexts = map[string]func(int) string{
	"a heading without an end":  func(n int) string { return "# " + strings.Repeat("endless ", n/16) + "\n\n" + prose(n/16, "words") },
	"one heading as one word":   func(n int) string { return "# " + strings.Repeat("x", n/2) + "\n\n" + prose(n/16, "words") },
	"one letter with its marks": func(n int) string { return "a" + strings.Repeat("\u0301", n/2) },
	"marks in a heading":        func(n int) string { return "# a" + strings.Repeat("\u0301", n/2) + "\n\nword\n" },
	"format characters":         func(n int) string { return strings.Repeat("\u200b", n/3) },
	"an endless line":           func(n int) string { return strings.Repeat("word ", n/5) },
	"an endless word":           func(n int) string { return strings.Repeat("x", n) },
	"white space":               func(n int) string { return "a" + strings.Repeat("\u00a0", n/2) + "b" },
	"headings":                  func(n int) string { return strings.Repeat("# a\n", n/4) },
	"deep headings":             func(n int) string { return strings.Repeat("### a\n\u0301\n", n/9) },
	"headings below a long one": func(n int) string {
		return "# " + strings.Repeat("t", 1000) + "\n## " + strings.Repeat("u", 1000) + "\n" + strings.Repeat("### v\n", n/6)
	},
	"chains of long headings": func(n int) string {
		var text strings.Builder
		for i := 0; text.Len() < n; i++ {
			for level := 1; level <= 6; level++ {
				fmt.Fprintf(&text, "%s h%dx%d%s\n", strings.Repeat("#", level), i, level, strings.Repeat("y", 800))
			}
			text.WriteString("word\n")
		}
		return text.String()
	},
	"rows below a long header": func(n int) string {
		return "| " + strings.Repeat("h", n/4) + " |\n| - |\n" + strings.Repeat("||\n", n/4)
	},
	"rows below a header of marks": func(n int) string {
		return "| h" + strings.Repeat("\u0301", 1900) + " |\n| - |\n" + strings.Repeat("||\n", n/3)
	},
	"open quotations": func(n int) string { return strings.Repeat("“a. ", n/6) },
	"full stops":      func(n int) string { return strings.Repeat(". ", n/2) },
	"paragraphs":      func(n int) string { return strings.Repeat("a\n\n", n/3) },
}

func TestNoTextMakesMuchMoreOfItself(t *testing.T) {
	for name, text := range oddTexts {
		t.Run(name, func(t *testing.T) {
			requireBounded(t, text(100<<10))
			requireHeadings(t, text(20<<10))
		})
	}
}

func TestAHundredThousandHeadingsAreSplit(t *testing.T) {
	text := strings.Repeat("### note\na word\n\n", 100_000)
	chunks := chunk.Split(text)
	require.Less(t, len(chunks), 20_000, "sections of few words are joined")
	requireBounded(t, text)
}

// A heading that is cut in paths stands whole in its section.
func TestALongHeadingIsABlockOfItsSection(t *testing.T) {
	heading := strings.TrimSpace(strings.Repeat("long ", 70))
	chunks := chunk.Split("# " + heading + "\n\nThe text.\n")
	require.Len(t, chunks, 1)
	require.Equal(t, heading[:300], chunks[0].Path)
	require.Equal(t, heading+"\n\nThe text.", chunks[0].Text)
}

// A heading that is longer than a path takes and says nothing is no text.
func TestABlankHeadingIsNoChunk(t *testing.T) {
	for _, times := range []int{1, 40, 700} {
		require.Empty(t, chunk.Split("# "+strings.Repeat("\u00a0", times)), times)
	}
}

func TestTheCapsHoldForAnyText(t *testing.T) {
	char := rapid.SampledFrom([]rune("ab 漢.,;“”\"|-\u0301\u0308\u200b\u200d\u00a0🧑\t"))
	run := rapid.Custom(func(t *rapid.T) string {
		return strings.Repeat(string(char.Draw(t, "char")), rapid.SampledFrom([]int{1, 1, 3, 40, 700, 5000}).Draw(t, "times"))
	})
	begin := rapid.SampledFrom([]string{"", "", "# ", "## ", "### ", "###### ", "- ", "| x |\n| - |\n| ", "```\n", "\n"})
	line := rapid.Custom(func(t *rapid.T) string {
		runs := strings.Join(rapid.SliceOfN(run, 0, 4).Draw(t, "runs"), "")
		return begin.Draw(t, "begin") + runs + rapid.SampledFrom([]string{"", " |"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 1, 8).Draw(t, "lines")
		text := strings.Repeat(strings.Join(lines, "\n")+"\n", rapid.SampledFrom([]int{1, 1, 1, 2, 5}).Draw(t, "repeat"))
		requireBounded(t, text)
	})
}

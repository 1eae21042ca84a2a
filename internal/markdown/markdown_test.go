package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/markdown"
)

func TestParse(t *testing.T) {
	blocks := markdown.Parse(strings.Join([]string{
		"<!-- page 1 -->", "", "# One", "first line", "second line", "", "Two", "===", "- a", "  goes on", "* b", "1. c", "",
		"(iv) d", "[x] done", "", "| h | i |", "| - | - |", "| 1 | 2 |", "| 3 | 4 |", "prose", "```", "# not", "```", "| alone |", "", "####### seven",
	}, "\n"))
	want := []markdown.Block{
		{Kind: markdown.Heading, Text: "One", Level: 1},
		{Kind: markdown.Paragraph, Text: "first line\nsecond line"},
		{Kind: markdown.Heading, Text: "Two", Level: 1},
		{Kind: markdown.Item, Text: "- a\n  goes on", List: 1, Mark: 2},
		{Kind: markdown.Item, Text: "* b", List: 1, Mark: 2},
		{Kind: markdown.Item, Text: "1. c", List: 1, Mark: 3},
		{Kind: markdown.Item, Text: "(iv) d", List: 1, Mark: 5},
		{Kind: markdown.Item, Text: "[x] done", List: 1, Mark: 4, Ticked: true},
		{Kind: markdown.Row, Text: "| h | i |\n| - | - |", Table: 1},
		{Kind: markdown.Row, Text: "| 1 | 2 |", Header: "| h | i |\n| - | - |", Table: 1},
		{Kind: markdown.Row, Text: "| 3 | 4 |", Header: "| h | i |\n| - | - |", Table: 1},
		{Kind: markdown.Paragraph, Text: "prose"},
		{Kind: markdown.Code, Text: "```\n# not\n```"},
		{Kind: markdown.Row, Text: "| alone |", Table: 2},
		{Kind: markdown.Paragraph, Text: "####### seven"},
	}
	require.Empty(t, cmp.Diff(want, blocks))
}

func TestParseKeepsAnOpenFenceToTheEnd(t *testing.T) {
	blocks := markdown.Parse("```\ncode\n\nmore")
	require.Equal(t, []markdown.Block{{Kind: markdown.Code, Text: "```\ncode\n\nmore"}}, blocks)
}

func TestClosingMarksOfAHeadingStandBehindASpace(t *testing.T) {
	for line, want := range map[string]string{
		"# Learn C#": "Learn C#", "## C# ##": "C#", "# One #": "One", "# One ###  ": "One", "#\tOne\t##": "One", "# F# and C#  ": "F# and C#",
		"# # One": "# One", "# One # two": "One # two", "## #one#": "#one#", "# One \\#": "One \\#",
	} {
		blocks := markdown.Parse(line)
		require.Len(t, blocks, 1, line)
		require.Equal(t, []any{markdown.Heading, want}, []any{blocks[0].Kind, blocks[0].Text}, line)
	}
	require.Empty(t, markdown.Parse("## ##"), "a heading without a word")
	require.Equal(t, markdown.Paragraph, markdown.Parse("#One")[0].Kind)
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"One. Two!  Three?":                       {"One. ", "Two!  ", "Three?"},
		"Dr. Who paid 3.50 e.g. at Fig. 2. Good.": {"Dr. Who paid 3.50 e.g. at Fig. 2. ", "Good."},
		"He said \"Stop. Now.\" and left. Yes.":   {"He said \"Stop. Now.\" and left. ", "Yes."},
		"He said “Stop.” Then he left.":           {"He said “Stop.” ", "Then he left."},
		"An open \" stays. Two.":                  {"An open \" stays. ", "Two."},
		"A block\n\nanother block":                {"A block\n\n", "another block"},
		"See a.txt... and J. Smith.":              {"See a.txt... ", "and J. Smith."},
		"One.\u00a0Two.\u00a0 Three!\u2003Four?\u3000Five.\u2028Six.\u202fSeven.\u0085Eight.\fNine.": {
			"One.\u00a0", "Two.\u00a0 ", "Three!\u2003", "Four?\u3000", "Five.\u2028", "Six.\u202f", "Seven.\u0085", "Eight.\f", "Nine.",
		},
		"Dr.\u00a0Who and J.\u2009Smith met. Then\u00a0vs.\u00a0now.": {"Dr.\u00a0Who and J.\u2009Smith met. ", "Then\u00a0vs.\u00a0now."},
		"He said “Stop.”\u00a0Then he left.\u200bNo.":                 {"He said “Stop.”\u00a0", "Then he left.\u200bNo."},
		"": nil,
	} {
		require.Equal(t, want, markdown.Sentences(text), text)
	}
}

func FuzzBlocksAndSentencesKeepEveryWord(f *testing.F) {
	f.Add("# a\n\n- b c. D\n| x |\n```\ny")
	f.Add("He said \"stop. “No.” a\n\nb")
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, text, strings.Join(markdown.Sentences(text), ""))
		for _, b := range markdown.Parse(text) {
			if b.Kind != markdown.Heading && !strings.Contains(text, "<!-- page") {
				require.Contains(t, text, b.Text)
			}
		}
	})
}

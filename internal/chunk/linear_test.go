package chunk_test

import (
	"strings"
	"testing"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/tests/kit/linear"
)

func TestLong_ChunksAreCutInLinearTime(t *testing.T) {
	for name, text := range map[string]string{
		"initials": "A. ", "sentences": "One two. ", "one word": "w", "words": "word ", "paragraphs": "One two.\n\n", "items": "- a\n", "headings": "# a\n", "deep headings": "###### a\n\nb\n\n",
		"deeper": "# a\n## b\n### c\n\nd\n", "rows": "| a | b |\n", "tables": "| a |\n| --- |\n| b |\n\n", "one table": "| b |\n", "marks": "\u0301", "quotations": "\"a. ", "code": "```\na\n```\n",
		"spaces": " ", "clauses": "a, ", "characters": "字", "one cell": "| a ",
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				long := "x\n" + strings.Repeat(text, n)
				return func() { chunk.Split(long) }
			})
		})
	}
}

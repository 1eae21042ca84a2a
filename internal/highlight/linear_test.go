package highlight_test

import (
	"strings"
	"testing"

	"github.com/redline-svc/redline/internal/highlight"
	"github.com/redline-svc/redline/tests/kit/linear"
)

func TestLong_RangesAreFoundInLinearTime(t *testing.T) {
	for name, text := range map[string]string{
		"sentences": "Doors shut. ", "words": "door ", "lines": "door\n", "items": "- door shut\n", "rows": "| door | shut |\n", "initials": "A. ", "one word": "d", "apostrophes": "a'", "marks": "\u0301", "numbers": "2. ",
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				long := strings.Repeat(text, n)
				return func() { highlight.Ranges("Which door is shut at night?", long) }
			})
		})
	}
}

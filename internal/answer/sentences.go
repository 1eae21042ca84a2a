package answer

import (
	"strings"
	"unicode"

	"github.com/redline-svc/redline/internal/markdown"
	"github.com/redline-svc/redline/internal/term"
)

// fewestWords is how many words a sentence has at least: fewer say nothing alone.
const fewestWords = 3

// longestSentence is the length in bytes beyond which a piece of text is no sentence but
// data without full stops. A chunk, of 300 tokens, is hardly longer.
const longestSentence = 1500

// closing are marks behind a sentence.
const closing = ")]*_’'\"”»"

// quotable returns the sentences of a text that a reader may be given as an answer, as they
// are written and in their order. A row of a table and an item of a list without a full
// stop count as sentences. Headings, headers of tables and code are none.
func quotable(text string) []string {
	var kept []string
	for _, block := range markdown.Parse(text) {
		for _, sentence := range sentences(block) {
			if sentence = strings.TrimSpace(sentence); states(sentence) {
				kept = append(kept, sentence)
			}
		}
	}
	return kept
}

func sentences(block markdown.Block) []string {
	switch block.Kind {
	case markdown.Heading, markdown.Code:
		return nil
	case markdown.Row:
		if strings.Contains(block.Text, "\n") {
			return nil // the header, with the line below it
		}
		return []string{strings.Trim(block.Text, "| \t")}
	case markdown.Item:
		return markdown.Sentences(block.Text[block.Mark:])
	default:
		return markdown.Sentences(block.Text)
	}
}

// states reports whether a sentence says something by itself: a question, or what leads
// in a list, does not.
func states(sentence string) bool {
	if len(sentence) > longestSentence || !strings.ContainsFunc(sentence, unicode.IsLetter) {
		return false
	}
	bare := strings.TrimRight(sentence, closing)
	return !strings.HasSuffix(bare, "?") && !strings.HasSuffix(bare, ":") && len(term.Words(sentence)) >= fewestWords
}

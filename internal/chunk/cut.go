package chunk

import (
	"strings"
	"unicode"

	"github.com/redline-svc/redline/internal/markdown"
)

// size is a length in tokens and in bytes.
type size struct{ tokens, bytes int }

// holds reports whether a text is within the size. It counts no farther.
func (most size) holds(text string) bool {
	return len(text) <= most.bytes && Tokens(text) <= most.tokens
}

// cut divides a text into parts within the limit: at the ends of sentences, then at
// clause marks, then at white space; a word only if it alone is above the limit. The
// parts joined are the text.
func cut(text string, most size) []string {
	pieces := units(text, most)
	all := make([]unit, len(pieces))
	for i, piece := range pieces {
		all[i] = unitOf(piece, size{Tokens(piece), len(piece)})
	}
	var parts []string
	from := 0
	for _, to := range divide(all, most) {
		parts = append(parts, strings.Join(pieces[from:to], ""))
		from = to
	}
	return parts
}

// finer are the ways to divide a text, the coarsest first.
var finer = []func(string) []string{
	markdown.Sentences,
	func(text string) []string {
		return after(text, func(r rune) bool { return strings.ContainsRune(",;:–—)", r) })
	},
	func(text string) []string { return after(text, unicode.IsSpace) },
}

// units divides a text as far as needed for each part to be within the limit.
func units(text string, most size) []string {
	parts := []string{text}
	for _, divide := range finer {
		var next []string
		for _, part := range parts {
			if most.holds(part) {
				next = append(next, part)
			} else {
				next = append(next, divide(part)...)
			}
		}
		parts = next
	}
	var all []string
	for _, part := range parts {
		for !most.holds(part) {
			first := head(part, most)
			all = append(all, first)
			part = part[len(first):]
		}
		all = append(all, part)
	}
	return all
}

// after divides a text behind each run of certain characters.
func after(text string, is func(rune) bool) []string {
	var parts []string
	start, marked := 0, false
	for i, r := range text {
		if marked && !is(r) {
			parts = append(parts, text[start:i])
			start = i
		}
		marked = is(r)
	}
	return append(parts, text[start:])
}

package chunk

import (
	"strings"

	"github.com/redline-svc/redline/internal/markdown"
)

// Version counts changes in how chunks are cut. It is stored with each chunked
// version of a source.
const Version = 1

// Lengths in tokens.
const (
	// Target is what a chunk should hold.
	Target = 240
	// Limit is what a chunk never exceeds.
	Limit = 300
	// joinBelow is the length below which a deep section joins the next one.
	joinBelow = 60
	// overlap is how much of the chunk before is repeated.
	overlap = 40
)

// strongLevel is the deepest heading that no chunk crosses.
const strongLevel = 2

// Separator joins the headings of a path.
const Separator = " > "

// beside joins the headings of two sections that are one chunk.
const beside = " / "

// Chunk is a piece of a text.
type Chunk struct {
	// Path are the headings above, joined by Separator; it is embedded with the
	// text and not returned with it.
	Path, Text string
	// Tokens is the length of Text.
	Tokens int
}

// Split cuts a text. A text without a visible character gives none.
func Split(text string) []Chunk {
	var chunks []Chunk
	for _, s := range merge(sections(markdown.Parse(text))) {
		if len(s.blocks) == 0 {
			chunks = append(chunks, split(s.path(), s.heading(), Limit)...)
			continue
		}
		p := packer{path: s.path()}
		for _, b := range s.blocks {
			p.add(b)
		}
		chunks = append(chunks, p.end()...)
	}
	return chunks
}

// split cuts a heading that is a chunk of its own; it is nearly always short.
func split(path, text string, limit int) []Chunk {
	var chunks []Chunk
	for _, part := range cut(text, limit) {
		if part = strings.TrimSpace(part); part != "" {
			chunks = append(chunks, Chunk{Path: path, Text: part, Tokens: Tokens(part)})
		}
	}
	return chunks
}

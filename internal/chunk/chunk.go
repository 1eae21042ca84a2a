package chunk

import (
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/markdown"
)

// Version counts changes in how chunks are cut. It is stored with each chunked
// version of a source.
const Version = 6

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

// Lengths in bytes. They are far above those of written text and bound what a
// count of tokens lets grow: runs of combining marks or of white space, headings
// without an end, and what is repeated in many chunks.
const (
	// MaxBytes is what the text of a chunk never exceeds, MaxPath its path.
	MaxBytes = 8 << 10
	MaxPath  = 2 << 10
	// maxHeading is how much of one heading stands in paths, in bytes, and
	// maxHeadingLength in characters.
	maxHeading       = 1 << 10
	maxHeadingLength = 300
	// maxOverlap is how much of the chunk before is repeated.
	maxOverlap = 1 << 10
	// maxHeader is how long a table's header may be to be repeated.
	maxHeader = MaxBytes / 2
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

// Split cuts a text. A text without a visible character returns none. All chunks
// with their paths have at most 7 times the bytes of the text.
func Split(text string) []Chunk {
	s := splitter{repeated: repeats{left: repeatRatio * len(text)}}
	for _, next := range merge(sections(markdown.Parse(text))) {
		s.add(next)
	}
	return s.chunks
}

// splitter gathers the chunks of a text, section by section.
type splitter struct {
	chunks   []Chunk
	repeated repeats
}

func (s *splitter) add(next *section) {
	titles := s.repeated.titles(next, true)
	for _, above := range next.waiting {
		if !slices.Contains(titles, above.own) {
			s.add(above)
		}
	}
	texts := next.texts(&s.repeated)
	for i, text := range texts {
		if i > 0 {
			titles = s.repeated.titles(next, false)
		}
		s.chunks = append(s.chunks, Chunk{Path: strings.Join(titles, Separator), Text: text, Tokens: Tokens(text)})
	}
}

// texts are those of the chunks of a section.
func (s *section) texts(repeated *repeats) []string {
	p := packer{repeated: repeated}
	if len(s.blocks) == 0 {
		p.add(markdown.Block{Kind: markdown.Heading, Text: strings.TrimSpace(s.own)})
	}
	for _, b := range s.blocks {
		p.add(b)
	}
	return p.end()
}

package chunk

import (
	"strings"

	"github.com/redline-svc/redline/internal/markdown"
)

// packer fills chunks with the blocks of one section.
type packer struct {
	path   string
	chunks []Chunk
	open   []markdown.Block
	// length is that of the open chunk in tokens; white space joins its parts,
	// so lengths add up.
	length int
	// before is what the open chunk repeats of the one before it.
	before string
}

// add puts a block into the open chunk, or closes that at the boundary nearest
// the target. A block above the limit is cut first.
func (p *packer) add(b markdown.Block) {
	if Tokens(withHeader(b)) > Limit {
		for _, part := range pieces(b) {
			p.put(part)
		}
		return
	}
	p.put(b)
}

func (p *packer) put(b markdown.Block) {
	if len(p.open) > 0 {
		then := p.length + p.cost(b)
		if then > Limit || then > Target && then-Target >= Target-p.length {
			p.close()
			p.overlap(b)
		}
	}
	p.length += p.cost(b)
	p.open = append(p.open, b)
}

// cost is what a block adds to the open chunk: with the header of its table if
// it is the first row of that here.
func (p *packer) cost(b markdown.Block) int {
	if p.begins(len(p.open), b) {
		return Tokens(withHeader(b))
	}
	return Tokens(b.Text)
}

// begins reports whether no block before the one at i is of the same table.
func (p *packer) begins(i int, b markdown.Block) bool { return i == 0 || p.open[i-1].Table != b.Table }

func (p *packer) close() {
	if text := p.text(); text != "" {
		p.chunks = append(p.chunks, Chunk{Path: p.path, Text: text, Tokens: Tokens(text)})
	}
	p.before, p.length = "", 0
}

// overlap begins the next chunk with the last whole sentences of the one before
// it, between prose and prose, as far as they fit.
func (p *packer) overlap(b markdown.Block) {
	last := p.open[len(p.open)-1]
	p.open = nil
	if last.Kind != markdown.Paragraph || b.Kind != markdown.Paragraph {
		return
	}
	room := min(overlap, Limit-Tokens(b.Text))
	sentences := markdown.Sentences(last.Text)
	from := len(sentences)
	for from > 1 && Tokens(strings.Join(sentences[from-1:], "")) <= room {
		from--
	}
	if joined := strings.Join(sentences[from:], ""); joined != "" && Tokens(joined) <= room {
		p.before = strings.TrimSpace(joined)
		p.length = Tokens(p.before)
	}
}

func (p *packer) end() []Chunk {
	if len(p.open) > 0 {
		p.close()
	}
	return p.chunks
}

// text joins what is repeated and the blocks: paragraphs by a blank line, rows
// and items by a line end, with a table's header before its first row here.
func (p *packer) text() string {
	var text strings.Builder
	text.WriteString(p.before)
	for i, b := range p.open {
		whole := strings.TrimRight(b.Text, " \t\n")
		switch {
		case text.Len() == 0:
		case i > 0 && b.Kind == p.open[i-1].Kind && (b.Kind == markdown.Row && b.Table == p.open[i-1].Table || b.Kind == markdown.Item && b.List == p.open[i-1].List):
			text.WriteString("\n")
		default:
			text.WriteString("\n\n")
		}
		if p.begins(i, b) {
			whole = withHeader(b)
		}
		text.WriteString(whole)
	}
	return strings.Trim(text.String(), "\n")
}

// maxHeader is how long a header may be to stand before the rows of each chunk.
const maxHeader = Limit / 2

// withHeader is a row with the header of its table, or any other block.
func withHeader(b markdown.Block) string {
	text := strings.TrimRight(b.Text, " \t\n")
	if b.Header == "" || Tokens(b.Header) > maxHeader {
		return text
	}
	return b.Header + "\n" + text
}

// pieces cuts a block above the limit into blocks of its kind.
func pieces(b markdown.Block) []markdown.Block {
	limit := Limit
	if withHeader(b) != strings.TrimRight(b.Text, " \t\n") {
		limit -= Tokens(b.Header)
	}
	var parts []markdown.Block
	for _, text := range cut(b.Text, limit) {
		part := b
		part.Text = strings.TrimSpace(text)
		if part.Text != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

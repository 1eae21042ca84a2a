package chunk

import (
	"strings"

	"github.com/redline-svc/redline/internal/markdown"
)

// packer divides the blocks of one section into chunks.
type packer struct {
	blocks []markdown.Block
	// repeated is what may still be repeated.
	repeated *repeats
	// table is the one whose header was looked at last, of so many tokens.
	table        int
	headerTokens int
}

// between is how many bytes stand between two blocks of a chunk at most.
const between = 2

// add takes a block. One above the limit is cut.
func (p *packer) add(b markdown.Block) {
	header := p.headerSize(b)
	rest := size{Limit - header.tokens, MaxBytes - header.bytes - between}
	if rest.holds(b.Text) {
		p.blocks = append(p.blocks, b)
		return
	}
	for _, text := range cut(b.Text, rest) {
		part := b
		if part.Text = strings.TrimSpace(text); part.Text != "" {
			p.blocks = append(p.blocks, part)
		}
	}
}

// end returns the texts of the chunks.
func (p *packer) end() []string {
	all := make([]unit, len(p.blocks))
	most := size{Limit, MaxBytes}
	for i, b := range p.blocks {
		all[i] = unitOf(b.Text, size{Tokens(b.Text), len(b.Text) + between})
		again := p.again(i)
		most.tokens, most.bytes = min(most.tokens, Limit-again.tokens), min(most.bytes, MaxBytes-again.bytes)
		if p.begins(0, i) {
			header := p.headerSize(b)
			all[i].tokens += header.tokens
			all[i].bytes += header.bytes
		}
	}
	var texts []string
	from := 0
	for _, to := range divide(all, most) {
		if text := p.text(from, to); text != "" {
			texts = append(texts, text)
			p.repeated.take(p.headerSize(p.blocks[from]).bytes)
		}
		from = to
	}
	return texts
}

// again is what is kept free for what a chunk that begins with a block repeats: the header
// of its table, or the last sentences before it, which have half of what they may on
// average.
func (p *packer) again(i int) size {
	if p.proseBefore(i) {
		return size{overlap / 2, maxOverlap + between}
	}
	return p.headerSize(p.blocks[i])
}

// proseBefore reports whether a block and the one before it are prose.
func (p *packer) proseBefore(i int) bool {
	return i > 0 && p.blocks[i-1].Kind == markdown.Paragraph && p.blocks[i].Kind == markdown.Paragraph
}

// begins reports whether a block is the first one of its table in the chunk that begins
// at from.
func (p *packer) begins(from, i int) bool {
	return i == from || p.blocks[i-1].Table != p.blocks[i].Table
}

// overlap returns the last whole sentences before a block, between prose and prose, as
// far as they fit into a chunk that holds so much already.
func (p *packer) overlap(i int, held size) string {
	if !p.proseBefore(i) {
		return ""
	}
	room := size{min(overlap, Limit-held.tokens), min(maxOverlap, MaxBytes-held.bytes-between)}
	sentences := markdown.Sentences(p.blocks[i-1].Text)
	from := len(sentences)
	for from > 1 && room.holds(strings.Join(sentences[from-1:], "")) {
		from--
	}
	joined := strings.Join(sentences[from:], "")
	if !room.holds(joined) {
		return ""
	}
	return strings.TrimSpace(joined)
}

// text joins what is repeated and the blocks of a chunk: paragraphs by a blank line, rows
// and items by a line end, with a table's header before its first row here.
func (p *packer) text(from, to int) string {
	var text strings.Builder
	for i := from; i < to; i++ {
		b := p.blocks[i]
		switch {
		case text.Len() == 0:
		case p.continues(i):
			text.WriteString("\n")
		default:
			text.WriteString("\n\n")
		}
		if p.begins(from, i) && p.headerSize(b).bytes > 0 {
			text.WriteString(b.Header + "\n")
		}
		text.WriteString(strings.TrimRight(b.Text, " \t\n"))
	}
	joined := strings.Trim(text.String(), "\n")
	if before := p.overlap(from, size{Tokens(joined), len(joined)}); before != "" && joined != "" {
		return before + "\n\n" + joined
	}
	return joined
}

// continues reports whether a block belongs to the same table or list as the one
// before it.
func (p *packer) continues(i int) bool {
	if i == 0 || p.blocks[i].Kind != p.blocks[i-1].Kind {
		return false
	}
	b, last := p.blocks[i], p.blocks[i-1]
	return b.Kind == markdown.Row && b.Table == last.Table || b.Kind == markdown.Item && b.List == last.List
}

// maxHeaderTokens is how long a header may be to stand before the rows of each
// chunk.
const maxHeaderTokens = Limit / 2

// headerSize is what the header before a row adds to a chunk; nothing for other
// blocks and where the header is not repeated.
func (p *packer) headerSize(b markdown.Block) size {
	if b.Header == "" || len(b.Header) > maxHeader || len(b.Header) >= p.repeated.left {
		return size{}
	}
	if p.table != b.Table {
		p.table, p.headerTokens = b.Table, Tokens(b.Header)
	}
	if p.headerTokens > maxHeaderTokens {
		return size{}
	}
	return size{p.headerTokens, len(b.Header) + 1}
}

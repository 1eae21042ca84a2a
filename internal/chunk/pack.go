package chunk

import (
	"strings"

	"github.com/redline-svc/redline/internal/markdown"
)

// packer fills chunks with the blocks of one section.
type packer struct {
	texts []string
	open  []markdown.Block
	// size is that of the open chunk; white space joins its parts, so tokens add
	// up, and bytes with what stands between them.
	size size
	// before is what the open chunk repeats of the one before it.
	before string
	// repeated is what may still be repeated.
	repeated *repeats
	// table is the one whose header was looked at last, of so many tokens.
	table        int
	headerTokens int
}

// between is how many bytes stand between two blocks of a chunk at most.
const between = 2

// add puts a block into the open chunk, or closes that at the boundary nearest
// the target. A block above the limit is cut first.
func (p *packer) add(b markdown.Block) {
	header := p.headerSize(b)
	rest := size{Limit - header.tokens, MaxBytes - header.bytes - between}
	if rest.holds(b.Text) {
		p.put(b)
		return
	}
	for _, text := range cut(b.Text, rest) {
		part := b
		if part.Text = strings.TrimSpace(text); part.Text != "" {
			p.put(part)
		}
	}
}

func (p *packer) put(b markdown.Block) {
	if len(p.open) > 0 {
		cost := p.cost(b)
		then := p.size.tokens + cost.tokens
		if then > Limit || then > Target && then-Target >= Target-p.size.tokens || p.size.bytes+cost.bytes > MaxBytes {
			p.close()
			p.overlap(b)
		}
	}
	cost := p.cost(b)
	p.size.tokens += cost.tokens
	p.size.bytes += cost.bytes
	p.open = append(p.open, b)
}

// cost is what a block adds to the open chunk: with the header of its table if
// it is the first row of that here.
func (p *packer) cost(b markdown.Block) size {
	cost := size{Tokens(b.Text), len(b.Text) + between}
	if p.begins(len(p.open), b) {
		header := p.headerSize(b)
		cost.tokens += header.tokens
		cost.bytes += header.bytes
	}
	return cost
}

// begins reports whether no block before the one at i is of the same table.
func (p *packer) begins(i int, b markdown.Block) bool { return i == 0 || p.open[i-1].Table != b.Table }

func (p *packer) close() {
	if text := p.text(); text != "" {
		p.texts = append(p.texts, text)
		p.repeated.take(p.headerSize(p.open[0]).bytes)
	}
	p.before, p.size = "", size{}
}

// overlap begins the next chunk with the last whole sentences of the one before
// it, between prose and prose, as far as they fit.
func (p *packer) overlap(b markdown.Block) {
	last := p.open[len(p.open)-1]
	p.open = nil
	if last.Kind != markdown.Paragraph || b.Kind != markdown.Paragraph {
		return
	}
	room := size{min(overlap, Limit-Tokens(b.Text)), min(maxOverlap, MaxBytes-len(b.Text)-2*between)}
	sentences := markdown.Sentences(last.Text)
	from := len(sentences)
	for from > 1 && room.holds(strings.Join(sentences[from-1:], "")) {
		from--
	}
	if joined := strings.Join(sentences[from:], ""); joined != "" && room.holds(joined) {
		p.before = strings.TrimSpace(joined)
		p.size = size{Tokens(p.before), len(p.before)}
	}
}

func (p *packer) end() []string {
	if len(p.open) > 0 {
		p.close()
	}
	return p.texts
}

// text joins what is repeated and the blocks: paragraphs by a blank line, rows
// and items by a line end, with a table's header before its first row here.
func (p *packer) text() string {
	var text strings.Builder
	text.WriteString(p.before)
	for i, b := range p.open {
		switch {
		case text.Len() == 0:
		case i > 0 && b.Kind == p.open[i-1].Kind && (b.Kind == markdown.Row && b.Table == p.open[i-1].Table || b.Kind == markdown.Item && b.List == p.open[i-1].List):
			text.WriteString("\n")
		default:
			text.WriteString("\n\n")
		}
		if p.begins(i, b) && p.headerSize(b).bytes > 0 {
			text.WriteString(b.Header + "\n")
		}
		text.WriteString(strings.TrimRight(b.Text, " \t\n"))
	}
	return strings.Trim(text.String(), "\n")
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

package markdown

import (
	"regexp"
	"strings"
)

// Kind says what a block is.
type Kind int

// The kinds of blocks.
const (
	Paragraph Kind = iota
	Heading
	Item
	Row
	Code
)

// Block is a piece of a text, in its order.
type Block struct {
	Kind Kind
	// Text as written; lines of one block are joined by \n. A heading's text is
	// without its mark.
	Text string
	// Level is a heading's, 1 to 6.
	Level int
	// Header is the header row and the line below it, for the other rows of its
	// table; empty for the header itself and for tables without one.
	Header string
	// List numbers the lists of a text, Table its tables, from 1.
	List, Table int
}

var (
	// Closing marks of a heading are those behind a space: C# keeps its own.
	heading   = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(?:#+|(.*?)(?:[ \t]+#+)?)[ \t]*$`)
	underline = regexp.MustCompile(`^ {0,3}(={3,}|-{3,})[ \t]*$`)
	fence     = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	item      = regexp.MustCompile(`^[ \t]*([-*+•◦▪‣]|[0-9]{1,3}[.)]|\(([0-9]{1,3}|[a-zA-Z]|[ivx]{2,5})\)|[a-zA-Z]\)|[a-z]\.|[ivx]{2,5}[.)])[ \t]+\S`)
	tick      = regexp.MustCompile(`^[ \t]*(\[[ xX]\]|[☐☑☒✓✔])[ \t]+\S`)
	row       = regexp.MustCompile(`^[ \t]*\|.*\|[ \t]*$`)
	delimiter = regexp.MustCompile(`^[ \t]*\|[ \t:|-]*-[ \t:|-]*\|[ \t]*$`)
	marker    = regexp.MustCompile(`^[ \t]*<!-- page [0-9]+ -->[ \t]*$`)
)

// parser gathers blocks line by line. The text of a block is a part of the
// whole, so a long one costs no more than a short one.
type parser struct {
	text   string
	blocks []Block
	// open is the block that the next line may belong to, nil when none. It is
	// text[from:to], of so many lines.
	open            *Block
	from, to, lines int
	// fence ends the open block of code.
	fence         string
	header        string
	lists, tables int
	// inList, inTable: the last block was an item, or a row with no blank line since.
	inList, inTable bool
	// pages are the numbers of blocks before each page marker.
	pages []int
}

// Parse reads the blocks of a text.
func Parse(text string) []Block {
	p := &parser{text: text}
	for at := 0; at <= len(text); {
		end := len(text)
		if length := strings.IndexByte(text[at:], '\n'); length >= 0 {
			end = at + length
		}
		p.line(at, end)
		at = end + 1
	}
	p.close()
	return overPages(p.blocks, p.pages)
}

func (p *parser) line(from, to int) {
	line := p.text[from:to]
	switch {
	case p.fence != "":
		p.code(line, to)
	case marker.MatchString(line):
		p.close()
		p.inTable = false
		p.pages = append(p.pages, len(p.blocks))
	case strings.TrimSpace(line) == "":
		p.close()
		p.inTable = false
	case fence.MatchString(line):
		p.begin(Block{Kind: Code}, from, to)
		p.fence = fence.FindStringSubmatch(line)[1]
	case heading.MatchString(line):
		m := heading.FindStringSubmatch(line)
		p.begin(Block{Kind: Heading, Level: len(m[1]), Text: m[2]}, from, to)
		p.close()
	case row.MatchString(line):
		p.row(line, from, to)
	case item.MatchString(line), tick.MatchString(line):
		p.item(from, to)
	default:
		p.prose(line, from, to)
	}
}

// begin closes the open block and opens another one.
func (p *parser) begin(b Block, from, to int) {
	p.close()
	p.inTable = b.Kind == Row
	if b.Kind != Item {
		p.inList = false
	}
	p.open, p.from, p.to, p.lines = &b, from, to, 1
}

// extend adds a line to the open block.
func (p *parser) extend(to int) {
	p.to = to
	p.lines++
}

func (p *parser) close() {
	if p.open == nil {
		return
	}
	if p.open.Kind != Heading {
		p.open.Text = p.text[p.from:p.to]
	}
	if p.open.Text != "" {
		p.blocks = append(p.blocks, *p.open)
	}
	p.open = nil
}

func (p *parser) code(line string, to int) {
	p.extend(to)
	if strings.HasPrefix(strings.TrimLeft(line, " "), p.fence) {
		p.fence = ""
		p.close()
	}
}

// row begins a table or goes on with one; its second line may say that the
// first one is the header.
func (p *parser) row(line string, from, to int) {
	switch {
	case !p.inTable:
		p.tables++
		p.header = ""
	case delimiter.MatchString(line) && p.open != nil && p.header == "":
		p.extend(to)
		p.header = p.text[p.from:p.to]
		return
	}
	header := p.header
	p.begin(Block{Kind: Row, Header: header, Table: p.tables}, from, to)
}

func (p *parser) item(from, to int) {
	if !p.inList {
		p.lists++
	}
	p.begin(Block{Kind: Item, List: p.lists}, from, to)
	p.inList = true
}

// prose goes on with an open paragraph or item, or begins a paragraph. A line
// below one may make that a heading.
func (p *parser) prose(line string, from, to int) {
	switch {
	case p.open == nil || p.open.Kind == Row:
		p.begin(Block{Kind: Paragraph}, from, to)
	case p.open.Kind == Paragraph && p.lines == 1 && underline.MatchString(line):
		level := 1
		if strings.Contains(line, "-") {
			level = 2
		}
		*p.open = Block{Kind: Heading, Level: level, Text: strings.TrimSpace(p.text[p.from:p.to])}
		p.close()
	default:
		p.extend(to)
	}
}

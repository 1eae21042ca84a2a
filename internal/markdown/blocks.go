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
	// List numbers the lists of a text, Table its tables, from 1. Code in an item has the
	// number of its list.
	List, Table int
	// Mark is how many bytes of an item's text its mark has, with the box to be ticked in
	// it; Ticked says that there is one.
	Mark   int
	Ticked bool
}

var (
	// Closing marks of a heading are those behind a space: C# keeps its own.
	heading   = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(?:#+|(.*?)(?:[ \t]+#+)?)[ \t]*$`)
	underline = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	ruler     = regexp.MustCompile(`^ {0,3}((-[ \t]*){3,}|(\*[ \t]*){3,}|(_[ \t]*){3,})$`)
	fence     = regexp.MustCompile("^[ \t]*(?:(```+)[^`]*|(~~~+).*)$")
	row       = regexp.MustCompile(`^[ \t]*\|.*\|[ \t]*$`)
	delimiter = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	marker    = regexp.MustCompile(`^[ \t]*<!-- page [0-9]+ -->[ \t]*$`)
)

// parser gathers blocks line by line. The text of a block is a part of the
// whole, so a long one costs no more than a short one.
type parser struct {
	text   string
	marks  Marks
	blocks []Block
	// open is the block that the next line may belong to, nil when none. It is
	// text[from:to], of so many lines, of which the last one begins at last.
	open                  *Block
	from, to, lines, last int
	// fence ends the open block of code.
	fence         string
	header        string
	lists, tables int
	// inList, inTable: the last block was an item, or a row with no blank line since.
	inList, inTable bool
	// indent is that of the last item's line.
	indent int
	// pages are the numbers of blocks before each page marker.
	pages []int
}

// Parse reads the blocks of a text.
func Parse(text string) []Block {
	p := &parser{text: text, marks: MarksOf(text)}
	for at := p.frontMatter(); at <= len(text); {
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
	if p.fence != "" && p.code(line, to) {
		return
	}
	mark := p.marks.Of(line)
	switch {
	case marker.MatchString(line):
		p.close()
		p.inTable = false
		p.pages = append(p.pages, len(p.blocks))
	case strings.TrimSpace(line) == "":
		p.close()
		p.inTable = false
	case fence.MatchString(line):
		p.beginCode(line, from, to)
	case heading.MatchString(line):
		m := heading.FindStringSubmatch(line)
		p.begin(Block{Kind: Heading, Level: len(m[1]), Text: m[2]}, from, to)
		p.close()
	case p.isDelimiter(line):
		p.head(to)
	case p.isRow(line):
		p.row(from, to)
	case ruler.MatchString(line) && !p.underlines(line):
		p.begin(Block{Kind: Paragraph}, from, to)
		p.close()
	case mark.Length > 0 && p.interrupts(mark):
		p.item(mark, from, to)
	default:
		p.prose(line, from, to)
	}
}

// isDelimiter reports whether the line parts the header of a table from its rows.
func (p *parser) isDelimiter(line string) bool {
	return strings.Contains(line, "|") && delimiter.MatchString(line) && p.headed(line)
}

func (p *parser) isRow(line string) bool {
	return row.MatchString(line) || p.inTable && (columns(line) > 1 || edged(line))
}

// edged reports whether a line begins or ends with the sign between cells.
func edged(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "|") || strings.HasSuffix(line, "|")
}

// begin closes the open block and opens another one.
func (p *parser) begin(b Block, from, to int) {
	p.close()
	p.inTable = b.Kind == Row
	p.inList = b.List > 0
	p.open, p.from, p.to, p.lines, p.last = &b, from, to, 1, from
}

// extend adds a line to the open block.
func (p *parser) extend(from, to int) {
	p.to, p.last = to, from
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

// beginCode begins a block of code, in an item where it stands behind that one's mark.
func (p *parser) beginCode(line string, from, to int) {
	list := 0
	if p.inList && indent(line) > p.indent {
		list = p.lists
	}
	marks := fence.FindStringSubmatch(line)
	p.begin(Block{Kind: Code, List: list}, from, to)
	p.fence = marks[1] + marks[2]
}

// code adds a line to the open block of code. It reports false where the block has ended
// with the item that it stands in.
func (p *parser) code(line string, to int) bool {
	inner := strings.TrimSpace(line)
	if p.open.List > 0 && inner != "" && indent(line) <= p.indent {
		p.fence = ""
		p.close()
		return false
	}
	p.extend(to-len(line), to)
	if len(inner) >= len(p.fence) && strings.Trim(inner, p.fence[:1]) == "" {
		p.fence = ""
		p.close()
	}
	return true
}

// indent is how many characters of white space a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// headed reports whether the line before a delimiter row is the header of a table: it has as
// many cells, and is the last one of a paragraph or a row alone.
func (p *parser) headed(line string) bool {
	if p.open == nil || p.open.Kind != Paragraph && (p.open.Kind != Row || p.header != "" || p.lines > 1) {
		return false
	}
	header := p.text[p.last:p.to]
	cells := columns(header)
	return cells == columns(line) && (cells > 1 || edged(header))
}

// head makes the last line and the delimiter row below it the header of a table.
func (p *parser) head(to int) {
	if from := p.last; p.open.Kind == Paragraph {
		if p.to = from - 1; p.lines == 1 {
			p.open = nil
		}
		p.tables++
		p.begin(Block{Kind: Row, Table: p.tables}, from, from)
	}
	p.extend(p.last, to)
	p.header = p.text[p.from:to]
}

// columns counts the cells of a line, at least one.
func columns(line string) int {
	return len(Cells(line))
}

// Cells returns the cells of a row as they are written, but for the signs between them.
func Cells(row string) []string {
	row = strings.TrimSpace(row)
	row = strings.TrimPrefix(row, "|")
	if strings.HasSuffix(row, "|") && !strings.HasSuffix(row, `\|`) {
		row = row[:len(row)-1]
	}
	if !strings.Contains(row, `\|`) {
		return strings.Split(row, "|")
	}
	cells := strings.Split(strings.ReplaceAll(row, `\|`, "\x00"), "|")
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "\x00", "|")
	}
	return cells
}

// row begins a table or goes on with one.
func (p *parser) row(from, to int) {
	if !p.inTable {
		p.tables++
		p.header = ""
	}
	header := p.header
	p.begin(Block{Kind: Row, Header: header, Table: p.tables}, from, to)
}

// interrupts reports whether a line with that mark begins an item, and does not go on with a
// paragraph in which a number happens to stand first.
func (p *parser) interrupts(mark Mark) bool {
	if p.open == nil || p.open.Kind != Paragraph || mark.First() || !mark.Bare && p.marks.Beside(mark) {
		return true
	}
	before := strings.TrimRight(p.text[p.last:p.to], " \t*_\"'”’)")
	return strings.HasSuffix(before, ":") || strings.HasSuffix(before, ".") || strings.HasSuffix(before, ";") ||
		strings.HasSuffix(before, "!") || strings.HasSuffix(before, "?")
}

// item begins an item, or the code that is all of it.
func (p *parser) item(mark Mark, from, to int) {
	if !p.inList {
		p.lists++
	}
	line := p.text[from:to]
	p.indent = indent(line)
	if marks := fence.FindStringSubmatch(line[mark.Length:]); marks != nil {
		p.begin(Block{Kind: Code, List: p.lists}, from, to)
		p.fence = marks[1] + marks[2]
		return
	}
	p.begin(Block{Kind: Item, List: p.lists, Mark: mark.Length, Ticked: mark.Ticked}, from, to)
}

// maxHeadingLines is how many lines a heading has that is underlined with equals signs. Dashes
// part text as well, so they underline a single line alone.
const maxHeadingLines = 3

// underlines reports whether a line makes a heading of the paragraph above it.
func (p *parser) underlines(line string) bool {
	if p.open == nil || p.open.Kind != Paragraph || !underline.MatchString(line) {
		return false
	}
	return p.lines == 1 || p.lines <= maxHeadingLines && strings.Contains(line, "=")
}

// prose goes on with an open paragraph or item, or begins a paragraph. A line
// below one may make that a heading.
func (p *parser) prose(line string, from, to int) {
	switch {
	case p.open == nil || p.open.Kind == Row:
		p.begin(Block{Kind: Paragraph}, from, to)
	case p.underlines(line):
		level := 1
		if strings.Contains(line, "-") {
			level = 2
		}
		*p.open = Block{Kind: Heading, Level: level, Text: strings.TrimSpace(strings.ReplaceAll(p.text[p.from:p.to], "\n", " "))}
		p.close()
	default:
		p.extend(from, to)
	}
}

// field is a line of YAML that names a value.
var field = regexp.MustCompile(`^("[^"]*"|'[^']*'|[^\s:#\-\[{"'][^:]*):(\s|$)`)

// frontMatter keeps the values of YAML that a text may begin with, between lines of three
// dashes, as code, and returns where the rest begins.
func (p *parser) frontMatter() int {
	first, _, _ := strings.Cut(p.text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return 0
	}
	named := false
	for at := len(first) + 1; at < len(p.text); {
		line, _, _ := strings.Cut(p.text[at:], "\n")
		at += len(line) + 1
		switch trimmed := strings.TrimRight(line, " \t"); {
		case named && (trimmed == "---" || trimmed == "..."):
			p.begin(Block{Kind: Code}, 0, at-1)
			p.close()
			return at
		case named, trimmed == "", strings.HasPrefix(trimmed, "#"):
		case !field.MatchString(line):
			return 0
		default:
			named = true
		}
	}
	return 0
}

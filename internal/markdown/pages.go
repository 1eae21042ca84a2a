package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// edge is how many blocks at each end of a page may be its running lines, and
	// maxRunning how long one is, in characters.
	edge, maxRunning = 3, 120
	// leastWords is what a paragraph without an end has at least, or it is taken for a
	// label or a line of a form where the next page does not begin in lower case.
	leastWords = 8
	// notes is how many blocks may stand below the text that goes on: footnotes.
	notes = 3
)

// pageNumber is a running line that says which page it is.
var pageNumber = regexp.MustCompile(`(?i)^[^\pL\pN]*(page|seite|pagina|página|p\.|s\.)?\s*([0-9]+|[ivxlc]+)(\s*(of|von|de|di|sur|/|-|–)\s*[0-9]+)?[^\pL\pN]*$`)

// dashed is a page number that looks like an item of a list.
var dashed = regexp.MustCompile(`^[-–—]\s*[0-9]+\s*[-–—]$`)

// numbers are what changes in a running line from page to page.
var numbers = regexp.MustCompile(`[0-9]+`)

// pages are the blocks of a text by the page that they stand on.
type pages struct {
	blocks []Block
	// begins are the blocks that pages begin with.
	begins []int
	// running says of a block that it is a running header or footer.
	running []bool
	// joined are the blocks in their order, at is the one of them that the text of the
	// last page ends with, or -1, and rest what has to be added to them.
	joined []Block
	at     int
	rest   map[int][]string
	// heading is the last heading among them, or -1.
	heading int
}

// overPages joins what a page break parts, and puts running lines that stand between in
// front. begins are the numbers of blocks before each page marker.
func overPages(blocks []Block, begins []int) []Block {
	if len(begins) == 0 {
		return blocks
	}
	p := &pages{blocks: blocks, begins: append([]int{0}, begins...), at: -1, rest: map[int][]string{}, heading: -1}
	p.running = make([]bool, len(blocks))
	p.findRunning()
	for i := range p.begins {
		p.page(p.span(i))
	}
	for i, parts := range p.rest {
		p.joined[i].Text = joinParts(append([]string{p.joined[i].Text}, parts...))
	}
	return p.joined
}

// span are the first block of a page and the first one behind it.
func (p *pages) span(page int) (from, to int) {
	if page+1 < len(p.begins) {
		return p.begins[page], p.begins[page+1]
	}
	return p.begins[page], len(p.blocks)
}

// findRunning looks for what stands near the ends of several pages, but for numbers.
func (p *pages) findRunning() {
	seen, last := map[string]int{}, map[string]int{}
	for page := range p.begins {
		p.edges(page, func(_ int, key string) {
			if last[key] != page+1 {
				seen[key]++
			}
			last[key] = page + 1
		})
	}
	for page := range p.begins {
		p.edges(page, func(i int, key string) { p.running[i] = seen[key] > 1 || pageNumber.MatchString(p.blocks[i].Text) })
	}
}

// edges calls f for each block near an end of a page that may be a running line.
func (p *pages) edges(page int, f func(i int, key string)) {
	from, to := p.span(page)
	for i := from; i < to; i++ {
		b := p.blocks[i]
		near := i < from+edge || i >= to-edge
		if near && (b.Kind == Paragraph || b.Kind == Heading || b.Kind == Item && dashed.MatchString(b.Text)) && utf8.RuneCountInString(b.Text) <= maxRunning {
			f(i, numbers.ReplaceAllString(b.Text, "0"))
		}
	}
}

// page adds the blocks of a page.
func (p *pages) page(from, to int) {
	begun := false
	for i := from; i < to; i++ {
		b := p.blocks[i]
		switch {
		case p.running[i]:
			p.add(b)
			continue
		case !begun && p.at >= 0 && p.goesOn(b):
			begun = true
			continue
		case !begun && p.at >= 0 && b.Kind == Item && strings.HasSuffix(p.joined[p.at].Text, ":"):
			p.last()
		}
		begun = true
		p.add(b)
		p.at = len(p.joined) - 1
	}
}

func (p *pages) add(b Block) {
	if p.joined = append(p.joined, b); b.Kind == Heading {
		p.heading = len(p.joined) - 1
	}
}

// goesOn adds a block to the one that it goes on with, if it does.
func (p *pages) goesOn(b Block) bool {
	if b.Kind != Paragraph {
		return false
	}
	first := strings.TrimLeftFunc(b.Text, func(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pi) || strings.ContainsRune(`"'*_`, r) })
	letter, _ := utf8.DecodeRuneInString(first)
	switch {
	case unicode.IsLower(letter):
		p.at = p.above()
		if k := p.joined[p.at].Kind; k != Paragraph && k != Item || strings.HasSuffix(p.joined[p.at].Text, ":") {
			return false
		}
	case !unicode.IsLetter(letter) && !unicode.IsDigit(letter), p.joined[p.at].Kind != Paragraph, !p.open(p.at, leastWords):
		return false
	}
	p.last()
	p.rest[p.at] = append(p.rest[p.at], b.Text)
	return true
}

// above is the block that the text of a page ends with: where that seems to be a note, the
// one above it that has no end.
func (p *pages) above() int {
	if p.joined[p.at].Kind != Paragraph || p.open(p.at, 1) {
		return p.at
	}
	for i := p.at - 1; i >= max(0, p.at-notes); i-- {
		if p.joined[i].Kind == Paragraph && p.open(i, leastWords/2) {
			return i
		}
	}
	return p.at
}

// open reports whether a block of at least so many words ends within a sentence.
func (p *pages) open(i, least int) bool {
	text := p.joined[i].Text
	if added := p.rest[i]; len(added) > 0 {
		text = added[len(added)-1]
	}
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune(" \t\n\"'*_", r)
	})
	end, _ := utf8.DecodeLastRuneInString(text)
	words := len(strings.Fields(text))
	if dense(end) {
		words = utf8.RuneCountInString(text)
	}
	return text != "" && !strings.ContainsRune(".!?:…。！？：؟۔", end) && (words >= least || end == ',')
}

// last puts the block that goes on behind running lines that follow it.
func (p *pages) last() {
	behind := p.joined[p.at+1:]
	if len(behind) == 0 || p.heading > p.at {
		return
	}
	b, to := p.joined[p.at], len(p.joined)-1
	copy(p.joined[p.at:], behind)
	p.joined[to] = b
	if added, ok := p.rest[p.at]; ok {
		delete(p.rest, p.at)
		p.rest[to] = added
	}
	if p.heading == p.at {
		p.heading = to
	}
	p.at = to
}

// dense reports whether a character is of a script without spaces between words.
func dense(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// joinParts joins the parts of a text that page breaks part.
func joinParts(parts []string) string {
	var text strings.Builder
	var before rune
	for i, part := range parts {
		part = strings.TrimSpace(part)
		after, _ := utf8.DecodeRuneInString(part)
		if i > 0 && (!dense(before) || !dense(after)) {
			text.WriteByte(' ')
		}
		text.WriteString(part)
		before, _ = utf8.DecodeLastRuneInString(part)
	}
	return text.String()
}

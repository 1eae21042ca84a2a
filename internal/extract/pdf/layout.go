package pdf

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/numbering"
)

const (
	// headingRatio is how much larger than the body a heading is set.
	headingRatio = 1.15
	// maxHeading is a heading's length in characters, maxHeadingLevel its depth.
	maxHeading      = 120
	maxHeadingLevel = 3
	maxHeadingLines = 3
	// gapRatio is how much farther than usual lines of two paragraphs are apart;
	// without a measured distance it is usualGap times the size of the type.
	gapRatio, usualGap = 1.35, 1.25
	// indentRatio is how far, in sizes of the type, a first line is indented.
	indentRatio = 0.8
	// sameLine is how far two pieces of one line may be apart in height, in
	// sizes of the type.
	sameLine = 0.3
	// lateLines is how many lines at the end of a page may be its header and footer.
	lateLines = 4
)

// document joins the pages, as long as ctx allows.
func document(ctx context.Context, pages []page) (extract.Document, error) {
	d := extract.Document{Metadata: extract.Metadata{Pages: len(pages)}}
	for _, p := range pages {
		for j, part := range p.parts {
			p.parts[j] = joinInitials(part)
		}
	}
	s := newStyle(pages)
	texts := make([][]string, len(pages))
	var plain strings.Builder
	for i, p := range pages {
		if ctx.Err() != nil {
			return extract.Document{}, context.Cause(ctx)
		}
		plain.WriteString(p.plain)
		if strings.TrimSpace(p.plain) == "" {
			d.Metadata.PagesWithoutText++
		}
		if p.raw && p.plain != "" {
			d.Metadata.UsedRawFallback = true
			texts[i] = []string{rawPage(p.plain)}
			continue
		}
		for _, part := range p.parts {
			texts[i] = append(texts[i], s.blocks(part)...)
		}
	}
	joinDivided(pages, texts)
	d.Markdown = extract.Canonical(marked(texts))
	switch {
	case !extract.HasText(plain.String()):
		return extract.Document{}, extract.Fail(extract.NoTextLayer, "The pages hold no text; the file is a scan without a text layer.")
	case len(d.Markdown) > extract.MaxText:
		return extract.Document{}, extract.Fail(extract.TooLarge, "The file holds more than 20 MiB of text.")
	}
	return d, nil
}

// marked are the blocks of all pages, each page behind its marker.
func marked(pages [][]string) string {
	var all strings.Builder
	for i, blocks := range pages {
		fmt.Fprintf(&all, "<!-- page %d -->\n\n", i+1)
		for _, block := range blocks {
			all.WriteString(block + "\n\n")
		}
	}
	return strings.TrimRight(all.String(), "\n") + "\n"
}

// rawPage is a page as it is, but for characters that mean something to
// markdown.
func rawPage(plain string) string {
	var text strings.Builder
	for l := range strings.SplitSeq(strings.ReplaceAll(plain, "\r\n", "\n"), "\n") {
		text.WriteString(escape(clean(l)) + "\n")
	}
	return strings.TrimRight(text.String(), "\n")
}

// style is how a document is set.
type style struct {
	body   float64
	levels []float64 // sizes of headings, the largest first, as many as there are levels
	lists  *lists
}

// newStyle takes the size of most characters as that of the body.
func newStyle(pages []page) style {
	chars := map[float64]int{}
	for l := range linesOf(pages) {
		chars[rounded(l.size)] += utf8.RuneCountInString(l.text)
	}
	s := style{lists: newLists(pages)}
	for size, count := range chars {
		if count > chars[s.body] || count == chars[s.body] && size < s.body {
			s.body = size
		}
	}
	sizes := map[float64]bool{}
	for l := range linesOf(pages) {
		if s.large(l) && titleLike(l.text) {
			sizes[rounded(l.size)] = true
		}
	}
	s.levels = slices.Sorted(maps.Keys(sizes))
	slices.Reverse(s.levels)
	s.levels = s.levels[:min(len(s.levels), maxHeadingLevel)]
	return s
}

// linesOf are the lines of all pages.
func linesOf(pages []page) iter.Seq[line] {
	return func(yield func(line) bool) {
		for _, p := range pages {
			for _, part := range p.parts {
				for _, l := range part {
					if !yield(l) {
						return
					}
				}
			}
		}
	}
}

// rounded puts sizes together that differ by less than half a point.
func rounded(size float64) float64 { return math.Round(size*2) / 2 }

func (s style) large(l line) bool { return !l.slanted && s.body > 0 && l.size >= headingRatio*s.body }

// level is 1 to 3 by size; what is bold only comes last.
func (s style) level(l line) int {
	if !s.large(l) {
		return min(len(s.levels)+1, maxHeadingLevel)
	}
	if at := slices.Index(s.levels, rounded(l.size)); at >= 0 {
		return at + 1
	}
	return maxHeadingLevel
}

// titleLike reports whether a text may be a heading: short, with a letter.
func titleLike(text string) bool {
	return utf8.RuneCountInString(text) <= maxHeading && strings.IndexFunc(text, unicode.IsLetter) >= 0
}

// blocks makes paragraphs, headings and items of the lines of a page.
func (s style) blocks(lines []line) []string {
	lines = joinPieces(marksFirst(headFirst(lines)))
	c := column{style: s, lines: lines, usual: usualDistance(lines), rights: s.rights(lines)}
	var blocks []string
	for start := 0; start < len(lines); {
		m := c.mark(start, start)
		s.lists.began(m)
		end := start + 1
		for end < len(lines) && !c.parts(start, end, m) {
			end++
		}
		if b := s.block(lines[start:end], m, c.rights[start]); b != "" {
			blocks = append(blocks, b)
		}
		start = end
	}
	return blocks
}

// headFirst puts lines in front that are drawn last, behind the text that they stand
// above: running headers, which some producers add to a finished page.
func headFirst(lines []line) []line {
	late := max(len(lines)-lateLines, 0)
	top := math.Inf(-1)
	for _, l := range lines[:late] {
		top = max(top, l.y)
	}
	var head, rest []line
	for i, l := range lines {
		if i >= late && late > 0 && l.y > top+l.size {
			head = append(head, l)
		} else {
			rest = append(rest, l)
		}
	}
	return append(head, rest...)
}

// aside is how far a mark alone may stand above or below the line that it belongs to, in
// sizes of the type.
const aside = 0.6

// marksFirst puts marks that stand alone before the line beside them, where a page has
// them elsewhere in its order.
func marksFirst(lines []line) []line {
	rows := map[int][]int{} // lines by their height, in points
	for i, l := range lines {
		row := int(math.Floor(l.y))
		rows[row] = append(rows[row], i)
	}
	before := map[int]int{} // marks by the line that they stand before
	for i, l := range lines {
		if m := markOf(l.text); m.none() || m.rare || m.text != strings.TrimSpace(l.text) || i+1 < len(lines) && besides(l, lines[i+1]) {
			continue
		}
		if beside := nearest(lines, rows, i); beside >= 0 {
			before[beside] = i
		}
	}
	if len(before) == 0 {
		return lines
	}
	moved := map[int]bool{}
	for _, i := range before {
		moved[i] = true
	}
	ordered := make([]line, 0, len(lines))
	for i, l := range lines {
		if m, ok := before[i]; ok {
			ordered = append(ordered, lines[m])
		}
		if !moved[i] {
			ordered = append(ordered, l)
		}
	}
	return ordered
}

// besides reports whether a line stands right of a mark, in its row.
func besides(mark, l line) bool { return l.x > mark.x && math.Abs(l.y-mark.y) <= aside*l.size }

// farAside is how many lines of a row are looked at for that which a mark belongs to.
const farAside = 16

// nearest is the line that stands next right of the mark at i, or -1.
func nearest(lines []line, rows map[int][]int, i int) int {
	found, reach := -1, int(math.Ceil(min(aside*lines[i].size, 2*gapRatio*usualGap*farAside)))
	for row := int(math.Floor(lines[i].y)) - reach; row <= int(math.Floor(lines[i].y))+reach; row++ {
		for _, j := range rows[row][:min(len(rows[row]), farAside)] {
			if j != i && besides(lines[i], lines[j]) && (found < 0 || lines[j].x < lines[found].x) {
				found = j
			}
		}
	}
	return found
}

// joinPieces puts pieces of one line together, where the page sets them apart.
func joinPieces(lines []line) []line {
	var joined []line
	for at := 0; at < len(lines); {
		first, end := lines[at], at+1
		for end < len(lines) && continuesLine(lines[end-1], lines[end]) {
			end++
		}
		if end > at+1 {
			first = pieced(lines[at:end])
		}
		joined = append(joined, first)
		at = end
	}
	return joined
}

// continuesLine reports whether a piece stands behind another one, in its row.
func continuesLine(before, l line) bool {
	if l.x <= before.x {
		return false
	}
	apart := math.Abs(before.y - l.y)
	if apart <= sameLine*l.size && !hyphenated(before.text) {
		return true
	}
	m := markOf(before.text)
	return apart <= aside*l.size && !m.none() && m.text == strings.TrimSpace(before.text)
}

// pieced is the line that pieces make. What is said of it as a whole is said by its
// longest piece.
func pieced(pieces []line) line {
	whole, longest := pieces[0], 0
	var text strings.Builder
	for i, p := range pieces {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(p.text)
		if len(p.text) > longest {
			longest = len(p.text)
			whole.size, whole.y, whole.bold = p.size, p.y, p.bold
		}
		whole.end = max(whole.end, p.end)
	}
	whole.text = text.String()
	return whole
}

// usualDistance is the most frequent distance of two baselines on the page.
func usualDistance(lines []line) float64 {
	counts := map[float64]int{}
	best := 0.0
	for i := 1; i < len(lines); i++ {
		if d := rounded(lines[i-1].y - lines[i].y); d > 0 {
			counts[d]++
			if counts[d] > counts[best] || counts[d] == counts[best] && d < best {
				best = d
			}
		}
	}
	if counts[best] < 3 { // too few lines to know
		return 0
	}
	return best
}

// column is a page's lines, as they are parted into blocks.
type column struct {
	style

	lines []line
	// usual is the distance of two baselines, 0 where it is unknown.
	usual float64
	// rights are how far to the right the lines around each one go.
	rights []float64
}

// rights returns for each line how far the lines of its column go: of all from where the page
// begins again at the top. What is larger than the body may stand above several columns.
func (s style) rights(lines []line) []float64 {
	rights := make([]float64, len(lines))
	for start := 0; start < len(lines); {
		right, end := math.Inf(-1), start
		for ; end < len(lines) && (end == start || lines[end].y <= lines[end-1].y); end++ {
			if !s.large(lines[end]) {
				right = max(right, lines[end].end)
			}
		}
		for i := start; i < end; i++ {
			rights[i] = right
		}
		start = end
	}
	return rights
}

// parts reports whether a new block begins at a line, behind one that began at start with
// a mark or none.
func (c column) parts(start, at int, of mark) bool {
	before, l := c.lines[at-1], c.lines[at]
	distance, divided := before.y-l.y, hyphenated(before.text)
	switch {
	case !c.mark(start, at).none():
		return true
	case divided && startsLower(l.text):
		return false
	case math.Abs(before.size-l.size) > 0.1*c.body, before.bold != l.bold:
		return true
	case distance < 0: // another column goes on where this one ended
		return !divided && !continues(before.text, l.text)
	case distance > c.allowed(l):
		return true
	case divided:
		return false
	case of.none():
		return l.x-before.x > indentRatio*l.size
	default:
		return c.leaves(start, at)
	}
}

// allowed is how far lines of one block are apart.
func (c column) allowed(l line) float64 {
	if c.usual == 0 || c.usual < l.size {
		return gapRatio * usualGap * l.size
	}
	return gapRatio * c.usual
}

// leaves reports whether a line is none of an item: it stands elsewhere than the lines of
// the item's text do that hang behind the mark, or farther left than the mark, or the
// line before ends early.
func (c column) leaves(start, at int) bool {
	first, before, l := c.lines[start], c.lines[at-1], c.lines[at]
	switch {
	case c.early(at) && !startsLower(l.text):
		return true
	case at-1 == start:
		return l.x < first.x-indentRatio/2*l.size
	}
	hangs := before.x > first.x+indentRatio/2*l.size
	return hangs && l.x < before.x-indentRatio/2*l.size || l.x-before.x > indentRatio*l.size
}

// continues reports whether a sentence goes on in the next line.
func continues(before, next string) bool { return !ended(before) && startsLower(next) }

// ended reports whether a sentence ends with a text.
func ended(text string) bool {
	text = strings.TrimRight(text, " )]\"'’”»")
	return text == "" || strings.ContainsAny(text[len(text)-1:], ".!?:;")
}

func startsLower(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return unicode.IsLower(first)
}

// mark is the mark that the line at begins an item with, in or behind the block that
// began at start. In the middle of a paragraph a number or dash may begin a line by
// chance: then it must be the next one of its list.
func (c column) mark(start, at int) mark {
	m, of := markOf(c.lines[at].text), markOf(c.lines[start].text)
	switch {
	case m.none() || m.bullet && !m.dash:
		return m
	case c.chance(m, start, at):
		return mark{}
	case at == start || c.brokenOff(start, at) || m.follows(of) || c.meant(m, at):
		return m
	default:
		return mark{}
	}
}

// chance reports whether what looks like a mark is the rest of a word that the line before
// began, or a number of several levels or with a name that no list has.
func (c column) chance(m mark, start, at int) bool {
	if m.rare && at > start && hyphenated(c.lines[at-1].text) {
		return true
	}
	return m.steps != nil && (len(m.steps) > 1 || m.named()) && !c.lists.counted(m)
}

// follows reports whether a mark goes on with the list that has the other one.
func (m mark) follows(of mark) bool {
	return m.dash && of.text == m.text || m.steps != nil && after(of.steps, m.steps) && m.style == of.style
}

// meant reports whether a mark in the middle of a paragraph is the next one of its list and
// not there by chance.
func (c column) meant(m mark, at int) bool {
	if m.dash || m.bare || !c.lists.expected(m) {
		return false
	}
	behind := strings.TrimPrefix(strings.TrimSpace(c.lines[at].text), m.text)
	return strings.HasSuffix(m.text, ")") || !startsLower(behind)
}

// letterRatio is how wide letters are on the average, in sizes of the type.
const letterRatio = 0.5

// brokenOff reports whether the line at does not go on with the text before it: that ended,
// or the line is set apart, or the line before ends early.
func (c column) brokenOff(start, at int) bool {
	before, l := c.lines[at-1], c.lines[at]
	shifted := math.Abs(l.x-before.x) > indentRatio/2*l.size
	if shifted && at-1 == start && l.x < before.x && markOf(before.text).none() {
		shifted = false // the line before is the first one of a paragraph, which is indented
	}
	distance := before.y - l.y
	return ended(before.text) || shifted && distance >= 0 || distance > c.allowed(l) || c.early(at)
}

// early reports whether the line before one ends early: its first word would have fitted
// there.
func (c column) early(at int) bool {
	before, l := c.lines[at-1], c.lines[at]
	word, _, _ := strings.Cut(strings.TrimSpace(l.text), " ")
	needed := letterRatio * l.size * float64(utf8.RuneCountInString(word)+1)
	return c.rights[at-1]-before.end > 1.5*needed
}

// block is one heading, item or paragraph of lines that begin with a mark or none, in a
// column that goes so far to the right.
func (s style) block(lines []line, m mark, right float64) string {
	text := join(lines, right)
	switch {
	case text == "":
		return ""
	case s.heading(lines, text, m):
		return strings.Repeat("#", s.level(lines[0])) + " " + text
	case m.none():
		return escape(text)
	}
	rest := strings.TrimSpace(strings.TrimPrefix(text, m.text))
	isBox, ticked := m.ticked()
	switch {
	case rest == "" && m.bullet:
		return ""
	case !m.bullet, unicode.In([]rune(m.text)[0], numbering.Circled):
		return text
	case isBox && ticked:
		return "- [x] " + rest
	case isBox:
		return "- [ ] " + rest
	default:
		return "- " + rest
	}
}

// heading reports whether lines are one: larger than the body, or bold and alone, and no stamp.
// A number or capital letter in front is that of a section.
func (s style) heading(lines []line, text string, m mark) bool {
	section := m.none() || m.steps != nil && numbering.Kind(m.steps[0]) != numbering.Small && !strings.HasPrefix(m.text, "(")
	return (s.large(lines[0]) || lines[0].bold && !lines[0].slanted) && titleLike(text) && len(lines) <= maxHeadingLines && section
}

// ligatures are the characters that stand for two or three letters.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// clean resolves ligatures, drops soft hyphens and control characters, and
// makes one space of several.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(soft, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		default:
			return r
		}
	}, text)
	return strings.Join(strings.Fields(ligatures.Replace(text)), " ")
}

var meaning = regexp.MustCompile("^(#{1,6} |\\||```|~~~|<!--)")

// escape keeps a text from being read as markdown structure.
func escape(text string) string {
	if meaning.MatchString(text) {
		return `\` + text
	}
	return text
}

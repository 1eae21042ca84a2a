package pdf

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/extract"
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

// document joins the pages.
func document(pages []page) (extract.Document, error) {
	d := extract.Document{Metadata: extract.Metadata{Pages: len(pages)}}
	s := newStyle(pages)
	var all, plain strings.Builder
	for i, p := range pages {
		fmt.Fprintf(&all, "<!-- page %d -->\n\n", i+1)
		plain.WriteString(p.plain)
		if strings.TrimSpace(p.plain) == "" {
			d.Metadata.PagesWithoutText++
		}
		if p.raw && p.plain != "" {
			d.Metadata.UsedRawFallback = true
			all.WriteString(rawPage(p.plain))
			continue
		}
		for _, b := range s.blocks(p.lines) {
			all.WriteString(b + "\n\n")
		}
	}
	d.Markdown = extract.Canonical(strings.TrimRight(all.String(), "\n") + "\n")
	switch {
	case !extract.HasText(plain.String()):
		return extract.Document{}, extract.Fail(extract.NoTextLayer, "The pages hold no text; the file is a scan without a text layer.")
	case len(d.Markdown) > extract.MaxText:
		return extract.Document{}, extract.Fail(extract.TooLarge, "The file holds more than 20 MiB of text.")
	}
	return d, nil
}

// rawPage is a page as it is, but for characters that mean something to
// markdown.
func rawPage(plain string) string {
	var text strings.Builder
	for l := range strings.SplitSeq(strings.ReplaceAll(plain, "\r\n", "\n"), "\n") {
		text.WriteString(escape(clean(l)) + "\n")
	}
	return text.String() + "\n"
}

// style is how a document is set.
type style struct {
	body   float64
	levels []float64 // sizes of headings, the largest first
}

// newStyle takes the size of most characters as that of the body.
func newStyle(pages []page) style {
	chars := map[float64]int{}
	for _, p := range pages {
		for _, l := range p.lines {
			chars[rounded(l.size)] += utf8.RuneCountInString(l.text)
		}
	}
	s := style{}
	for size, count := range chars {
		if count > chars[s.body] || count == chars[s.body] && size < s.body {
			s.body = size
		}
	}
	sizes := map[float64]bool{}
	for _, p := range pages {
		for _, l := range p.lines {
			if s.large(l) && titleLike(l.text) {
				sizes[rounded(l.size)] = true
			}
		}
	}
	for size := range sizes {
		s.levels = append(s.levels, size)
	}
	slices.SortFunc(s.levels, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	return s
}

// rounded puts sizes together that differ by less than half a point.
func rounded(size float64) float64 { return math.Round(size*2) / 2 }

func (s style) large(l line) bool { return s.body > 0 && l.size >= headingRatio*s.body }

// level is 1 to 3 by size; what is bold only comes last.
func (s style) level(l line) int {
	if !s.large(l) {
		return min(len(s.levels)+1, maxHeadingLevel)
	}
	at := slices.Index(s.levels, rounded(l.size))
	return min(max(at, 0)+1, maxHeadingLevel)
}

// titleLike reports whether a text may be a heading: short, with a letter.
func titleLike(text string) bool {
	return utf8.RuneCountInString(text) <= maxHeading && strings.IndexFunc(text, unicode.IsLetter) >= 0
}

// blocks makes paragraphs, headings and items of the lines of a page.
func (s style) blocks(lines []line) []string {
	lines = joinPieces(headFirst(lines))
	usual := usualDistance(lines)
	var blocks []string
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && !s.parts(lines, end, usual) {
			end++
		}
		blocks = append(blocks, s.block(lines[start:end]))
		start = end
	}
	return slices.DeleteFunc(blocks, func(b string) bool { return b == "" })
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

// joinPieces puts pieces of one line together, where the page sets them apart.
func joinPieces(lines []line) []line {
	var joined []line
	for _, l := range lines {
		if n := len(joined); n > 0 {
			last := &joined[n-1]
			if math.Abs(last.y-l.y) <= sameLine*l.size && l.x > last.x && !hyphenated(last.text) {
				last.text += " " + l.text
				continue
			}
		}
		joined = append(joined, l)
	}
	return joined
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

// parts reports whether a new block begins at a line.
func (s style) parts(lines []line, at int, usual float64) bool {
	before, l := lines[at-1], lines[at]
	distance := before.y - l.y
	allowed := gapRatio * usual
	if usual == 0 || usual < l.size {
		allowed = gapRatio * usualGap * l.size
	}
	switch {
	case math.Abs(before.size-l.size) > 0.1*s.body, before.bold != l.bold, itemMark(l.text) != "":
		return true
	case distance < 0: // another column goes on where this one ended
		return !continues(before.text, l.text)
	case distance > allowed:
		return true
	default:
		return l.x-before.x > indentRatio*l.size && itemMark(before.text) == "" && !hyphenated(before.text)
	}
}

// continues reports whether a sentence goes on in the next line.
func continues(before, next string) bool {
	before = strings.TrimRight(before, " ")
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, " "))
	return before != "" && !strings.ContainsAny(before[len(before)-1:], ".!?:") && unicode.IsLower(first)
}

// block is one heading, item or paragraph.
func (s style) block(lines []line) string {
	text := join(lines)
	switch {
	case text == "":
		return ""
	case s.heading(lines, text):
		return strings.Repeat("#", s.level(lines[0])) + " " + text
	}
	if mark := itemMark(text); mark != "" {
		rest := strings.TrimSpace(strings.TrimPrefix(text, mark))
		if rest == "" {
			return ""
		}
		if bullet.MatchString(mark + " ") {
			mark = "-"
		}
		return mark + " " + rest
	}
	return escape(text)
}

// heading reports whether lines are one: larger than the body, or bold and alone.
// A number in front is that of a section.
func (s style) heading(lines []line, text string) bool {
	mark := itemMark(text)
	return (s.large(lines[0]) || lines[0].bold) && titleLike(text) && len(lines) <= maxHeadingLines &&
		(mark == "" || unicode.IsDigit(rune(mark[0])))
}

var (
	bullet = regexp.MustCompile(`^[•◦▪▫‣∙·●○■□–—*+\-➢➤✓✔]\s`)
	number = regexp.MustCompile(`^(\(?[0-9]{1,3}[.)]|\(?[a-z]\)|\([ivx]+\)|[ivx]+\))\s`)
)

// itemMark is the mark with which a line begins an item of a list, or empty.
func itemMark(text string) string {
	text = strings.TrimLeft(text, " ") + " "
	if mark := bullet.FindString(text); mark != "" {
		return strings.TrimSpace(mark)
	}
	return strings.TrimSpace(number.FindString(text))
}

// hyphens divide a word at the end of a line; PDFium gives U+0002 or U+FFFE for
// one that it takes for such.
const hyphens = "-\u2010\u00ad\u0002\ufffe"

// soft are the hyphens that mean nothing but a divided word.
const soft = "\u00ad\u0002\ufffe"

func hyphenated(text string) bool {
	text = strings.TrimRight(text, " ")
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	return strings.ContainsRune(hyphens, last) && unicode.IsLetter(before)
}

// join makes one text of lines. A word divided at the end of a line is joined
// when the next line starts in lower case.
func join(lines []line) string {
	var text string
	for _, l := range lines {
		next := strings.TrimSpace(l.text)
		first, _ := utf8.DecodeRuneInString(next)
		switch {
		case text == "":
			text = next
		case hyphenated(text) && unicode.IsLower(first):
			_, size := utf8.DecodeLastRuneInString(text)
			text = text[:len(text)-size] + next
		case hyphenated(text):
			_, size := utf8.DecodeLastRuneInString(text)
			text = text[:len(text)-size] + "-" + next
		default:
			text += " " + next
		}
	}
	return clean(text)
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

package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/markdown"
)

// extractor walks the blocks of a text.
type extractor struct {
	result  Result
	marks   markdown.Marks
	seen    map[[32]byte]bool
	heading shared
	// lead is the sentence that leads the current list in, without its colon,
	// empty where there is none or it has no marker; indent is that of the item
	// it stands in, -1 for a paragraph.
	lead   shared
	indent int
	// repeatable is how many bytes of headings and lead-ins may still be repeated.
	repeatable int
}

// Extract finds the rules of a canonical markdown. All of them with their categories
// have at most 9 times the bytes of the text.
func Extract(text string) Result {
	e := &extractor{marks: markdown.MarksOf(text), seen: map[[32]byte]bool{}, repeatable: repeatRatio * len(text)}
	for _, b := range markdown.Parse(text) {
		e.block(b)
		if e.result.Truncated {
			break
		}
	}
	return e.result
}

func (e *extractor) block(b markdown.Block) {
	switch b.Kind {
	case markdown.Heading:
		e.heading, e.lead = shared{text: category(b.Text)}, shared{}
	case markdown.Paragraph:
		e.paragraph(b.Text)
	case markdown.Item:
		e.item(b)
	case markdown.Row:
		e.lead = shared{}
		for line := range strings.SplitSeq(b.Text, "\n") {
			for _, cell := range cells(line) {
				e.cell(cell)
			}
		}
	case markdown.Code:
		if b.List == 0 { // else the list goes on behind it
			e.lead = shared{}
		}
	}
}

// maxCategory is how many characters of a heading stand in the rules below it: it
// is kept with each of them.
const maxCategory = 300

func category(heading string) string {
	length := 0
	for at := range heading {
		if length++; length > maxCategory {
			heading = heading[:at]
			break
		}
	}
	return plain(heading)
}

// quoteMark stands before the lines of a block quote.
var quoteMark = regexp.MustCompile(`(?m)^[ \t]*(>[ \t]*)+`)

// paragraph reads sentences. What is in a block quote is read as if it stood in the
// text.
func (e *extractor) paragraph(text string) {
	e.lead = shared{}
	if strings.HasPrefix(strings.TrimLeft(text, " \t"), ">") {
		for _, b := range markdown.Parse(quoteMark.ReplaceAllString(text, "")) {
			e.block(b)
		}
		return
	}
	sentences := markdown.Sentences(text)
	for i, sentence := range sentences {
		sentence = oneLine(sentence)
		if strings.HasSuffix(plain(sentence), ":") && i == len(sentences)-1 {
			e.leadIn(sentence, -1)
			continue
		}
		e.candidate(&shared{}, sentence, normative)
	}
}

// leadIn remembers what leads a list in. It is no rule itself.
func (e *extractor) leadIn(text string, indent int) {
	e.lead, e.indent = shared{}, indent
	text = strings.TrimSpace(strings.TrimSuffix(plain(text), ":"))
	if normative(text) {
		e.lead.text = text
	}
}

func (e *extractor) item(b markdown.Block) {
	indent := len(b.Text) - len(strings.TrimLeft(b.Text, " \t"))
	if e.lead.text != "" && indent < e.indent {
		e.lead = shared{}
	}
	text := oneLine(b.Text[b.Mark:])
	switch {
	case strings.HasSuffix(plain(text), ":"):
		e.leadIn(text, indent)
	case e.lead.text != "" && indent > e.indent && len(e.lead.text) > MaxLength*utf8.UTFMax:
		e.result.Skipped++ // whatever the item adds to it
	case e.lead.text != "" && indent > e.indent:
		e.candidate(&e.lead, text, always)
	default:
		e.listed(text, b.Ticked)
	}
}

// listed reads an item of a list that nothing leads in.
func (e *extractor) listed(text string, ticked bool) {
	if ticked || normativeHeading(e.heading.text) {
		e.candidate(&shared{}, text, always)
		return
	}
	e.candidate(&shared{}, text, normative)
}

// cell reads a cell of a table, which may begin as an item of a list does, but for a number
// alone: that is one of things.
func (e *extractor) cell(text string) {
	if mark := e.marks.Of(text); mark.Length > 0 && !mark.Bare {
		e.listed(text[mark.Length:], mark.Ticked)
		return
	}
	e.candidate(&shared{}, text, normative)
}

// always is what makes a rule of a candidate that is one by where it stands.
func always(string) bool { return true }

// candidate keeps a text, below a lead-in or none, that is a rule. One that is too long
// is cut at its semicolons, and each part checked by itself, below the same lead-in.
func (e *extractor) candidate(lead *shared, text string, rule func(string) bool) {
	parts := []string{text}
	if tooLong(lead.above(plain(text))) {
		parts = strings.Split(text, ";")
	}
	for _, part := range parts {
		content := plain(part)
		switch {
		case content == "" || question(content) || strings.HasSuffix(content, ":") || !rule(content):
		case tooLong(lead.above(content)):
			e.result.Skipped++
		default:
			e.keep(lead, lead.above(content))
		}
	}
}

func tooLong(content string) bool { return utf8.RuneCountInString(content) > MaxLength }

// keep adds a rule below a lead-in, which may be none, unless it is too short or there
// already, or the lead-in may be repeated no more.
func (e *extractor) keep(lead *shared, content string) {
	switch {
	case len(strings.Fields(content)) < MinWords || strings.IndexFunc(content, unicode.IsLetter) < 0:
		return
	case lead.again() > e.repeatable:
		e.result.Skipped++
		return
	}
	identity := Identity(content)
	if e.seen[identity] {
		return
	}
	if len(e.result.Rules) == MaxRules {
		e.result.Truncated = true
		return
	}
	e.seen[identity] = true
	e.result.Rules = append(e.result.Rules, Rule{Content: content, Category: e.take(lead), Identity: identity})
}

// cells are those of a row, without those of the line below a header.
func cells(row string) []string {
	if strings.Trim(row, " \t:|-") == "" {
		return nil
	}
	return markdown.Cells(row)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

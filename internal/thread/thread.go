package thread

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// MaxTags is how many distinct users one comment may tag.
	MaxTags = 100
	// MaxNamed is how many bytes longer names make a text at most: as many as all who may be tagged have in theirs.
	MaxNamed = MaxTags * 200 * utf8.UTFMax
)

// tag is a user id of 1 to 200 characters without braces or control characters.
var tag = regexp.MustCompile(`\{\{([^{}\p{Cc}]{1,200})\}\}`)

// Tags returns the user ids tagged in the text, then those in the text content of
// the HTML, each once.
func Tags(text, markup string) []string {
	seen := map[string]bool{}
	found := []string{}
	for _, source := range []string{text, content(markup, false)} {
		for _, match := range tag.FindAllStringSubmatch(source, -1) {
			if !seen[match[1]] {
				seen[match[1]] = true
				found = append(found, match[1])
			}
		}
	}
	return found
}

// StoredTags are the users whom a stored comment tags. A text that only says what the
// HTML says was made of it, with its blanks joined, those within a tag too: it tags
// nobody besides.
func StoredTags(text, markup string) []string {
	if text == Text(markup) {
		text = ""
	}
	return Tags(text, markup)
}

// Names replaces tags by the names of their users in a text, or in the parts of one. A name is much longer than a tag, which may
// stand there thousands of times: a tag stays once all is longer by MaxNamed bytes.
type Names struct {
	of   map[string]string
	left int
}

// NewNames begins a text; names are those of users by their ids.
func NewNames(names map[string]string) *Names { return &Names{names, MaxNamed} }

// In replaces each tag in the next part by the name of its user; one without a name stays.
func (n *Names) In(text string) string {
	return tag.ReplaceAllStringFunc(text, func(found string) string {
		name := n.of[found[2:len(found)-2]]
		if longer := len(name) - len(found); name != "" && longer <= n.left {
			n.left -= longer
			return name
		}
		return found
	})
}

// Named is a whole text with Names.
func Named(text string, names map[string]string) string { return NewNames(names).In(text) }

// Text reduces HTML to plain text: no tags, no content of scripts and styles,
// block elements and br as line breaks, a blank between cells, entities decoded, runs of
// blanks joined.
func Text(markup string) string { return content(markup, true) }

// Said is what a comment says: its text, or where that is blank the text of its
// HTML.
func Said(text, markup string) string {
	if strings.TrimSpace(text) == "" {
		return Text(markup)
	}
	return text
}

// content is the text content of HTML; laid out, its breaks and blanks follow
// the elements.
func content(markup string, laidOut bool) string {
	var out layout
	out.joining = laidOut
	tokens := html.NewTokenizer(strings.NewReader(markup))
	var hidden atom.Atom
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			return out.finish()
		case html.TextToken:
			if hidden == 0 {
				out.text(string(tokens.Text()))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			element := atom.Lookup(name)
			if element != atom.Script && element != atom.Style {
				out.tag(element, kind)
				continue
			}
			// A slash at its end closes neither: what follows is their content.
			if hidden = element; kind == html.EndTagToken {
				hidden = 0
			}
		default:
		}
	}
}

// blocks are the elements that stand on lines of their own.
var blocks = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Dd: true, atom.Details: true,
	atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true,
	atom.Form: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true,
	atom.Hr: true, atom.Li: true, atom.Main: true, atom.Nav: true, atom.Ol: true, atom.P: true, atom.Pre: true, atom.Section: true,
	atom.Table: true, atom.Caption: true, atom.Tr: true, atom.Ul: true,
}

// layout writes text with its breaks. Without joining it only collects.
type layout struct {
	out     strings.Builder
	joining bool
	// blank and lines wait until more text comes.
	blank bool
	lines int
}

// tag writes what stands between the texts around a tag.
func (l *layout) tag(element atom.Atom, kind html.TokenType) {
	switch {
	case element == atom.Br && kind != html.EndTagToken:
		l.line()
	case blocks[element]:
		l.block()
	case element == atom.Td || element == atom.Th:
		l.blank = l.blank || l.joining
	default:
	}
}

func (l *layout) text(text string) {
	if !l.joining {
		l.out.WriteString(text)
		return
	}
	for _, r := range text {
		switch r {
		case ' ', '\t', '\n', '\r', '\f', '\u00a0':
			l.blank = true
		default:
			l.begin()
			l.out.WriteRune(r)
		}
	}
}

// begin writes the breaks or the blank before the next character; none before
// the first one.
func (l *layout) begin() {
	switch {
	case l.out.Len() == 0:
	case l.lines > 0:
		l.out.WriteString(strings.Repeat("\n", l.lines))
	case l.blank:
		l.out.WriteByte(' ')
	default:
	}
	l.blank, l.lines = false, 0
}

func (l *layout) line() { l.lines++ }

// block ends the present line, if it has anything.
func (l *layout) block() { l.lines = max(l.lines, 1) }

func (l *layout) finish() string { return l.out.String() }

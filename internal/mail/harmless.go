package mail

import (
	"html/template"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"

	"github.com/redline-svc/redline/internal/thread"
)

// allowed is what may stay of a comment's HTML. Everything else goes, scripts
// and styles with what is in them.
var allowed = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "b", "strong", "i", "em", "u", "s", "ul", "ol", "li", "blockquote", "code", "pre")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	return p
}()

// harmless passes HTML through the allow-list and shows tags as names. Names are
// put into the text between elements only, and escaped.
func harmless(markup string, names *thread.Names) string {
	tokens := html.NewTokenizer(strings.NewReader(allowed.Sanitize(markup)))
	var out strings.Builder
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			out.WriteString(html.EscapeString(names.In(html.UnescapeString(string(tokens.Raw())))))
		default:
			out.Write(tokens.Raw())
		}
	}
}

// escaped shows plain text in HTML, line by line.
func escaped(text string) string {
	return strings.ReplaceAll(template.HTMLEscapeString(strings.ReplaceAll(text, "\r\n", "\n")), "\n", "<br>\n")
}

package mail

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/redline-svc/redline/internal/thread"
)

// Templates of mails.
const (
	Mention    = "mention"
	Reply      = "reply"
	Assignment = "assignment"
	Review     = "reviewer-request"
	// Batch is a mail about several comments.
	Batch = "batch"
)

// About is what a mail about a comment is made from, all of it as people wrote
// it.
type About struct {
	Template        string
	Actor, Document string
	Text, HTML      string
	// Names are those of tagged users by their ids.
	Names map[string]string
}

// sentences are what mails begin with.
var sentences = map[string]string{
	Mention:    " mentioned you in ",
	Reply:      " replied in ",
	Assignment: " assigned you a comment in ",
}

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html><head><meta charset="utf-8"></head><body>
<p>{{.Headline}}</p>
<blockquote>{{.Body}}</blockquote>
</body></html>
`))

// Headline is the one line that says what happened.
func Headline(a About) string {
	return OneLine(OneLine(a.Actor) + sentences[a.Template] + "“" + OneLine(a.Document) + "”")
}

// Comment writes a mail about a comment.
func Comment(a About) Content {
	return written(a.parts())
}

// parts are what a mail says of one comment: its headline, its text, and its HTML, which is harmless.
func (a About) parts() (headline, text, html string) {
	headline = Headline(a)
	names := map[string]string{}
	for _, user := range thread.Tags(a.Text, a.HTML) {
		if names[user] = user; a.Names[user] != "" {
			names[user] = a.Names[user]
		}
	}
	body := harmless(a.HTML, thread.NewNames(names))
	if strings.TrimSpace(a.HTML) == "" {
		body = escaped(thread.Named(a.Text, names))
	}
	return headline, thread.Named(thread.Said(a.Text, a.HTML), names), body
}

// Request is what the mail to a reviewer is made from.
type Request struct{ Step, Definition, Comment string }

// ReviewerRequest writes the mail that asks for a decision.
func ReviewerRequest(r Request) Content {
	headline := OneLine("Your decision is awaited: " + OneLine(r.Step) + " (" + OneLine(r.Definition) + ")")
	return written(headline, r.Comment, escaped(r.Comment))
}

// written puts a mail together; html is harmless already.
func written(headline, text, html string) Content {
	var out bytes.Buffer
	// The template is a constant and writes to memory: it does not fail.
	_ = page.Execute(&out, struct {
		Headline string
		Body     template.HTML
	}{headline, template.HTML(html)}) //nolint:gosec // it passed the allow-list or was escaped
	return Content{Subject: headline, Text: strings.TrimSpace(headline+"\n\n"+text) + "\n", HTML: out.String()}
}

var several = template.Must(template.New("several").Parse(`<!DOCTYPE html>
<html><head><meta charset="utf-8"></head><body>
{{range .}}<p>{{.Headline}}</p>
<blockquote>{{.Body}}</blockquote>
{{end}}</body></html>
`))

// Comments writes one mail about comments, in their order; about one the mail that tells of it alone.
func Comments(all []About) Content {
	if len(all) == 1 {
		return Comment(all[0])
	}
	type part struct {
		Headline string
		Body     template.HTML
	}
	parts, texts := make([]part, len(all)), make([]string, len(all))
	for i, a := range all {
		headline, text, html := a.parts()
		parts[i] = part{headline, template.HTML(html)} //nolint:gosec // it passed the allow-list or was escaped
		texts[i] = strings.TrimSpace(headline + "\n\n" + text)
	}
	var out bytes.Buffer
	// The template is a constant and writes to memory: it does not fail.
	_ = several.Execute(&out, parts)
	return Content{Subject: fmt.Sprintf("%d new comments", len(all)), Text: strings.Join(texts, "\n\n") + "\n", HTML: out.String()}
}

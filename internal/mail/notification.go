package mail

import (
	"bytes"
	"html/template"

	"github.com/redline-svc/redline/internal/thread"
)

// Notification names the mails that steps of executions send, beside the templates of
// mails about comments: their text is that of their definition.
const Notification = "notification"

var bare = template.Must(template.New("bare").Parse(`<!DOCTYPE html>
<html><head><meta charset="utf-8"></head><body>
{{.}}
</body></html>
`))

// PlainNotification writes the mail of a notification whose text is plain.
func PlainNotification(subject, text string) Content {
	return notification(subject, text, escaped(text))
}

// HTMLNotification writes the mail of a notification whose text is HTML. Only what a
// comment may have stays of it, without what is in scripts and styles.
func HTMLNotification(subject, markup string) Content {
	return notification(subject, thread.Text(markup), allowed.Sanitize(markup))
}

// notification puts a mail together; html is harmless already.
func notification(subject, text, html string) Content {
	var out bytes.Buffer
	// The template is a constant and writes to memory: it does not fail.
	_ = bare.Execute(&out, template.HTML(html)) //nolint:gosec // it passed the allow-list or was escaped
	return Content{Subject: OneLine(subject), Text: text, HTML: out.String()}
}

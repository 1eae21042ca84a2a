package mail

import (
	"bytes"
	"html/template"
	"strings"
)

// Invitation names the mails that invite people.
const Invitation = "invitation"

// Invited is what an invitation is made from, as the caller named it: who invites, may be empty, into
// what, and where its button leads, empty for none.
type Invited struct{ By, Organization, Folder, Document, URL string }

var invitation = template.Must(template.New("invitation").Parse(`<!DOCTYPE html>
<html><head><meta charset="utf-8"></head><body>
<p>{{.Said}}</p>
{{if .Address}}<p><a href="{{.Address}}">Open the invitation</a></p>
{{end}}</body></html>
`))

// headline is the one line that says who invites into what.
func (i Invited) headline() string {
	place := "“" + OneLine(i.Organization) + "”"
	for _, inside := range []string{i.Folder, i.Document} {
		if inside != "" {
			place = "“" + OneLine(inside) + "” in " + place
		}
	}
	if by := OneLine(i.By); by != "" {
		return OneLine(by + " invites you to " + place)
	}
	return OneLine("You are invited to " + place)
}

// Invite writes an invitation.
func Invite(i Invited) Content {
	headline := i.headline()
	var out bytes.Buffer
	// The template is a constant and writes to memory: it does not fail.
	_ = invitation.Execute(&out, struct{ Said, Address string }{headline, i.URL})
	return Content{Subject: headline, Text: strings.TrimSpace(headline+"\n\n"+i.URL) + "\n", HTML: out.String()}
}

package mail

import (
	"bytes"
	"html/template"
)

// Templates of mails that ask whether an address is the one of who named it. No setting
// stops them, and nothing stands in them that a caller wrote.
const (
	OwnerConfirmation = "owner-confirmation"
	SenderCode        = "sender-code"
)

var question = template.Must(template.New("question").Parse(`<!DOCTYPE html>
<html><head><meta charset="utf-8"></head><body>
<p>{{.Said}}</p>
<p>{{if .Address}}<a href="{{.Address}}">{{.Address}}</a>{{else}}<strong>{{.Code}}</strong>{{end}}</p>
<p>{{.Otherwise}}</p>
</body></html>
`))

// asked is what such a mail says: what was done, the address or the code that confirms it,
// and what to do if it was somebody else.
type asked struct{ Said, Address, Code, Otherwise string }

func (a asked) written(subject string) Content {
	var out bytes.Buffer
	// The template is a constant and writes to memory: it does not fail.
	_ = question.Execute(&out, a)
	return Content{Subject: subject, Text: a.Said + "\n\n" + a.Address + a.Code + "\n\n" + a.Otherwise + "\n", HTML: out.String()}
}

// AskOwner writes the mail that asks the owner of a workspace to open an address.
func AskOwner(workspaceID, address string) Content {
	return asked{
		Said:      "A workspace (" + workspaceID + ") was made with this e-mail address. Open this address within a day and press the button there to confirm that it is yours:",
		Address:   address,
		Otherwise: "If it is not yours, do nothing: no more than that has been done with your address.",
	}.written("Confirm your e-mail address")
}

// AskSender writes the mail with the code that proves an address of a sender.
func AskSender(code string) Content {
	return asked{
		Said:      "This address is set as the sender of a workspace's mails, by this mail server. Enter this code within a day to confirm it:",
		Code:      code,
		Otherwise: "If you have not set it, do nothing.",
	}.written("Your confirmation code")
}

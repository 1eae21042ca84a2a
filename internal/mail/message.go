package mail

import (
	"net/mail"
	"net/textproto"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"github.com/redline-svc/redline/internal/email"
)

// maxHeader is how many characters of a text go into a header.
const maxHeader = 250

// Message is a mail to one recipient.
type Message struct {
	// ID makes the Message-ID; Thread, if any, is the same for all mails that
	// belong together.
	ID, Thread string
	At         time.Time
	// From, To and ReplyTo are addresses; ReplyTo may be empty, as may the names.
	From, FromName string
	To, ToName     string
	ReplyTo        string
	Content
}

// Content is what a mail says, once as text and once as HTML.
type Content struct{ Subject, Text, HTML string }

// errNotAnAddress is an address that was taken once and is none now.
var errNotAnAddress = &textproto.Error{Code: 553, Msg: "the address cannot be read"}

// written returns the mail in the form of the library.
func (m Message) written(from, to, name string) (*gomail.Msg, error) {
	out := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	out.SetDateWithValue(m.At)
	out.SetMessageIDWithValue(m.ID + "@" + name)
	for header, address := range map[gomail.AddrHeader]string{
		gomail.HeaderFrom:    named(m.FromName, from),
		gomail.HeaderTo:      named(m.ToName, to),
		gomail.HeaderReplyTo: named(m.FromName, m.ReplyTo),
	} {
		if address == "" {
			continue
		}
		if err := out.SetAddrHeader(header, address); err != nil {
			return nil, errNotAnAddress
		}
	}
	out.Subject(OneLine(m.Subject))
	out.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Thread != "" {
		thread := "<" + m.Thread + "@" + name + ">"
		out.SetGenHeader(gomail.HeaderInReplyTo, thread)
		out.SetGenHeader(gomail.HeaderReferences, thread)
	}
	out.SetBodyString(gomail.TypeTextPlain, visible(m.Text))
	out.AddAlternativeString(gomail.TypeTextHTML, visible(m.HTML))
	return out, nil
}

// visible leaves out the control characters that no text of a mail may have (RFC 5322, 3.5),
// whatever it was made of.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) {
			return -1
		}
		return r
	}, text)
}

// named writes an address with a name; the library's own form would take quotes
// in a name for its end.
func named(name, address string) string {
	if address == "" {
		return ""
	}
	return (&mail.Address{Name: OneLine(name), Address: address}).String()
}

// OneLine makes a text fit for a header: line breaks and other control
// characters become blanks, and it ends at a length that hosts take.
func OneLine(text string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	clean = strings.Join(strings.Fields(clean), " ")
	if utf8.RuneCountInString(clean) > maxHeader {
		clean = string([]rune(clean)[:maxHeader]) + "…"
	}
	return clean
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// onWire is an address as a host takes it: as it is, or, for one that knows
// ASCII only, with the domain's A-labels.
func onWire(address string, wide bool) string {
	if wide || ascii(address) {
		return address
	}
	parsed, err := email.Parse(address)
	if err != nil || !ascii(parsed.Local) {
		return address
	}
	return parsed.Local + "@" + parsed.Domain
}

package receiver

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"time"

	"github.com/emersion/go-smtp"
)

// mostMail is the largest mail taken.
const mostMail = 32 << 20

// Mail is a mail as it came: from and to are those of the envelope, names of
// headers in lower case, their values decoded.
type Mail struct {
	N       int               `json:"n"`
	At      string            `json:"at"`
	From    string            `json:"from"`
	To      []string          `json:"to"`
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html"`
	Headers map[string]string `json:"headers"`
}

// Mails takes every mail and sends none on.
type Mails struct{ inbox *store[Mail] }

// NewMails makes an empty catcher.
func NewMails() *Mails { return &Mails{inbox: newStore[Mail]()} }

// Serve takes mails on the listener until the context ends.
func (m *Mails) Serve(ctx context.Context, listener net.Listener) error {
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{mails: m}, nil
	}))
	server.Domain = Host
	server.MaxMessageBytes = mostMail
	server.ReadTimeout, server.WriteTimeout = time.Minute, time.Minute
	server.EnableSMTPUTF8 = true
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// session is one connection; it collects the envelope of one mail at a time.
type session struct {
	mails *Mails
	from  string
	to    []string
}

// Mail begins an envelope.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from, s.to = from, nil
	return nil
}

// Rcpt adds a recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Data takes the mail itself.
func (s *session) Data(reader io.Reader) error {
	raw, err := io.ReadAll(reader)
	if err != nil {
		return err
	}
	got := Mail{At: time.Now().UTC().Format(timeFormat), From: s.from, To: s.to}
	got.read(raw)
	s.mails.inbox.add(func(n int) Mail {
		got.N = n
		return got
	})
	return nil
}

// Reset forgets the envelope.
func (s *session) Reset() { s.from, s.to = "", nil }

// Logout ends the connection.
func (s *session) Logout() error { return nil }

// read fills subject and texts; what is no mail is kept as text.
func (m *Mail) read(raw []byte) {
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		m.Text = string(raw)
		return
	}
	m.Headers = map[string]string{}
	for name, values := range message.Header {
		m.Headers[strings.ToLower(name)] = plain(strings.Join(values, ", "))
	}
	m.Subject = m.Headers["subject"]
	m.readPart(message.Header.Get, message.Body)
}

// plain undoes the encoding of a header; what is not encoded well stays.
func plain(value string) string {
	decoder := mime.WordDecoder{}
	text, err := decoder.DecodeHeader(value)
	if err != nil {
		return value
	}
	return text
}

// readPart goes through a body, however its parts are nested.
func (m *Mail) readPart(header func(string) string, body io.Reader) {
	kind, parameters, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		kind = "text/plain"
	}
	if strings.HasPrefix(kind, "multipart/") {
		parts := multipart.NewReader(body, parameters["boundary"])
		for part, err := parts.NextRawPart(); err == nil; part, err = parts.NextRawPart() {
			m.readPart(part.Header.Get, part)
		}
		return
	}
	text, err := io.ReadAll(decoded(header("Content-Transfer-Encoding"), body))
	if err != nil {
		return
	}
	switch kind {
	case "text/plain":
		m.Text += string(text)
	case "text/html":
		m.HTML += string(text)
	}
}

// decoded undoes the transfer encoding.
func decoded(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	}
	return body
}

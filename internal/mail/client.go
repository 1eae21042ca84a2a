package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"github.com/redline-svc/redline/internal/guard"
)

// tryLimit is how long one try may take in all.
const tryLimit = 30 * time.Second

// Host is a mail host and how it is used. Without a username there is no login.
type Host struct {
	// Operators: it is the operator's own relay, which the guard does not check.
	Operators bool
	Name      string
	Port      int
	// Security is starttls, tls or none.
	Security           string
	Username, Password string
}

// Dialer opens connections to mail hosts (*guard.Guard).
type Dialer interface {
	DialMail(ctx context.Context, m guard.MailHost) (net.Conn, *tls.Config, error)
}

// Client hands mails over.
type Client struct {
	dialer Dialer
	// name is how this service calls itself to hosts and in ids of messages.
	name string
	// limit is how long one try may take in all.
	limit time.Duration
}

// NewClient makes a client; name is the host name of the service.
func NewClient(dialer Dialer, name string) *Client {
	return &Client{dialer: dialer, name: name, limit: tryLimit}
}

// Send hands a mail over in one try of at most 30 s, in which no more than 64 KiB
// of the host's answers are read. An error is an *Error.
func (c *Client) Send(ctx context.Context, h Host, m Message) error {
	return c.try(ctx, h, func(t *try) error { return t.hand(m, c.name) })
}

// Reach opens a connection to a host as Send does, with its login, and hands over nothing.
func (c *Client) Reach(ctx context.Context, h Host) error {
	return c.try(ctx, h, func(*try) error { return nil })
}

// try opens a connection and has the work done on it. An error is an *Error.
func (c *Client) try(ctx context.Context, h Host, work func(*try) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	conn, settings, err := c.dialer.DialMail(ctx, guard.MailHost{Kind: h.kind(), Host: h.Name, Port: h.Port, TLS: h.Security == "tls"})
	if err != nil {
		return &Error{Class(guard.ClassOf(err)), err}
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	t := &try{ctx: ctx, host: h, conn: &boundedConn{Conn: conn}}
	if err := t.open(settings, c.name); err != nil {
		return failed(ctx, t.at, err)
	}
	if err := work(t); err != nil {
		return failed(ctx, t.at, err)
	}
	_ = t.client.Quit() // the host has taken it, whatever it says now
	return nil
}

func (h Host) kind() guard.Kind {
	if h.Operators {
		return guard.Relay
	}
	return guard.SMTP
}

// errNotASCII is the answer of a host that takes no addresses beyond ASCII,
// given before it is asked.
var errNotASCII = &textproto.Error{Code: 553, Msg: "the address is not ASCII"}

// try is one connection.
type try struct {
	ctx    context.Context //nolint:containedctx // it lives as long as its one call
	host   Host
	conn   *boundedConn
	client *smtp.Client
	at     stage
}

// open greets, secures the connection and logs in.
func (t *try) open(settings *tls.Config, name string) error {
	if err := t.greet(settings, name); err != nil {
		return err
	}
	if t.host.Security == "starttls" {
		if err := t.upgrade(settings, name); err != nil {
			return err
		}
	}
	if t.host.Username == "" {
		return nil
	}
	t.at = loggingIn
	return t.login(settings.ServerName)
}

// greet waits for the host and says who calls.
func (t *try) greet(settings *tls.Config, name string) error {
	var err error
	if t.client, err = smtp.NewClient(t.conn, settings.ServerName); err != nil {
		return err
	}
	return t.client.Hello(name)
}

// errEarly is a host that speaks on before the handshake: whoever listens on the
// way could have put that there.
var errEarly = errors.New("the host says more than its answer to STARTTLS")

// upgrade secures the connection below the client, so that what comes through TLS
// is bounded like what came before. A new client reads the answer to STARTTLS,
// which has the code of a greeting, and asks again what the host can do.
func (t *try) upgrade(settings *tls.Config, name string) error {
	t.at = securing
	if offered, _ := t.client.Extension("STARTTLS"); !offered {
		return errors.New("the host offers no STARTTLS")
	}
	if _, err := t.client.Text.Cmd("STARTTLS"); err != nil {
		return err
	}
	before := t.client
	var err error
	if t.client, err = smtp.NewClient(t.conn, settings.ServerName); err != nil {
		return err
	}
	if before.Text.R.Buffered() > 0 || t.client.Text.R.Buffered() > 0 {
		return errEarly
	}
	if err := t.conn.secure(t.ctx, settings); err != nil {
		return err
	}
	return t.client.Hello(name)
}

// login uses PLAIN or LOGIN, as the host offers. The client does not see whether
// the connection is secure: it is, or the operator listed the host as one without,
// and only then does a password go in clear.
func (t *try) login(server string) error {
	const inClear = true
	_, offered := t.client.Extension("AUTH")
	switch ways := strings.Fields(offered); {
	case slices.Contains(ways, "PLAIN"):
		return t.client.Auth(smtp.PlainAuth("", t.host.Username, t.host.Password, server, inClear))
	case slices.Contains(ways, "LOGIN"):
		return t.client.Auth(smtp.LoginAuth(t.host.Username, t.host.Password, server, inClear))
	default:
		return errors.New("the host offers no login that is known here")
	}
}

// hand gives the mail to the host. It is sent once the host has confirmed its
// end.
func (t *try) hand(m Message, name string) error {
	wide, _ := t.client.Extension("SMTPUTF8")
	from, to := onWire(m.From, wide), onWire(m.To, wide)
	if t.at = naming; !wide && !ascii(from) {
		return errNotASCII
	}
	if t.at = addressing; !wide && !ascii(to) {
		return errNotASCII
	}
	written, err := m.written(from, to, name)
	if err != nil {
		return err
	}
	t.client.SkipSMTPUTF8(ascii(from) && ascii(to))
	t.at = naming
	if err := t.client.Mail("<" + from + ">"); err != nil {
		return err
	}
	t.at = addressing
	if err := t.client.Rcpt("<" + to + ">"); err != nil {
		return err
	}
	t.at = handingOver
	writer, err := t.client.Data()
	if err != nil {
		return err
	}
	if _, err := written.WriteTo(writer); err != nil {
		return err
	}
	return writer.Close()
}

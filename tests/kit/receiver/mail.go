package receiver

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/mail"
	"strconv"
	"sync"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// MailPort is the port of mail hosts: one of the few that mails may go to.
const MailPort = 2525

// Letter is a mail as a host took it.
type Letter struct {
	From, To string
	// Username and Password are those of the login, empty without one.
	Username, Password string
	Header             mail.Header
	Body               string
	// At is when it had come.
	At time.Time
}

// MailHost is a mail host of a test's own, at an address of loopback that no
// other test has.
type MailHost struct {
	Address string

	mu       sync.Mutex
	letters  []Letter
	refusing bool
	unknown  bool
	// refused are the recipients whom it does not take, with the code of its answer.
	refused map[string]int
	hold    chan struct{}
	// only is the recipient whose mails are held, empty for all.
	only    string
	reached chan struct{}
	server  *smtp.Server
}

// NewMailHost chooses an address; nobody listens there until Open.
func NewMailHost() *MailHost {
	var b [3]byte
	_, _ = rand.Read(b[:])
	return &MailHost{Address: fmt.Sprintf("127.%d.%d.%d", 1+b[0]%250, b[1], 1+b[2]%250)}
}

// Open begins to take mails.
func (h *MailHost) Open() error {
	listener, err := net.Listen("tcp", net.JoinHostPort(h.Address, strconv.Itoa(MailPort)))
	if err != nil {
		return err
	}
	h.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &visit{host: h}, nil }))
	h.server.Domain, h.server.AllowInsecureAuth, h.server.EnableSMTPUTF8 = "mail.test", true, true
	go func() { _ = h.server.Serve(listener) }()
	return nil
}

// Close takes no more mails.
func (h *MailHost) Close() {
	if h.server != nil {
		_ = h.server.Close()
	}
}

// RefuseLogins makes every login fail from now on.
func (h *MailHost) RefuseLogins() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusing = true
}

// OfferUnknownLogins sets whether the only way to log in is one that the service does not
// know: its cost is set by the host.
func (h *MailHost) OfferUnknownLogins(unknown bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unknown = unknown
}

// RefuseRecipient answers the code to a recipient from now on; 250 takes its mails again.
func (h *MailHost) RefuseRecipient(to string, code int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused == nil {
		h.refused = map[string]int{}
	}
	h.refused[to] = code
}

// HoldOnly is Hold for the mails to one recipient.
func (h *MailHost) HoldOnly(to string) (reached <-chan struct{}, release func()) {
	reached, release = h.Hold()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.only = to
	return reached, release
}

// Hold keeps every mail that is handed over from being confirmed until release;
// reached is closed when the first one is held.
func (h *MailHost) Hold() (reached <-chan struct{}, release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hold := make(chan struct{})
	h.hold, h.reached, h.only = hold, make(chan struct{}), ""
	return h.reached, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.hold = nil
		close(hold)
	}
}

// Letters returns the mails taken so far, held ones among them.
func (h *MailHost) Letters() []Letter {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Letter{}, h.letters...)
}

// take keeps a mail and returns what its confirmation waits for.
func (h *MailHost) take(l Letter) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.letters = append(h.letters, l)
	if h.only != "" && h.only != l.To {
		return nil
	}
	if h.reached != nil {
		close(h.reached)
		h.reached = nil
	}
	return h.hold
}

// firstRefusal is the least code that takes no mail.
const firstRefusal = 400

// visit is one connection to a mail host.
type visit struct {
	host   *MailHost
	letter Letter
}

var errLogin = &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "no"}

// AuthMechanisms are the ways to log in.
func (v *visit) AuthMechanisms() []string {
	v.host.mu.Lock()
	defer v.host.mu.Unlock()
	if v.host.unknown {
		return []string{"SCRAM-SHA-256"}
	}
	return []string{sasl.Plain}
}

// Auth begins a login.
func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		v.host.mu.Lock()
		defer v.host.mu.Unlock()
		if v.host.refusing {
			return errLogin
		}
		v.letter.Username, v.letter.Password = username, password
		return nil
	}), nil
}

// Mail begins an envelope.
func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	v.letter.From = from
	return nil
}

// Rcpt names the recipient.
func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.letter.To = to
	v.host.mu.Lock()
	defer v.host.mu.Unlock()
	if code := v.host.refused[to]; code >= firstRefusal {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: "not here"}
	}
	return nil
}

// Data takes the mail.
func (v *visit) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return errors.Join(err, errors.New("the mail cannot be read"))
	}
	body, err := io.ReadAll(message.Body)
	v.letter.Header, v.letter.Body, v.letter.At = message.Header, string(body), time.Now()
	if hold := v.host.take(v.letter); hold != nil {
		<-hold
	}
	return err
}

// Reset forgets the envelope, not the login.
func (v *visit) Reset() { v.letter.From, v.letter.To = "", "" }

// Logout ends the connection.
func (v *visit) Logout() error { return nil }

package mail_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"mime"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/mail"
)

// host is a mail host under mail.test that does as a test says.
type host struct {
	t      *testing.T
	guard  *guard.Guard
	port   int
	server *smtp.Server

	mu       sync.Mutex
	taken    []taken
	sender   error
	rcpt     error
	data     error
	password string
}

type taken struct {
	from, to string
	message  *netmail.Message
	body     string
}

// certificate makes one for mail.test and the file that vouches for it.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail.test"}, DNSNames: []string{"mail.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// newHost starts a host; implicit begins every connection with a handshake.
func newHost(t *testing.T, implicit bool, change ...func(*smtp.Server)) *host {
	t.Helper()
	pair, authority := certificate(t)
	h := &host{t: t, password: "right"}
	var err error
	h.guard, err = guard.New(guard.Options{AllowCIDRs: []string{"127.0.0.0/8"}, CAFile: authority, Resolve: []string{"mail.test=127.0.0.1"}})
	require.NoError(t, err)
	h.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &visit{host: h}, nil }))
	h.server.Domain, h.server.EnableSMTPUTF8, h.server.AllowInsecureAuth = "mail.test", true, true
	h.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	for _, apply := range change {
		apply(h.server)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h.port = listener.Addr().(*net.TCPAddr).Port
	if implicit {
		listener = tls.NewListener(listener, h.server.TLSConfig)
	}
	go func() { _ = h.server.Serve(listener) }()
	t.Cleanup(func() { _ = h.server.Close() })
	return h
}

type visit struct {
	host     *host
	from, to string
}

func (v *visit) AuthMechanisms() []string { return []string{sasl.Plain} }

func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, password string) error {
		if password != v.host.password {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	v.from = from
	return v.host.sender
}

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.to = to
	return v.host.rcpt
}

func (v *visit) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err == nil {
		err = v.host.data
	}
	if err != nil {
		return err
	}
	message, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(message.Body)
	v.host.mu.Lock()
	defer v.host.mu.Unlock()
	v.host.taken = append(v.host.taken, taken{v.from, v.to, message, string(body)})
	return err
}

func (v *visit) Reset()        {}
func (v *visit) Logout() error { return nil }

func (h *host) at(security string) mail.Host {
	return mail.Host{Operators: true, Name: "mail.test", Port: h.port, Security: security}
}

func (h *host) send(to mail.Host, m mail.Message) error {
	h.t.Helper()
	return mail.NewClient(h.guard, "redline.test").Send(h.t.Context(), to, m)
}

func letter() mail.Message {
	return mail.Message{
		ID: "eml_1", Thread: "ann.1", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), From: "redline@mail.test", To: "ann@example.com",
		Content: mail.Content{Subject: "Hello", Text: "text\n", HTML: "<p>html</p>"},
	}
}

// class is that of the failure that must have come.
func class(t *testing.T, err error) (mail.Class, bool) {
	t.Helper()
	var failed *mail.Error
	require.ErrorAs(t, err, &failed)
	return failed.Class, failed.Final()
}

func TestAMailArrivesWithItsHeaders(t *testing.T) {
	t.Parallel()
	h := newHost(t, false)
	m := letter()
	m.FromName, m.ToName, m.ReplyTo = "Zoë \"Z\" <x@y.test>,\r\nBcc: evil@example.com", "李雷", "desk@example.com"
	m.Subject = "Grüße\r\nBcc: evil@example.com\u2028and more"
	require.NoError(t, h.send(h.at("starttls"), m))
	require.Len(t, h.taken, 1)
	got := h.taken[0]
	assert.Equal(t, "redline@mail.test", got.from)
	assert.Equal(t, "ann@example.com", got.to)
	header := got.message.Header
	assert.Empty(t, header.Get("Bcc"))
	assert.Equal(t, "<eml_1@redline.test>", header.Get("Message-Id"))
	assert.Equal(t, "<ann.1@redline.test>", header.Get("References"))
	assert.Equal(t, "<ann.1@redline.test>", header.Get("In-Reply-To"))
	assert.Equal(t, "auto-generated", header.Get("Auto-Submitted"))
	decoder := mime.WordDecoder{}
	subject, err := decoder.DecodeHeader(header.Get("Subject"))
	require.NoError(t, err)
	assert.Equal(t, "Grüße Bcc: evil@example.com and more", subject)
	for name, want := range map[string]netmail.Address{
		"From":     {Name: "Zoë \"Z\" <x@y.test>, Bcc: evil@example.com", Address: "redline@mail.test"},
		"Reply-To": {Name: "Zoë \"Z\" <x@y.test>, Bcc: evil@example.com", Address: "desk@example.com"},
		"To":       {Name: "李雷", Address: "ann@example.com"},
	} {
		list, err := header.AddressList(name)
		require.NoError(t, err, name)
		require.Len(t, list, 1, name)
		assert.Equal(t, want, *list[0], name)
	}
	date, err := header.Date()
	require.NoError(t, err)
	assert.True(t, m.At.Equal(date))
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	require.NoError(t, err)
	assert.Equal(t, "multipart/alternative", kind)
	assert.NotContains(t, got.body, "Content-Disposition", "no file hangs on it")
	assert.Contains(t, got.body, "text/plain")
	assert.Contains(t, got.body, "text/html")
}

func TestAddressesBeyondASCII(t *testing.T) {
	t.Parallel()
	wide := newHost(t, false)
	narrow := newHost(t, false, func(s *smtp.Server) { s.EnableSMTPUTF8 = false })
	m := letter()
	for _, to := range []string{"jörg@bücher.example", "ann@bücher.example"} {
		m.To = to
		require.NoError(t, wide.send(wide.at("starttls"), m))
		assert.Equal(t, to, wide.taken[len(wide.taken)-1].to)
		list, err := wide.taken[len(wide.taken)-1].message.Header.AddressList("To")
		require.NoError(t, err)
		assert.Equal(t, to, list[0].Address)
	}
	require.NoError(t, narrow.send(narrow.at("starttls"), m))
	assert.Equal(t, "ann@xn--bcher-kva.example", narrow.taken[0].to)
	m.To = "jörg@bücher.example"
	got, final := class(t, narrow.send(narrow.at("starttls"), m))
	assert.Equal(t, mail.RecipientRefused, got)
	assert.True(t, final)
}

func TestLoginsAndSecurity(t *testing.T) {
	t.Parallel()
	h, wrapped, plain := newHost(t, false), newHost(t, true), newHost(t, false, func(s *smtp.Server) { s.TLSConfig = nil })
	for name, at := range map[string]mail.Host{"starttls": h.at("starttls"), "tls": wrapped.at("tls"), "none": plain.at("none")} {
		through := map[string]*host{"starttls": h, "tls": wrapped, "none": plain}[name]
		at.Username, at.Password = "user", "right"
		require.NoError(t, through.send(at, letter()), name)
		at.Password = "wrong"
		got, final := class(t, through.send(at, letter()))
		assert.Equal(t, mail.Auth, got, name)
		assert.False(t, final, "the settings may be mended")
	}
	got, _ := class(t, plain.send(plain.at("starttls"), letter()))
	assert.EqualValues(t, guard.ClassTLS, got, "the upgrade is not optional")
	for _, security := range []string{"starttls", "tls"} {
		stranger := wrapped.at(security)
		through := wrapped
		if security == "starttls" {
			stranger, through = h.at(security), h
		}
		stranger.Name = "127.0.0.1" // the certificate is not its own
		got, final := class(t, through.send(stranger, letter()))
		assert.EqualValues(t, guard.ClassTLS, got, security)
		assert.False(t, final)
	}
}

func TestWhatHostsAnswer(t *testing.T) {
	t.Parallel()
	h := newHost(t, false)
	answer := func(code int) error { return &smtp.SMTPError{Code: code, Message: "ann@example.com: no"} }
	for _, c := range []struct {
		sender, rcpt, data error
		want               mail.Class
		final              bool
	}{
		{rcpt: answer(550), want: mail.RecipientRefused, final: true},
		{rcpt: answer(450), want: mail.Temporary},
		{rcpt: answer(530), want: mail.Auth},
		{sender: answer(530), want: mail.Auth},
		{sender: answer(553), want: mail.SenderRefused},
		{sender: answer(451), want: mail.Temporary},
		{data: answer(554), want: mail.MessageRefused, final: true},
		{data: answer(452), want: mail.Temporary},
	} {
		h.sender, h.rcpt, h.data = c.sender, c.rcpt, c.data
		err := h.send(h.at("starttls"), letter())
		got, final := class(t, err)
		assert.Equal(t, c.want, got)
		assert.Equal(t, c.final, final)
		assert.NotContains(t, err.Error(), "ann@", "addresses stand in no text of an error")
	}
	assert.Empty(t, h.taken)
}

func TestConnectionsGoThroughTheGuard(t *testing.T) {
	t.Parallel()
	h := newHost(t, false)
	strict, err := guard.New(guard.Options{Resolve: []string{"mail.test=127.0.0.1"}})
	require.NoError(t, err)
	at := h.at("starttls")
	at.Operators, at.Port = false, 2525
	got, final := class(t, mail.NewClient(strict, "x").Send(t.Context(), at, letter()))
	assert.EqualValues(t, guard.ClassRefused, got)
	assert.True(t, final)
	at.Operators, at.Port = true, unused(t)
	got, final = class(t, mail.NewClient(strict, "x").Send(t.Context(), at, letter()))
	assert.EqualValues(t, guard.ClassUnreachable, got, "the operator's relay is not checked")
	assert.False(t, final)
}

// unused is a port that nobody listens on: until the test ends it is that of a
// client.
func unused(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	conn, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().(*net.TCPAddr).Port
}

func TestASilentHostIsLeft(t *testing.T) {
	t.Parallel()
	h := newHost(t, false)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	at := h.at("starttls")
	at.Port = listener.Addr().(*net.TCPAddr).Port
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "220 mail.test\r\n")
		_, _ = io.ReadFull(conn, make([]byte, len("EHLO")))
		cancel() // it was greeted and says no more
		_, _ = io.Copy(io.Discard, conn)
	}()
	got, final := class(t, mail.NewClient(h.guard, "x").Send(ctx, at, letter()))
	assert.EqualValues(t, guard.ClassTimeout, got)
	assert.False(t, final)
}

func TestMailsHaveNoControlCharacters(t *testing.T) {
	t.Parallel()
	m := letter()
	m.Text, m.HTML = "a\x00b\x07\tc\r\nd", "<p>a\x00b\u009f</p>"
	raw, err := m.Raw("mail.test")
	require.NoError(t, err)
	assert.Contains(t, raw, "ab\tc\r\nd")
	assert.Contains(t, raw, "<p>ab</p>")
	assert.NotContains(t, raw, "=00")
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a b c", mail.OneLine(" a\r\n\tb\u0085\u2029c\x00 "))
	long := mail.OneLine(strings.Repeat("é", 400))
	assert.Equal(t, strings.Repeat("é", 250)+"…", long)
}

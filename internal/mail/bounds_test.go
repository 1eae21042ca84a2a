package mail_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/mail"
)

// liar is one connection to a host that does not mean well.
type liar struct {
	net.Conn
	read *bufio.Reader
}

// say writes a text; a caller who hung up ends it.
func (l *liar) say(text string) bool {
	_, err := io.WriteString(l.Conn, text)
	return err == nil
}

// hear waits for a command that begins so.
func (l *liar) hear(command string) (string, bool) {
	for {
		line, err := l.read.ReadString('\n')
		if err != nil || strings.HasPrefix(line, command) {
			return strings.TrimSpace(line), err == nil
		}
	}
}

// lie starts a host that answers every connection so.
func (h *host) lie(answer func(l *liar)) mail.Host {
	h.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				answer(&liar{conn, bufio.NewReader(conn)})
			}()
		}
	}()
	return mail.Host{
		Operators: true, Name: "mail.test", Port: listener.Addr().(*net.TCPAddr).Port, Security: "none",
		Username: "user", Password: "right",
	}
}

// tries hands one mail over and returns the class of the failure, and how much was
// allocated meanwhile.
func (h *host) tries(to mail.Host, limit time.Duration) (mail.Class, bool, uint64) {
	h.t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := mail.NewClient(h.guard, "redline.test").Within(limit).Send(h.t.Context(), to, letter())
	runtime.ReadMemStats(&after)
	got, final := class(h.t, err)
	return got, final, after.TotalAlloc - before.TotalAlloc
}

// roomy is a limit that no test of a bounded host comes near.
const roomy = time.Minute

// A way to log in that is not known, such as one whose cost the host sets, is not begun.
func TestALoginThatIsNotKnownIsNotBegun(t *testing.T) {
	t.Parallel()
	h := newHost(t, false)
	next := make(chan string, 1)
	got, final, _ := h.tries(h.lie(func(l *liar) {
		l.say("220 mail.test\r\n")
		l.hear("EHLO")
		l.say("250-mail.test\r\n250 AUTH SCRAM-SHA-256 CRAM-MD5\r\n")
		line, _ := l.read.ReadString('\n')
		next <- line
	}), roomy)
	assert.Equal(t, mail.Auth, got)
	assert.False(t, final, "the host may offer another one")
	assert.Empty(t, <-next, "it hangs up")
}

// endless are hosts that say more than is read of them.
var endless = map[string]func(l *liar){
	"a greeting without end": func(l *liar) {
		for l.say(strings.Repeat("x", 4096)) {
		}
	},
	"a line without end": func(l *liar) {
		l.say("220 mail.test\r\n250-")
		for l.say(strings.Repeat("x", 4096)) {
		}
	},
	"a line of more than 2 KiB": func(l *liar) {
		l.say("220 " + strings.Repeat("x", 2100) + "\r\n")
		l.hear("QUIT")
	},
	"10,000 lines": func(l *liar) {
		l.say("220 mail.test\r\n")
		l.hear("EHLO")
		l.say(strings.Repeat("250-X-TENSION\r\n", 10_000) + "250 OK\r\n")
		l.hear("QUIT")
	},
	"lines without end": func(l *liar) {
		for l.say(strings.Repeat("220-\r\n", 600)) {
		}
	},
}

func TestAHostThatSaysTooMuchIsLeft(t *testing.T) { //nolint:paralleltest // it measures what is allocated
	h := newHost(t, false)
	for name, answer := range endless {
		got, final, allocated := h.tries(h.lie(answer), roomy)
		assert.EqualValues(t, guard.ClassUnreachable, got, name)
		assert.False(t, final, name)
		assert.Less(t, allocated, uint64(128<<20), name)
	}
}

// What comes through TLS is bounded like what comes before, however it began.
func TestAHostThatSaysTooMuchThroughTLSIsLeft(t *testing.T) {
	t.Parallel()
	h := newHost(t, false)
	secured := func(l *liar) *liar {
		conn := tls.Server(l.Conn, h.server.TLSConfig)
		return &liar{conn, bufio.NewReader(conn)}
	}
	for security, begin := range map[string]func(l *liar) *liar{
		"tls": func(l *liar) *liar {
			inner := secured(l)
			inner.say("220 mail.test\r\n")
			return inner
		},
		"starttls": func(l *liar) *liar {
			l.say("220 mail.test\r\n")
			l.hear("EHLO")
			l.say("250-mail.test\r\n250 STARTTLS\r\n")
			l.hear("STARTTLS")
			l.say("220 go on\r\n")
			return secured(l)
		},
	} {
		at := h.lie(func(l *liar) {
			inner := begin(l)
			inner.hear("EHLO")
			inner.say("250-" + strings.Repeat("x", 2100) + "\r\n250 OK\r\n")
			inner.hear("QUIT")
		})
		at.Security = security
		got, _, _ := h.tries(at, roomy)
		assert.EqualValues(t, guard.ClassUnreachable, got, security)
	}
}

// Whatever stands in the clear behind the answer to STARTTLS is not taken for what
// the host says through TLS.
func TestWhatStandsBeforeTheHandshakeIsNotRead(t *testing.T) {
	t.Parallel()
	h := newHost(t, false)
	at := h.lie(func(l *liar) {
		l.say("220 mail.test\r\n")
		l.hear("EHLO")
		l.say("250-mail.test\r\n250 STARTTLS\r\n")
		l.hear("STARTTLS")
		l.say("220 go on\r\n250 AUTH PLAIN\r\n")
		_, _ = io.Copy(io.Discard, l)
	})
	at.Security = "starttls"
	got, final, _ := h.tries(at, roomy)
	assert.EqualValues(t, guard.ClassTLS, got)
	assert.False(t, final)
}

func TestAHostThatDripsIsLeftInTime(t *testing.T) {
	t.Parallel()
	h := newHost(t, false)
	drips := func(l *liar) {
		for l.say("2") {
			time.Sleep(10 * time.Millisecond)
		}
	}
	began := time.Now()
	got, final, _ := h.tries(h.lie(drips), 300*time.Millisecond)
	assert.EqualValues(t, guard.ClassTimeout, got)
	assert.False(t, final)
	assert.Less(t, time.Since(began), 20*time.Second, "it would have gone on")
	took := h.lie(func(l *liar) {
		l.say("220 mail.test\r\n")
		l.hear("EHLO")
		l.say("250 mail.test\r\n")
		for _, command := range []string{"MAIL", "RCPT"} {
			l.hear(command)
			l.say("250 OK\r\n")
		}
		l.hear("DATA")
		l.say("354 go on\r\n")
		l.hear(".")
		l.say("250 taken\r\n")
		drips(l)
	})
	took.Username = ""
	require.NoError(t, mail.NewClient(h.guard, "x").Within(time.Second).Send(t.Context(), took, letter()), "it had taken the mail by then")
}

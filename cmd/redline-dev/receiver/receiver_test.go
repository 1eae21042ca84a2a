package receiver_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/smtp"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline-dev/receiver"
)

// env is a receiver and a mail catcher with the page that shows them.
type env struct {
	client  *http.Client
	address string
	smtp    string
	page    *httptest.Server
	t       *testing.T
}

func open(t *testing.T) *env {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	authority, err := receiver.OpenAuthority(t.TempDir())
	require.NoError(t, err)
	leaf, err := authority.Leaf(receiver.Host)
	require.NoError(t, err)
	requests, mails := receiver.New(), receiver.NewMails()
	s := &env{t: t}
	hooks, post := listen(t), listen(t)
	go func() { _ = requests.Serve(ctx, hooks, leaf) }()
	go func() { _ = mails.Serve(ctx, post) }()
	s.page = httptest.NewServer(receiver.Handler(requests, mails))
	t.Cleanup(s.page.Close)
	s.smtp = post.Addr().String()
	_, port, err := net.SplitHostPort(hooks.Addr().String())
	require.NoError(t, err)
	s.address = "https://" + receiver.Host + ":" + port
	s.client = trusting(t, authority.File(), hooks.Addr().String())
	return s
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener
}

// trusting is a client that believes the authority alone and finds the name at the address.
func trusting(t *testing.T, file, address string) *http.Client {
	t.Helper()
	pem, err := os.ReadFile(file)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(pem))
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool},
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, address)
			},
		},
	}
}

func (s *env) post(path, body string) (int, string) {
	s.t.Helper()
	response, err := s.client.Post(s.address+path, "application/json", strings.NewReader(body))
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, response.Body.Close()) }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return response.StatusCode, string(answer)
}

func (s *env) get(path string, into any) string {
	s.t.Helper()
	response, err := http.Get(s.page.URL + path)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	if into != nil {
		require.NoError(s.t, json.Unmarshal(text, into), string(text))
	}
	return string(text)
}

type inbox struct{ Items []receiver.Request }

func TestThePathSaysTheAnswer(t *testing.T) {
	s := open(t)
	for path, want := range map[string]int{
		"/ok/a": 200, "/status/418/a": 418, "/status/302/a": 302, "/slow/1/a": 200, "/json/%20/a": 404, "/else": 404, "/status/99/a": 404,
	} {
		code, _ := s.post(path, "{}")
		require.Equal(t, want, code, path)
	}
	code, body := s.post("/json/eyJhIjoxfQ/a", "{}")
	require.Equal(t, 200, code)
	require.JSONEq(t, `{"a":1}`, body)
	for try, want := range []int{503, 503, 200, 200} {
		code, _ := s.post("/fail/2/x", "{}")
		require.Equal(t, want, code, "try %d", try)
	}
	code, _ = s.post("/fail/2/y", "{}")
	require.Equal(t, 503, code, "each path counts by itself")
}

func TestTheInboxKeepsOrderAndExactBodies(t *testing.T) {
	s := open(t)
	exact := `{"text":"<ü>\u0026 \\ \"x\"",  "n":9007199254740993}`
	s.post("/ok/first", exact)
	s.post("/ok/second?q=1", "2")
	s.post("/status/500/third", "3")

	var all, some, later inbox
	text := s.get("/dev/inbox", &all)
	require.Len(t, all.Items, 3)
	require.Equal(t, exact, all.Items[0].Body)
	require.Equal(t, "application/json", all.Items[0].Headers["content-type"])
	require.Equal(t, "/ok/second?q=1", all.Items[1].Path)
	require.NotContains(t, text, `\u003c`, "shells undo no escapes but those of JSON itself")
	require.Equal(t, exact, s.get("/dev/inbox/1/body", nil))
	s.get("/dev/inbox?path=/ok/", &some)
	require.Len(t, some.Items, 2)
	s.get("/dev/inbox?path=/ok/&after=1", &later)
	require.Len(t, later.Items, 1)
	require.Equal(t, 2, later.Items[0].N)
	require.Contains(t, s.get("/", nil), "<!doctype html>")
}

func TestAReaderMayWaitForTheFirstItem(t *testing.T) {
	s := open(t)
	found := make(chan inbox)
	go func() {
		var got inbox
		response, err := http.Get(s.page.URL + "/dev/inbox?path=/ok/awaited&wait=30000")
		if err == nil {
			_ = json.NewDecoder(response.Body).Decode(&got)
			_ = response.Body.Close()
		}
		found <- got
	}()
	s.post("/ok/other", "")
	s.post("/ok/awaited", "here")
	select {
	case got := <-found:
		require.Len(t, got.Items, 1)
		require.Equal(t, "here", got.Items[0].Body)
	case <-time.After(time.Minute):
		t.Fatal("the reader waits for ever")
	}
}

func TestMailsAreTakenApart(t *testing.T) {
	s := open(t)
	mail := strings.ReplaceAll(`From: Desk <desk@example.com>
To: a@example.com
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

caf=C3=A9
--b
Content-Type: text/html
Content-Transfer-Encoding: base64

PGI+aGk8L2I+
--b--
`, "\n", "\r\n")
	require.NoError(t, smtp.SendMail(s.smtp, nil, "desk@example.com", []string{"a@example.com", "b@example.com"}, []byte(mail)))
	var got struct{ Items []receiver.Mail }
	s.get("/dev/mails?to=b@example.com&wait=10000", &got)
	require.Len(t, got.Items, 1)
	require.Equal(t, "Grüße", got.Items[0].Subject)
	require.Equal(t, "café", strings.TrimSpace(got.Items[0].Text))
	require.Equal(t, "<b>hi</b>", got.Items[0].HTML)
	require.Equal(t, []string{"a@example.com", "b@example.com"}, got.Items[0].To)
}

func TestTheAuthorityStays(t *testing.T) {
	dir := t.TempDir()
	first, err := receiver.OpenAuthority(dir)
	require.NoError(t, err)
	before, err := os.ReadFile(first.File())
	require.NoError(t, err)
	_, err = receiver.OpenAuthority(dir)
	require.NoError(t, err)
	after, err := os.ReadFile(first.File())
	require.NoError(t, err)
	require.Equal(t, before, after)
}

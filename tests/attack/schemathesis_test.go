package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// schemathesis names the program, which make attack brings.
const schemathesis = "REDLINE_TEST_SCHEMATHESIS"

const (
	// mostExamples of one operation in a round are few, so that all have their turn in each.
	mostExamples = 50
	// mostFollowed is more than Schemathesis comes to in the time that it has to follow ids.
	mostFollowed = 100_000
)

// proxied passes the requests of Schemathesis on, one after the other, and looks at the answers.
type proxied struct {
	*attack
	mu      sync.Mutex
	session *client.Session
	made    *changes
	safe    *generator
	passed  int
}

// TestAttack_SchemathesisBreaksNothing lets Schemathesis make as many requests as the other
// generator: a tenth of them follow ids from answers into other operations, in the others
// each operation is for itself. Of these, what the document says of single fields comes first,
// then by turns what chance makes for each operation, until there are enough.
func TestAttack_SchemathesisBreaksNothing(t *testing.T) {
	n, seed := count(t), seed(t)
	a := newAttack(t)
	process, made := a.caller(0)
	g := newGenerator(seed, 0)
	p := &proxied{attack: a, session: a.enter(process, g), made: made, safe: g}
	p.until("stateful", n/10, seed)
	p.until("examples,coverage", n, seed)
	for round := seed; p.passed < n; round++ {
		before := p.passed
		p.until("fuzzing", n, round)
		require.Greater(t, p.passed, before, "a round makes requests")
	}
	a.check(seed, p.passed)
}

// until runs phases until so many requests have been passed on.
func (p *proxied) until(phases string, upTo int, seed uint64) {
	p.T.Helper()
	ctx, enough := context.WithCancel(p.T.Context())
	defer enough()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.pass(w, r); p.passed >= upTo {
			enough()
		}
	}))
	defer server.Close()
	args := []string{
		"run", server.URL + "/v2/openapi.json", "--phases", phases, "--checks", "not_a_server_error,ignored_auth", "--continue-on-failure", "--no-shrink", "--seed", strconv.FormatUint(seed, 10),
		"--suppress-health-check", "all", "--warnings", "off", "--no-color", "--output-sanitize", "false",
	}
	if phases == "stateful" {
		args = append(args, "--max-examples", strconv.Itoa(mostFollowed), "--max-time", "120")
	} else {
		args = append(args, "--max-examples", strconv.Itoa(mostExamples))
	}
	for name, value := range p.session.Headers {
		args = append(args, "--header", name+":"+value)
	}
	run := exec.CommandContext(ctx, os.Getenv(schemathesis), args...)
	run.Dir = p.T.TempDir()
	output, err := run.CombinedOutput()
	require.True(p.T, ctx.Err() != nil || err == nil, "%s: %v\n%s", schemathesis, err, output)
}

// pass passes one request on. Names of machines are made harmless first.
func (p *proxied) pass(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&value) == nil && !decoder.More() {
		body, _ = json.Marshal(p.safe.harmless(value))
	}
	headers := map[string]string{}
	for name := range r.Header {
		headers[name] = r.Header.Get(name)
	}
	delete(headers, "Content-Length")
	delete(headers, "Accept-Encoding") // what is compressed cannot be looked at
	reply, err := p.session.With(nil).Do(r.Context(), r.Method, r.URL.RequestURI(), bytes.NewReader(body), headers)
	if r.Context().Err() != nil {
		return // it was ended
	}
	changed, failed := p.made.since(p.T.Context())
	assert.NoError(p.T, failed)
	p.passed++
	what := r.Method + " " + r.URL.Path
	if err != nil {
		p.report(fmt.Sprintf("%s: %.300v", what, err), body, []byte(err.Error()))
		w.WriteHeader(http.StatusTeapot)
		return
	}
	p.look(what, body, reply.Body, reply.HTTP, changed)
	w.Header().Set("Content-Type", reply.Header.Get("Content-Type"))
	w.WriteHeader(reply.HTTP)
	_, _ = w.Write(reply.Body)
}

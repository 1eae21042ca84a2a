package attack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// usualCount is how many requests the long tests make.
	usualCount = 2000
	// callers ask at once, each by a process of its own.
	callers = 3
	// freshEvery is after how many requests a caller goes on in a new workspace, and knows the
	// ids of the one before.
	freshEvery = 1500
	// exampleRounds is how often all examples are played in a new workspace.
	exampleRounds = 2
	// mostUnknown is how many requests without valid credentials a caller makes before.
	mostUnknown = 100
	// mostShown is how many findings are printed.
	mostShown = 40
)

// meant are the changes by refused requests that are the point of the refusal: an audit row of
// who asked for what the plan does not have, how often a code was guessed, and when a rate was
// last looked at, of which a refused request takes nothing.
var meant = map[string]string{
	"POST /v2/workspace/create 403": "insert of audit_rows", "POST /v2/workspace/emailconfig/confirm 400": "update of email_settings",
	"POST /v2/workspace/advancedwebhook/endpoints/test 429": "update of rate_buckets",
}

// count is how many requests each test makes: half of what REDLINE_ATTACK says.
func count(t *testing.T) int {
	t.Helper()
	return int(number(t, "REDLINE_ATTACK", 2*usualCount) / 2)
}

// seed is where chance begins: with the same one the same requests are made, as far as they do not
// follow what was answered.
func seed(t *testing.T) uint64 {
	t.Helper()
	return number(t, "REDLINE_ATTACK_SEED", 1)
}

// number reads a variable, which stands for the usual number where it is not set.
func number(t *testing.T, name string, usual uint64) uint64 {
	t.Helper()
	set := os.Getenv(name)
	if set == "" {
		return usual
	}
	n, err := strconv.ParseUint(set, 10, 64)
	require.NoError(t, err, name)
	return n
}

// attack is a service under attack, and what was found.
type attack struct {
	*kit.IsolatedStack
	mu sync.Mutex
	// found are findings by what tells them apart, with the first request of each.
	found map[string]string
	// asked are the operations that were asked, and whether one was taken.
	asked map[string]bool
	// answers counts them by their code, changed those of requests that changed something.
	answers [1000]atomic.Int64
	changed atomic.Int64
}

// newAttack starts a worker; processes of the interface are the callers'.
func newAttack(t *testing.T) *attack {
	t.Helper()
	a := &attack{IsolatedStack: kit.NewIsolatedStack(t), found: map[string]string{}, asked: map[string]bool{}}
	countChanges(a.IsolatedStack)
	a.StartProcess("worker")
	return a
}

// caller starts a process of the interface whose changes are its own.
func (a *attack) caller(n int) (*stack.Service, *changes) {
	a.T.Helper()
	name := fmt.Sprint("attack-", n)
	process := a.StartProcess("api", "REDLINE_DATABASE_URL="+named(a.DatabaseURL, name))
	return process, by(a.IsolatedStack, name)
}

// look judges one answer: no failure, and no change by what was refused.
func (a *attack) look(path string, sent, body []byte, code int, changed string) {
	a.answers[code].Add(1)
	a.mu.Lock()
	a.asked[path] = a.asked[path] || code == http.StatusOK
	a.mu.Unlock()
	if changed != "" {
		a.changed.Add(1)
	}
	switch {
	case code >= 500:
		a.report(fmt.Sprint(path, ": ", code), sent, body)
	case code >= 400 && changed != "" && meant[fmt.Sprint(path, " ", code)] != changed:
		a.report(fmt.Sprint(path, ": refused with ", code, " after ", changed), sent, body)
	}
}

// report keeps a finding with the first request that showed it.
func (a *attack) report(what string, sent, body []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, is := a.found[what]; !is {
		a.found[what] = fmt.Sprintf("%.2000s\n%.2000s", sent, body)
	}
}

// check fails the test with all that was found.
func (a *attack) check(seed uint64, requests int) {
	a.T.Helper()
	codes := map[int]int64{}
	for code := range a.answers {
		if n := a.answers[code].Load(); n > 0 {
			codes[code] = n
		}
	}
	a.T.Logf("seed %d: %d requests, answers %v, %d of them after a change", seed, requests, codes, a.changed.Load())
	var never []string
	for operation, taken := range a.asked {
		if !taken {
			never = append(never, operation)
		}
	}
	slices.Sort(never)
	a.T.Logf("%d operations asked; none of these requests was taken: %v", len(a.asked), never)
	require.Positive(a.T, codes[200])
	require.Positive(a.T, a.changed.Load())
	shown := 0
	for what, how := range a.found {
		if shown++; shown <= mostShown {
			assert.Fail(a.T, what, "%s", how)
		}
	}
	require.Empty(a.T, a.found)
}

// TestLong_NoRequestBreaksTheService sends requests of our own generator.
func TestLong_NoRequestBreaksTheService(t *testing.T) {
	n, seed := count(t), seed(t)
	a := newAttack(t)
	var working sync.WaitGroup
	for caller := range callers {
		process, made := a.caller(caller)
		g := newGenerator(seed, uint64(caller))
		working.Go(func() { a.send(process, made, g, n/callers) })
	}
	working.Wait()
	a.check(seed, n/callers*callers)
}

// send sends requests one after the other: in a new workspace all examples first, twice, since
// one may need what another has made. Some take the caller's own credentials away.
func (a *attack) send(process *stack.Service, made *changes, g *generator, requests int) {
	var session *client.Session
	var examples []request
	for n, unknown, rounds := 0, 0, 0; n < requests; n++ {
		if n%freshEvery == 0 || unknown > mostUnknown {
			session, unknown, rounds = a.enter(process, g), 0, exampleRounds
			_, _ = made.since(a.T.Context())
		}
		if len(examples) == 0 && rounds > 0 {
			examples, rounds = g.examples(), rounds-1
		}
		r := g.next()
		if len(examples) > 0 {
			r, examples = examples[0], examples[1:]
		}
		if a.call(session, made, g, r) == http.StatusUnauthorized {
			unknown++
		}
	}
}

// call makes one request, looks at the answer and learns from it; the code is 0 where none came.
func (a *attack) call(session *client.Session, made *changes, g *generator, r request) (code int) {
	reply, err := session.Do(a.T.Context(), r.method, r.address, bytes.NewReader(r.body), nil)
	changed, failed := made.since(a.T.Context())
	if failed != nil {
		err = failed
	}
	if err != nil {
		a.report(fmt.Sprintf("%s: %.300v", r.path, err), r.body, []byte(err.Error()))
		return 0
	}
	a.look(r.method+" "+r.path, r.body, reply.Body, reply.HTTP, changed)
	switch reply.HTTP {
	case http.StatusOK:
		g.learn(r, reply.Body, changed != "")
	case http.StatusNotFound:
		g.unlearn(r)
	}
	return reply.HTTP
}

// enter makes a workspace that has an endpoint and returns a session with all of its credentials.
func (a *attack) enter(process *stack.Service, g *generator) *client.Session {
	a.T.Helper()
	env := kit.Hooked(a.NewWorkspace(process))
	kit.EndpointAt(env, "/told")
	g.document, g.receiver = published(env), env.Receiver().URL("")
	g.known.age()
	headers := maps.Clone(env.Owner.Headers)
	maps.Copy(headers, env.Keyed.Headers)
	return env.Keyed.With(headers)
}

// learn remembers what was answered, and what was asked where it changed something.
func (g *generator) learn(r request, answer []byte, changed bool) {
	var asked struct{ Data any }
	var answered struct{ Result any }
	_ = json.Unmarshal(r.body, &asked) // what is no JSON says nothing
	if json.Unmarshal(answer, &answered) != nil {
		return
	}
	of := map[string]string{}
	if data, is := asked.Data.(object); is && changed {
		for name, value := range data {
			if text, is := value.(string); is {
				of[nameOf(name, "")] = text
			}
		}
		g.known.learn(asked.Data, "", "", map[string]string{})
	}
	g.known.learn(answered.Result, "", "", of)
}

// unlearn forgets some of what was asked for and not found: ids also stand where nobody looks
// whether there is such a thing.
func (g *generator) unlearn(r request) {
	var asked struct{ Data object }
	_ = json.Unmarshal(r.body, &asked) // what is no JSON was refused as such
	for name, value := range asked.Data {
		if text, is := value.(string); is && g.often(40) {
			g.known.drop(nameOf(name, ""), text)
		}
	}
}

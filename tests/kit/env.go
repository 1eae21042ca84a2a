package kit

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// Patience is the deadline of every wait for which a test sets no other: far
// above what anything takes on a loaded machine of two cores.
const Patience = 2 * time.Minute

// Secret is the receiver's secret of tests that do not try others.
const Secret = "a-secret-of-the-receiver"

// Env is a workspace of one test with what the test does in it.
type Env struct {
	T            *testing.T
	Ctx          context.Context // that of T, which ends with the test as Env does
	Workspace    *client.Workspace
	Owner, Keyed *client.Session

	// Database is where the stack that the test uses keeps its rows.
	Database string
	// Trusted is what the egress of the test's stack trusts.
	Trusted *receiver.Authority
	once    sync.Once
	own     *receiver.Receiver
}

// NewWorkspace makes a workspace on the shared stack for a test that runs beside all others.
func NewWorkspace(t *testing.T) *Env {
	t.Helper()
	t.Parallel()
	TakeSlot(t, SharedSlots)
	env := NewWorkspaceAt(t, Shared.URL())
	env.Database, env.Trusted = Shared.Env["REDLINE_DATABASE_URL"], authority
	return env
}

// NewWorkspaceAt makes a workspace at the process with that base address.
func NewWorkspaceAt(t *testing.T, baseURL string) *Env {
	t.Helper()
	workspace, err := client.CreateWorkspace(t.Context(), baseURL, Unique("owner")+"@tests.example.com")
	require.NoError(t, err)
	return &Env{T: t, Ctx: t.Context(), Workspace: workspace, Owner: workspace.Owner, Keyed: workspace.Keyed}
}

// Through returns the same workspace reached by the process at another base address.
func (env *Env) Through(baseURL string) *Env {
	moved := env.Workspace.At(baseURL)
	return &Env{T: env.T, Ctx: env.Ctx, Workspace: moved, Owner: moved.Owner, Keyed: moved.Keyed, Database: env.Database, own: env.Receiver()}
}

// Unique returns the prefix with an ending that no other test has.
func Unique(prefix string) string {
	bytes := make([]byte, 6)
	_, _ = rand.Read(bytes)
	return prefix + "-" + hex.EncodeToString(bytes)
}

// Receiver returns the test's own https receiver, which the first call starts.
func (env *Env) Receiver() *receiver.Receiver {
	env.T.Helper()
	env.once.Do(func() {
		if env.own != nil {
			return
		}
		var err error
		env.own, err = receiver.Start(env.Trusted)
		require.NoError(env.T, err)
		env.T.Cleanup(env.own.Close)
	})
	return env.own
}

// Call requires that an operation succeeds and decodes its result; result may be nil.
func (env *Env) Call(operation string, data, result any) {
	env.T.Helper()
	raw, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, operation, data)
	require.NoError(env.T, err, operation)
	if result != nil {
		require.NoError(env.T, json.Unmarshal(raw, result), "%s: %s", operation, raw)
	}
}

// Refused requires that an operation is answered with an error and returns it.
func (env *Env) Refused(operation string, data any) *redline.Error {
	env.T.Helper()
	raw, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, operation, data)
	failure := redline.AsError(err)
	require.NotNil(env.T, failure, "%s answered %s, error %v", operation, raw, err)
	return failure
}

// RefusedAs is Refused that requires the status, too.
func (env *Env) RefusedAs(status, operation string, data any) *redline.Error {
	env.T.Helper()
	failure := env.Refused(operation, data)
	require.Equal(env.T, status, string(failure.Status), "%s: %v", operation, failure)
	return failure
}

// Define creates a definition of the nodes and edges and returns its id, which no other has.
func Define(env *Env, nodes []redline.NodeInput, edges ...redline.EdgeInput) string {
	env.T.Helper()
	return defineAs(env, Unique("definition"), nodes, edges...)
}

func defineAs(env *Env, id string, nodes []redline.NodeInput, edges ...redline.EdgeInput) string {
	env.T.Helper()
	Create(env, redline.DefinitionRequest{DefinitionID: id, Name: "Test " + id, Nodes: nodes, Edges: edges})
	return id
}

// Create creates the definition, with an empty list of edges where it has none.
func Create(env *Env, definition redline.DefinitionRequest) redline.Definition {
	env.T.Helper()
	if definition.Edges == nil {
		definition.Edges = []redline.EdgeInput{}
	}
	var view redline.Definition
	env.Call(client.CreateDefinition, definition, &view)
	return view
}

// SignOff creates the definition that most tests use and returns its id: ann decides,
// then a mock agent closes; a rejection goes to another mock.
func SignOff(env *Env) string {
	env.T.Helper()
	return SignOffAs(env, Unique("definition"))
}

// SignOffAs is SignOff with an id for the definition.
func SignOffAs(env *Env, id string) string {
	env.T.Helper()
	return defineAs(env, id,
		[]redline.NodeInput{client.Human("review", "ann"), client.Mock("publish"), client.Mock("tell")},
		client.Approve("review", "publish"), client.Reject("review", "tell"))
}

// Reviewers returns the ids of n reviewers whom no other test has.
func Reviewers(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = Unique("reviewer")
	}
	return ids
}

// Asks starts an execution that asks all the reviewers, and returns it with its step once
// that waits for them.
func Asks(env *Env, reviewers []string) (*Run, redline.Step) {
	env.T.Helper()
	r := Dispatch(env, Define(env, []redline.NodeInput{client.Human("review", reviewers...), client.Mock("end")}, client.Both("review", "end")...))
	return r, r.WaitsAt("review")
}

// Instant creates a definition of one mock agent, which ends by itself, and returns its id.
func Instant(env *Env) string {
	env.T.Helper()
	return Define(env, []redline.NodeInput{client.Mock("only")})
}

// Dispatch starts an execution; change may set more fields of the request.
func Dispatch(env *Env, definitionID string, change ...func(*redline.DispatchRequest)) *Run {
	env.T.Helper()
	data := redline.DispatchRequest{DefinitionID: definitionID}
	for _, apply := range change {
		apply(&data)
	}
	answer, err := env.Workspace.Dispatch(env.Ctx, data)
	require.NoError(env.T, err, "dispatch")
	return &Run{S: env, ID: answer.ExecutionID, CorrelationID: answer.CorrelationID, Deduplicated: answer.Deduplicated}
}

// Key sets the idempotency key of a dispatch.
func Key(key string) func(*redline.DispatchRequest) {
	return func(d *redline.DispatchRequest) { d.IdempotencyKey = client.Given(key) }
}

// Input sets the trigger context of a dispatch.
func Input(context any) func(*redline.DispatchRequest) {
	return func(d *redline.DispatchRequest) { d.TriggerContext = context }
}

// WithReceiver sends the execution's events to a path of the test's receiver, signed with Secret.
func WithReceiver(env *Env, path string) func(*redline.DispatchRequest) {
	url := env.Receiver().URL(path)
	return func(d *redline.DispatchRequest) { d.WebhookURL, d.WebhookSecret = client.Given(url), new(Secret) }
}

// Arrived waits until enough accepts the requests at a path of the receiver.
func (env *Env) Arrived(path string, enough func([]receiver.Request) bool) []receiver.Request {
	env.T.Helper()
	ctx, cancel := context.WithTimeout(env.Ctx, Patience)
	defer cancel()
	found, err := env.Receiver().Wait(ctx, path, enough)
	require.NoError(env.T, err)
	return found
}

// BySeq sorts requests by their seq, to compare each with its event. That is not the order
// in which they left: within the window of a receiver they may pass each
// other on the way.
func BySeq(t *testing.T, requests []receiver.Request) []receiver.Request {
	t.Helper()
	slices.SortStableFunc(requests, func(a, b receiver.Request) int {
		first, err := a.Read()
		require.NoError(t, err)
		second, err := b.Read()
		require.NoError(t, err)
		return cmp.Compare(first.Seq, second.Seq)
	})
	return requests
}

// EveryPage reads a list to its end and returns all items.
func EveryPage[T any](env *Env, operation string, data map[string]any) []T {
	env.T.Helper()
	query := map[string]any{}
	maps.Copy(query, data)
	var all []T
	for {
		var page client.Page[T]
		env.Call(operation, query, &page)
		all = append(all, page.Items...)
		if !page.HasMore {
			return all
		}
		require.NotNil(env.T, page.NextCursor, "a page that is not the last has a cursor")
		query["cursor"] = *page.NextCursor
	}
}

// ObjectOf returns a free-form object of an answer, nil where there is none.
func ObjectOf(of redline.JSON) (fields map[string]any) {
	_ = of.Decode(&fields) // what is no object has no fields
	return fields
}

// RequireEventually requires that the condition holds within Patience; what names it.
func RequireEventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	RequireWithin(t, Patience, what, holds)
}

// RequireWithin is RequireEventually with a deadline of its own.
func RequireWithin(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	if !HoldsWithin(limit, holds) {
		require.FailNow(t, fmt.Sprintf("not within %s: %s", limit, what))
	}
}

// HoldsWithin reports whether the condition holds before the limit is over. To look takes the
// processors from what is waited for, in this test and in those beside it, so it looks
// seldom.
func HoldsWithin(limit time.Duration, holds func() bool) bool {
	const first, longest = 20 * time.Millisecond, 500 * time.Millisecond
	deadline, pause := time.Now().Add(limit), first
	for !holds() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
		if pause *= 2; pause > longest {
			pause = longest
		}
	}
	return true
}

// WhileMoving reports whether the condition comes to hold, however long that takes, as long
// as at returns something new within each limit.
func WhileMoving(limit time.Duration, at func() string, holds func() bool) bool {
	for before := at(); !HoldsWithin(limit, holds); {
		now := at()
		if now == before {
			return false
		}
		before = now
	}
	return true
}

// RequireReached requires that the channel is closed within Patience; what names the point.
func RequireReached(t testing.TB, what string, point <-chan struct{}) {
	t.Helper()
	select {
	case <-point:
	case <-time.After(Patience):
		require.FailNow(t, "not reached: "+what)
	}
}

// NoError reports whether there is no error; one fails the test. Unlike require it
// may be called by any goroutine.
func NoError(t testing.TB, err error) bool {
	t.Helper()
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
	return err == nil
}

// Concurrently runs n calls that are let go at one moment and waits for them all.
func Concurrently(n int, call func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			call(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

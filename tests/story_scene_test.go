package tests

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

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// patience is the deadline of every wait unless a story says otherwise: far
// above what anything takes on a loaded machine of two cores.
const patience = 2 * time.Minute

// secret is the receiver's secret of stories that do not try others.
const secret = "a-secret-of-the-receiver"

// scene is a workspace of one story with what the story does in it.
type scene struct {
	t            *testing.T
	ctx          context.Context
	workspace    *client.Workspace
	owner, keyed *client.Session

	// database is where the stack that the story uses keeps its rows.
	database string
	// trusted is what the egress of the story's stack trusts.
	trusted *receiver.Authority
	open    sync.Once
	ear     *receiver.Receiver
}

// begin makes the scene of a story that runs beside all others.
func begin(t *testing.T) *scene {
	t.Helper()
	t.Parallel()
	settleIn(t, ordinary)
	s := enter(t, shared.URL())
	s.database, s.trusted = shared.Env["REDLINE_DATABASE_URL"], authority
	return s
}

// enter makes a workspace at the process with that address.
func enter(t *testing.T, baseURL string) *scene {
	t.Helper()
	workspace, err := client.CreateWorkspace(t.Context(), baseURL, unique("owner")+"@stories.example.com")
	require.NoError(t, err)
	return &scene{t: t, ctx: t.Context(), workspace: workspace, owner: workspace.Owner, keyed: workspace.Keyed}
}

// through is the same workspace reached by another process.
func (s *scene) through(baseURL string) *scene {
	moved := s.workspace.At(baseURL)
	return &scene{t: s.t, ctx: s.ctx, workspace: moved, owner: moved.Owner, keyed: moved.Keyed, database: s.database, ear: s.receiver()}
}

// unique is a word that no other story has.
func unique(prefix string) string {
	bytes := make([]byte, 6)
	_, _ = rand.Read(bytes)
	return prefix + "-" + hex.EncodeToString(bytes)
}

// receiver is the story's own https receiver.
func (s *scene) receiver() *receiver.Receiver {
	s.t.Helper()
	s.open.Do(func() {
		if s.ear != nil {
			return
		}
		var err error
		s.ear, err = receiver.Start(s.trusted)
		require.NoError(s.t, err)
		s.t.Cleanup(s.ear.Close)
	})
	return s.ear
}

// call makes an operation that has to succeed; result may be nil.
func (s *scene) call(operation string, data, result any) {
	s.t.Helper()
	raw, err := client.Call[json.RawMessage](s.ctx, s.keyed, operation, data)
	require.NoError(s.t, err, operation)
	if result != nil {
		require.NoError(s.t, json.Unmarshal(raw, result), "%s: %s", operation, raw)
	}
}

// refused makes an operation that has to be answered with an error.
func (s *scene) refused(operation string, data any) *client.Failure {
	s.t.Helper()
	raw, err := client.Call[json.RawMessage](s.ctx, s.keyed, operation, data)
	failure := client.Refusal(err)
	require.NotNil(s.t, failure, "%s answered %s, error %v", operation, raw, err)
	return failure
}

// refusedAs is refused with the status that is expected.
func (s *scene) refusedAs(status, operation string, data any) *client.Failure {
	s.t.Helper()
	failure := s.refused(operation, data)
	require.Equal(s.t, status, failure.Status, "%s: %v", operation, failure)
	return failure
}

// define creates a definition of the nodes and edges under an id of its own.
func (s *scene) define(nodes []client.Node, edges ...client.Edge) string {
	s.t.Helper()
	id := unique("definition")
	s.create(client.Definition{DefinitionID: id, Name: "Story " + id, Nodes: nodes, Edges: edges})
	return id
}

func (s *scene) create(definition client.Definition) client.DefinitionView {
	s.t.Helper()
	if definition.Edges == nil {
		definition.Edges = []client.Edge{}
	}
	var view client.DefinitionView
	s.call("workflow/definitions/create", definition, &view)
	return view
}

// signOff is the definition that most stories use: ann decides, then a mock
// agent closes; a rejection goes to another mock.
func (s *scene) signOff() string {
	s.t.Helper()
	return s.define(
		[]client.Node{client.Human("review", "ann"), client.Mock("publish"), client.Mock("tell")},
		client.Approve("review", "publish"), client.Reject("review", "tell"))
}

// people are reviewers that no other story has.
func people(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = unique("reviewer")
	}
	return ids
}

// asks lets an execution wait for all of these people.
func (s *scene) asks(reviewers []string) (*run, client.Step) {
	s.t.Helper()
	r := s.dispatch(s.define([]client.Node{client.Human("review", reviewers...), client.Mock("end")}, client.Both("review", "end")...))
	return r, r.waitsAt("review")
}

// instant is a definition that is complete once it is driven.
func (s *scene) instant() string {
	s.t.Helper()
	return s.define([]client.Node{client.Mock("only")})
}

// dispatch starts an execution.
func (s *scene) dispatch(definitionID string, change ...func(*client.Dispatch)) *run {
	s.t.Helper()
	data := client.Dispatch{DefinitionID: definitionID}
	for _, apply := range change {
		apply(&data)
	}
	answer, err := s.workspace.Dispatch(s.ctx, data)
	require.NoError(s.t, err, "dispatch")
	return &run{s: s, id: answer.ExecutionID, correlationID: answer.CorrelationID, deduplicated: answer.Deduplicated}
}

func key(key string) func(*client.Dispatch) {
	return func(d *client.Dispatch) { d.IdempotencyKey = key }
}

func input(context any) func(*client.Dispatch) {
	return func(d *client.Dispatch) { d.TriggerContext = context }
}

// withReceiver sends the execution's events to a path of the story's receiver.
func (s *scene) withReceiver(path string) func(*client.Dispatch) {
	url := s.receiver().URL(path)
	return func(d *client.Dispatch) { d.WebhookURL, d.WebhookSecret = url, secret }
}

// arrived waits until enough accepts the requests at a path of the receiver.
func (s *scene) arrived(path string, enough func([]receiver.Request) bool) []receiver.Request {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	found, err := s.receiver().Wait(ctx, path, enough)
	require.NoError(s.t, err)
	return found
}

// bySeq sorts requests by their seq, to compare each with its event. In which order
// they left it does not say: within the window of a receiver they may pass each
// other on the way.
func bySeq(t *testing.T, requests []receiver.Request) []receiver.Request {
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

// everyPage reads a list to its end.
func everyPage[T any](s *scene, operation string, data map[string]any) []T {
	s.t.Helper()
	query := map[string]any{}
	maps.Copy(query, data)
	var all []T
	for {
		var page client.Page[T]
		s.call(operation, query, &page)
		all = append(all, page.Items...)
		if !page.HasMore {
			return all
		}
		require.NotNil(s.t, page.NextCursor, "a page that is not the last has a cursor")
		query["cursor"] = *page.NextCursor
	}
}

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	within(t, patience, what, holds)
}

// within is eventually with a deadline of its own.
func within(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	if !holdsWithin(limit, holds) {
		require.FailNow(t, fmt.Sprintf("not within %s: %s", limit, what))
	}
}

// holdsWithin gives whether something holds before the time is over.
func holdsWithin(limit time.Duration, holds func() bool) bool {
	const longest = 250 * time.Millisecond
	deadline, pause := time.Now().Add(limit), 5*time.Millisecond
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

// whileMoving gives whether something comes to hold, however long that takes while the
// way there gets on within the limit.
func whileMoving(limit time.Duration, at func() string, holds func() bool) bool {
	for before := at(); !holdsWithin(limit, holds); {
		now := at()
		if now == before {
			return false
		}
		before = now
	}
	return true
}

// reached waits for something that is told by closing a channel.
func reached(t testing.TB, what string, point <-chan struct{}) {
	t.Helper()
	select {
	case <-point:
	case <-time.After(patience):
		require.FailNow(t, "not reached: "+what)
	}
}

// fine tells whether there is no error; one fails the story. Unlike require it
// may be called by any goroutine.
func fine(t testing.TB, err error) bool {
	t.Helper()
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
	return err == nil
}

// together runs n calls that are let go at one moment and waits for them all.
func together(n int, call func(i int)) {
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

package kit

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// AttemptView is one attempt to send a message to an endpoint.
type AttemptView struct {
	ID, MessageID, EndpointID, Event string
	Attempt                          int
	Trigger, Status, Class           string
	HTTPStatus, DurationMs           *int
	StartedAt                        string
	NextAttemptAt                    *string
	URL                              string
	ResponseBody                     *string
}

// AttemptPage is one page of the list of attempts, newest first.
type AttemptPage struct {
	Attempts     []AttemptView
	Iterator     *string
	PrevIterator *string
	Done         bool
}

// Attempts returns the page of attempts that data asks for.
func Attempts(env *Env, data map[string]any) AttemptPage {
	env.T.Helper()
	var page client.Wrapped[AttemptPage]
	env.Call(client.GetAttempts, data, &page)
	return page.Data
}

// Attempted waits until n attempts are recorded and returns them, newest first.
func Attempted(env *Env, data map[string]any, n int) []AttemptView {
	env.T.Helper()
	var page AttemptPage
	RequireEventually(env.T, fmt.Sprintf("%d attempts", n), func() bool {
		page = Attempts(env, data)
		return len(page.Attempts) >= n
	})
	return page.Attempts
}

// Try sends a test message to an endpoint and returns the message's id.
func Try(env *Env, endpointID, event string) string {
	env.T.Helper()
	var tested client.Wrapped[struct{ MessageID string }]
	env.Call(client.TestEndpoint, map[string]any{"endpointId": endpointID, "eventType": event}, &tested)
	return tested.Data.MessageID
}

// Heard waits for n messages at a path and returns them in the order of their
// sequence.
func Heard(env *Env, path string, n int) []receiver.Message {
	env.T.Helper()
	var messages []receiver.Message
	for _, request := range env.Arrived(path, receiver.Count(n)) {
		m, err := request.Message()
		require.NoError(env.T, err, "%s", request.Body)
		messages = append(messages, m)
	}
	slices.SortFunc(messages, func(a, b receiver.Message) int { return int(a.Sequence - b.Sequence) })
	return messages
}

// EventsOf returns the event names of messages, in their order.
func EventsOf(messages []receiver.Message) []string {
	var names []string
	for _, m := range messages {
		names = append(names, m.Event)
	}
	return names
}

// EndpointAt makes an endpoint at a path of the test's receiver.
func EndpointAt(env *Env, path string, changes ...map[string]any) EndpointView {
	env.T.Helper()
	return Endpoint(env, env.Receiver().URL(path), changes...)
}

// Settled waits until a later message has arrived at an endpoint of its own: what has not
// arrived before it is not to come.
func Settled(env *Env) {
	env.T.Helper()
	path := "/" + Unique("marker")
	mark := EndpointAt(env, path)
	Try(env, mark.ID, "webhook.test")
	env.Arrived(path, receiver.Count(1))
	env.Call(client.DeleteEndpoint, Of(mark.ID), nil)
}

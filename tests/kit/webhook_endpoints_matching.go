package kit

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

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

type AttemptPage struct {
	Attempts     []AttemptView
	Iterator     *string
	PrevIterator *string
	Done         bool
}

func Attempts(env *Env, data map[string]any) AttemptPage {
	env.T.Helper()
	var page client.Wrapped[AttemptPage]
	env.Call(client.GetAttempts, data, &page)
	return page.Data
}

// Attempted waits until n attempts are recorded, newest first.
func Attempted(env *Env, data map[string]any, n int) []AttemptView {
	env.T.Helper()
	var page AttemptPage
	RequireEventually(env.T, fmt.Sprintf("%d attempts", n), func() bool {
		page = Attempts(env, data)
		return len(page.Attempts) >= n
	})
	return page.Attempts
}

// Try tests an endpoint and returns the message's id.
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

// Settled lets something later arrive at an endpoint of its own, behind which
// what has not arrived is not to come.
func Settled(env *Env) {
	env.T.Helper()
	path := "/" + Unique("marker")
	mark := EndpointAt(env, path)
	Try(env, mark.ID, "webhook.test")
	env.Arrived(path, receiver.Count(1))
	env.Call(client.DeleteEndpoint, Of(mark.ID), nil)
}

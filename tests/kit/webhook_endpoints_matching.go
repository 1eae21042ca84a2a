package kit

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// Attempts returns the page of attempts that data asks for.
func Attempts(env *Env, data map[string]any) redline.AttemptList {
	env.T.Helper()
	var page redline.AttemptListResult
	env.Call(client.GetAttempts, data, &page)
	return page.Data
}

// Attempted waits until n attempts are recorded and returns them, newest first.
func Attempted(env *Env, data map[string]any, n int) []redline.EndpointAttempt {
	env.T.Helper()
	var page redline.AttemptList
	RequireEventually(env.T, fmt.Sprintf("%d attempts", n), func() bool {
		page = Attempts(env, data)
		return len(page.Attempts) >= n
	})
	return page.Attempts
}

// Try sends a test message to an endpoint and returns the message's id.
func Try(env *Env, endpointID, event string) string {
	env.T.Helper()
	var tested redline.TestedEndpointResult
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
func EndpointAt(env *Env, path string, changes ...map[string]any) redline.Endpoint {
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

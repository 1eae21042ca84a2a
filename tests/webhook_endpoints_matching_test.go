package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

type attemptView struct {
	ID, MessageID, EndpointID, Event string
	Attempt                          int
	Trigger, Status, Class           string
	HTTPStatus, DurationMs           *int
	StartedAt                        string
	NextAttemptAt                    *string
	URL                              string
	ResponseBody                     *string
}

type attemptPage struct {
	Attempts     []attemptView
	Iterator     *string
	PrevIterator *string
	Done         bool
}

func (s *scene) attempts(data map[string]any) attemptPage {
	s.t.Helper()
	var page client.Wrapped[attemptPage]
	s.call(getAttempts, data, &page)
	return page.Data
}

// attempted waits until n attempts are recorded, newest first.
func (s *scene) attempted(data map[string]any, n int) []attemptView {
	s.t.Helper()
	var page attemptPage
	eventually(s.t, fmt.Sprintf("%d attempts", n), func() bool {
		page = s.attempts(data)
		return len(page.Attempts) >= n
	})
	return page.Attempts
}

// try tests an endpoint and gives the message's id.
func (s *scene) try(endpointID, event string) string {
	s.t.Helper()
	var tested client.Wrapped[struct{ MessageID string }]
	s.call(testEndpoint, map[string]any{"endpointId": endpointID, "eventType": event}, &tested)
	return tested.Data.MessageID
}

// heard waits for n messages at a path and gives them in the order of their
// sequence.
func (s *scene) heard(path string, n int) []receiver.Message {
	s.t.Helper()
	var messages []receiver.Message
	for _, request := range s.arrived(path, receiver.Count(n)) {
		m, err := request.Message()
		require.NoError(s.t, err, "%s", request.Body)
		messages = append(messages, m)
	}
	slices.SortFunc(messages, func(a, b receiver.Message) int { return int(a.Sequence - b.Sequence) })
	return messages
}

func eventsOf(messages []receiver.Message) []string {
	var names []string
	for _, m := range messages {
		names = append(names, m.Event)
	}
	return names
}

// endpointAt makes an endpoint at a path of the story's receiver.
func (s *scene) endpointAt(path string, changes ...map[string]any) endpointView {
	s.t.Helper()
	return s.endpoint(s.receiver().URL(path), changes...)
}

// settled lets something later arrive at an endpoint of its own, behind which
// what has not arrived is not to come.
func (s *scene) settled() {
	s.t.Helper()
	path := "/" + unique("marker")
	mark := s.endpointAt(path)
	s.try(mark.ID, "webhook.test")
	s.arrived(path, receiver.Count(1))
	s.call(deleteEndpoint, of(mark.ID), nil)
}

func TestEndpointTest_1to3_OneEndpointGetsASignedMessage(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", map[string]any{"disabled": true, "filterTypes": []string{"comment.add"}, "channels": []string{"c"}})
	s.endpointAt("/other")
	secret := s.secretOf(e.ID)
	s.receiver().Answer("/told", receiver.Answer{Status: 201, Body: "thanks"})
	for i, event := range []string{"webhook.test", "comment.add", "step.awaiting-approval"} {
		messageID := s.try(e.ID, event)
		request := s.arrived("/told", receiver.Count(i+1))[i]
		require.NoError(t, receiver.VerifyMessage(request, secret))
		assert.Equal(t, "application/json", request.Header.Get("content-type"))
		assert.Equal(t, "svc-webhooks/1", request.Header.Get("user-agent"))
		assert.Equal(t, messageID, request.Header.Get("webhook-id"))
		assert.Equal(t, http.MethodPost, request.Method)
		m, err := request.Message()
		require.NoError(t, err)
		assert.Equal(t, []string{event, messageID}, []string{m.Event, m.WebhookID})
		var data map[string]any
		require.NoError(t, json.Unmarshal(m.Data, &data))
		assert.Equal(t, true, data["test"])
		a := s.attempted(map[string]any{"messageId": messageID}, 1)[0]
		assert.Equal(t, []any{e.ID, messageID, event, 1, "test", "succeeded", "ok", 201, "thanks", e.URL},
			[]any{a.EndpointID, a.MessageID, a.Event, a.Attempt, a.Trigger, a.Status, a.Class, *a.HTTPStatus, *a.ResponseBody, a.URL})
		assert.Nil(t, a.NextAttemptAt)
		assert.Regexp(t, `^att_`, a.ID)
	}
	s.settled()
	assert.Empty(t, s.receiver().Requests("/other"), "nobody else is told")
}

func TestEndpointTest_4_AFailureIsSentOnceAndDisablesNothing(t *testing.T) {
	s := begin(t).hooked()
	s.receiver().Answer("/told", receiver.Status(410))
	e := s.endpointAt("/told")
	a := s.attempted(map[string]any{"messageId": s.try(e.ID, "webhook.test")}, 1)[0]
	assert.Equal(t, []any{"failed", "gone", 410}, []any{a.Status, a.Class, *a.HTTPStatus})
	assert.Nil(t, a.NextAttemptAt, "a test is sent once")
	assert.False(t, s.endpoints(map[string]any{}).Endpoints[0].Disabled)
}

func TestEgress_3_ARedirectToAnAddressOfTheCloudIsAnAnswer(t *testing.T) {
	s := begin(t).hooked()
	elsewhere := s.receiver().URL("/elsewhere")
	for i, location := range []string{"http://169.254.169.254/latest/meta-data", elsewhere} {
		path := fmt.Sprintf("/moved%d", i)
		s.receiver().Answer(path, receiver.Answer{Status: 302, Header: map[string]string{"location": location}})
		e := s.endpointAt(path)
		a := s.attempted(map[string]any{"messageId": s.try(e.ID, "webhook.test")}, 1)[0]
		assert.Equal(t, []any{"failed", "http-3xx", 302}, []any{a.Status, a.Class, *a.HTTPStatus})
		assert.Len(t, s.receiver().Requests(path), 1)
	}
	s.settled()
	assert.Empty(t, s.receiver().Requests("/elsewhere"), "nobody follows it")
}

func TestEndpoints_PlainHTTPOnLoopback(t *testing.T) {
	s := begin(t).hooked()
	reported := make(chan string, 10)
	plain := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reported <- r.Header.Get("webhook-id") }))
	t.Cleanup(plain.Close)
	messageID := s.try(s.endpoint(plain.URL+"/a?b=c").ID, "webhook.test")
	require.Equal(t, messageID, <-reported)
}

func TestMatching_TypesAndChannels(t *testing.T) {
	s := begin(t).hooked()
	definition := s.instant()
	s.endpointAt("/all")
	s.endpointAt("/completed", map[string]any{"filterTypes": []string{"execution.completed", "comment.add"}})
	s.endpointAt("/run", map[string]any{"channels": []string{"definition:" + definition, "x"}})
	s.endpointAt("/spring", map[string]any{"channels": []string{"document:spring"}, "filterTypes": []string{"comment.add"}})
	s.endpointAt("/off", map[string]any{"disabled": true})
	r := s.dispatch(definition)
	r.ends("completed")
	s.dispatch(s.instant()).ends("completed")
	s.annotate(made("spring", annotated(unique("a"), wrote("ann", "one", loud))))
	s.annotate(made("autumn", annotated(unique("a"), wrote("ann", "two", loud), wrote("bob", "quiet"))))

	assert.Equal(t, []string{"execution.completed", "execution.completed", "comment.add", "comment.add"}, eventsOf(s.heard("/completed", 4)))
	events := r.events()
	var want []string
	for _, e := range events {
		want = append(want, e.Type)
	}
	assert.Equal(t, want, eventsOf(s.heard("/run", len(want))), "all external events of the one definition")
	spring := s.heard("/spring", 1)
	assert.Equal(t, []string{"comment.add"}, eventsOf(spring))
	all := s.heard("/all", 2*len(want)+4)
	s.settled()
	assert.Len(t, s.receiver().Requests("/all"), len(all))
	assert.Empty(t, s.receiver().Requests("/off"))
	assert.Len(t, s.receiver().Requests("/spring"), 1)
	for i := 1; i < len(all); i++ {
		assert.Less(t, all[i-1].Sequence, all[i].Sequence, "each its own")
	}
}

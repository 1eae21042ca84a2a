package webhook

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestEndpointTest_1to3_OneEndpointGetsASignedMessage(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", map[string]any{"disabled": true, "filterTypes": []string{"comment.add"}, "channels": []string{"c"}})
	kit.EndpointAt(env, "/other")
	secret := kit.SecretOf(env, e.ID)
	env.Receiver().Answer("/told", receiver.Answer{Status: 201, Body: "thanks"})
	for i, event := range []string{"webhook.test", "comment.add", "step.awaiting-approval"} {
		messageID := kit.Try(env, e.ID, event)
		request := env.Arrived("/told", receiver.Count(i+1))[i]
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
		a := kit.Attempted(env, map[string]any{"messageId": messageID}, 1)[0]
		assert.Equal(t, []any{e.ID, messageID, event, int64(1), redline.EndpointAttemptTriggerTest, redline.EndpointAttemptStatusSucceeded, "ok", int64(201), "thanks", e.URL},
			[]any{a.EndpointID, a.MessageID, a.Event, a.Attempt, a.Trigger, a.Status, a.Class, *a.HTTPStatus, *a.ResponseBody, a.URL})
		assert.Nil(t, a.NextAttemptAt)
		assert.Regexp(t, `^att_`, a.ID)
	}
	kit.Settled(env)
	assert.Empty(t, env.Receiver().Requests("/other"), "nobody else is told")
}

func TestEndpointTest_4_AFailureIsSentOnceAndDisablesNothing(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	env.Receiver().Answer("/told", receiver.Status(410))
	e := kit.EndpointAt(env, "/told")
	a := kit.Attempted(env, map[string]any{"messageId": kit.Try(env, e.ID, "webhook.test")}, 1)[0]
	assert.Equal(t, []any{redline.EndpointAttemptStatusFailed, "gone", int64(410)}, []any{a.Status, a.Class, *a.HTTPStatus})
	assert.Nil(t, a.NextAttemptAt, "a test is sent once")
	assert.False(t, kit.Endpoints(env, map[string]any{}).Endpoints[0].Disabled)
}

func TestEgress_3_ARedirectToAnAddressOfTheCloudIsAnAnswer(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	elsewhere := env.Receiver().URL("/elsewhere")
	for i, location := range []string{"http://169.254.169.254/latest/meta-data", elsewhere} {
		path := fmt.Sprintf("/moved%d", i)
		env.Receiver().Answer(path, receiver.Answer{Status: 302, Header: map[string]string{"location": location}})
		e := kit.EndpointAt(env, path)
		a := kit.Attempted(env, map[string]any{"messageId": kit.Try(env, e.ID, "webhook.test")}, 1)[0]
		assert.Equal(t, []any{redline.EndpointAttemptStatusFailed, "http-3xx", int64(302)}, []any{a.Status, a.Class, *a.HTTPStatus})
		assert.Len(t, env.Receiver().Requests(path), 1)
	}
	kit.Settled(env)
	assert.Empty(t, env.Receiver().Requests("/elsewhere"), "nobody follows it")
}

func TestEndpoints_PlainHTTPOnLoopback(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	reported := make(chan string, 10)
	plain := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reported <- r.Header.Get("webhook-id") }))
	t.Cleanup(plain.Close)
	messageID := kit.Try(env, kit.Endpoint(env, plain.URL+"/a?b=c").ID, "webhook.test")
	require.Equal(t, messageID, <-reported)
}

func TestMatching_TypesAndChannels(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	definition := kit.Instant(env)
	kit.EndpointAt(env, "/all")
	kit.EndpointAt(env, "/completed", map[string]any{"filterTypes": []string{"execution.completed", "comment.add"}})
	kit.EndpointAt(env, "/run", map[string]any{"channels": []string{"definition:" + definition, "x"}})
	kit.EndpointAt(env, "/spring", map[string]any{"channels": []string{"document:spring"}, "filterTypes": []string{"comment.add"}})
	kit.EndpointAt(env, "/off", map[string]any{"disabled": true})
	r := kit.Dispatch(env, definition)
	r.Ends("completed")
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.Annotate(env, kit.Made("spring", kit.Annotated(kit.Unique("a"), kit.Wrote("ann", "one", kit.Loud))))
	kit.Annotate(env, kit.Made("autumn", kit.Annotated(kit.Unique("a"), kit.Wrote("ann", "two", kit.Loud), kit.Wrote("bob", "quiet"))))

	assert.Equal(t, []string{"execution.completed", "execution.completed", "comment.add", "comment.add"}, kit.EventsOf(kit.Heard(env, "/completed", 4)))
	events := r.Events()
	var want []string
	for _, e := range events {
		want = append(want, e.Type)
	}
	assert.Equal(t, want, kit.EventsOf(kit.Heard(env, "/run", len(want))), "all external events of the one definition")
	spring := kit.Heard(env, "/spring", 1)
	assert.Equal(t, []string{"comment.add"}, kit.EventsOf(spring))
	all := kit.Heard(env, "/all", 2*len(want)+4)
	kit.Settled(env)
	assert.Len(t, env.Receiver().Requests("/all"), len(all))
	assert.Empty(t, env.Receiver().Requests("/off"))
	assert.Len(t, env.Receiver().Requests("/spring"), 1)
	for i := 1; i < len(all); i++ {
		assert.Less(t, all[i-1].Sequence, all[i].Sequence, "each its own")
	}
}

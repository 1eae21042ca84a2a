package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	getPath  = "/v2/workflow/executions/get"
	bodySize = 1 << 20
)

// send posts a body and gives the refusal, nil for a success.
func send(t *testing.T, session *client.Session, path, body string, header map[string]string) *client.Failure {
	t.Helper()
	reply, err := session.Send(t.Context(), path, []byte(body), header)
	require.NoError(t, err)
	return reply.Failure()
}

func TestHeadersOfAnswers(t *testing.T) {
	s := begin(t)
	body := []byte(`{"data":{"executionId":"x"}}`)
	for given, kept := range map[string]bool{"my.request-1_A": true, "": false, "with space": false, strings.Repeat("a", 65): false} {
		reply, err := s.keyed.Send(t.Context(), getPath, body, map[string]string{"x-request-id": given})
		require.NoError(t, err)
		id := reply.Header.Get("x-request-id")
		require.NotEmpty(t, id)
		require.Equal(t, kept, id == given, "%q became %q", given, id)
		require.Equal(t, "no-store", reply.Header.Get("cache-control"))
		require.Equal(t, "nosniff", reply.Header.Get("x-content-type-options"))
	}
}

func TestPathsAndMethodsThatDoNotExist(t *testing.T) {
	s := begin(t)
	for _, tried := range []struct{ method, path string }{
		{http.MethodPost, "/v2/workflow/executions/nothing"},
		{http.MethodPost, "/v3/workflow/executions/get"},
		{http.MethodPost, "/"},
		{http.MethodGet, getPath},
		{http.MethodPut, getPath},
		{http.MethodOptions, getPath},
		{http.MethodPost, getPath + "/"},
		{http.MethodPost, "/V2/workflow/executions/get"},
		{http.MethodGet, "/metrics"},
		{http.MethodGet, "/healthz"},
		{http.MethodGet, "/docs"},
	} {
		reply, err := s.keyed.Do(t.Context(), tried.method, tried.path, strings.NewReader(`{"data":{}}`), nil)
		require.NoError(t, err)
		failure := reply.Failure()
		require.NotNil(t, failure, tried)
		assert.Equal(t, http.StatusNotFound, failure.HTTP, tried)
		assert.Equal(t, "NOT_FOUND", failure.Status, tried)
	}
	document, err := s.keyed.Do(t.Context(), http.MethodGet, "/v2/openapi.json", nil, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, document.HTTP)
	var openapi struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(document.Body, &openapi))
	require.True(t, strings.HasPrefix(openapi.OpenAPI, "3.1"))
	require.Contains(t, openapi.Paths, getPath)
}

func TestCursorsOfEveryListAreBoundToTheirWorkspace(t *testing.T) {
	s := begin(t)
	stranger := s.elsewhere()
	for range 2 {
		s.dispatch(s.signOff(), s.withReceiver("/events"))
	}
	r := s.dispatch(s.signOff(), s.withReceiver("/events"))
	r.waitsAt("review")
	eventually(t, "three people are asked", func() bool { return len(inbox(s, "ann")) == 3 })
	for operation, data := range map[string]map[string]any{
		listExecutions: {}, "workflow/steps/list": {}, "workflow/definitions/list": {},
	} {
		data["pageSize"] = 1
		var page client.Page[json.RawMessage]
		s.call(operation, data, &page)
		require.True(t, page.HasMore, operation)
		data["cursor"] = *page.NextCursor
		assert.Equal(t, "INVALID_ARGUMENT", stranger.refused(operation, data).Status, operation)
		data["cursor"] = *page.NextCursor + "x"
		assert.Equal(t, "INVALID_ARGUMENT", s.refused(operation, data).Status, operation)
		data["cursor"] = fmt.Sprintf("%064d", 0)
		assert.Equal(t, "INVALID_ARGUMENT", s.refused(operation, data).Status, operation)
	}
}

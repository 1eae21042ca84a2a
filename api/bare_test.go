package api

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/telemetry"
)

// loaded is the document as a client reads it.
func loaded(t *testing.T) *openapi3.T {
	t.Helper()
	server := replay(t, Routes(Handlers{}), telemetry.NewMetrics(), slog.New(slog.DiscardHandler))
	document, err := openapi3.NewLoader().LoadFromData(server.Document())
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	return document
}

// Every route is in the document, also one that is no operation.
func TestEveryRouteIsDocumented(t *testing.T) {
	document, ids := loaded(t), map[string]bool{}
	for _, route := range Routes(Handlers{}) {
		path := document.Paths.Value(route.Path)
		require.NotNil(t, path, route.Path)
		operation := path.GetOperation(route.Method)
		require.NotNil(t, operation, "%s %s", route.Method, route.Path)
		require.Equal(t, route.Summary, operation.Summary)
		require.False(t, ids[operation.OperationID], operation.OperationID)
		ids[operation.OperationID] = true
	}
}

// What senders outside send, and are answered, fits the document.
func TestRawRoutesAreDocumented(t *testing.T) {
	document := loaded(t)
	for _, each := range []struct {
		path, body, answer string
		wrong              []string
	}{
		{
			"/v2/workflow/webhook-callback/complete", `{"status":"failed","output":null,"error":{"code":"no-cms"}}`, `{"ok":true,"code":"already-terminal"}`,
			[]string{`{}`, `{"status":"done"}`, `{"status":"completed","more":1}`, `{"status":"failed","error":{}}`},
		},
		{
			"/v2/workflow/webhook-inbound/trigger", `{"type":"go","payload":{"n":1}}`, `{"ok":true,"code":"accepted","executionId":"x","deduplicated":false}`,
			[]string{`[]`, `7`},
		},
	} {
		operation := document.Paths.Value(each.path).Post
		require.Len(t, operation.RequestBody.Value.Content, 1)
		body := operation.RequestBody.Value.Content.Get("application/json").Schema.Value
		require.NoError(t, fits(body, each.body))
		for _, wrong := range each.wrong {
			require.Error(t, fits(body, wrong), wrong)
		}
		answer := operation.Responses.Value("200").Value.Content.Get("application/json").Schema.Value
		require.NoError(t, fits(answer, each.answer))
		require.NoError(t, fits(answer, `{"ok":false,"code":"event-ignored"}`))
		require.Error(t, fits(answer, `{"result":{}}`))
		require.NoError(t, fits(operation.Responses.Default().Value.Content.Get("application/json").Schema.Value, `{"ok":false,"code":"unauthenticated"}`))
	}
	require.Equal(t, []string{"apiKey", "definitionId", "triggerId"}, names(document.Paths.Value("/v2/workflow/webhook-inbound/trigger").Post))
	files := document.Paths.Value("/v2/memory/files/{token}")
	require.NoError(t, fits(files.Put.Responses.Value("200").Value.Content.Get("application/json").Schema.Value, `{"result":{"fileRef":"gs://x","fileSize":5}}`))
	require.Equal(t, []string{"token"}, names(files.Get))
}

func fits(schema *openapi3.Schema, text string) error {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	return schema.VisitJSON(value, openapi3.EnableJSONSchema2020())
}

func names(operation *openapi3.Operation) (list []string) {
	for _, parameter := range operation.Parameters {
		list = append(list, parameter.Value.Name)
	}
	return list
}

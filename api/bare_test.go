package api

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/telemetry"
)

// loaded is the document as a client reads it.
func loaded(t *testing.T) *openapi3.T {
	t.Helper()
	return documentOf(t, replay(t, Routes(Handlers{}), telemetry.NewMetrics(), slog.New(slog.DiscardHandler)))
}

// documentOf is that of a server.
func documentOf(t *testing.T, server *rpc.Server) *openapi3.T {
	t.Helper()
	text, err := server.Document()
	require.NoError(t, err)
	document, err := openapi3.NewLoader().LoadFromData(text)
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

// The document refers to all schemas that it has, and has an example of each raw route, and of
// each error.
func TestTheDocumentHasWhatItRefersTo(t *testing.T) {
	document := loaded(t)
	text, err := document.MarshalJSON()
	require.NoError(t, err)
	for name, schema := range document.Components.Schemas {
		require.Contains(t, string(text), `"$ref":"#/components/schemas/`+name+`"`)
		for _, example := range schema.Value.Examples {
			require.NoError(t, schema.Value.VisitJSON(example, openapi3.EnableJSONSchema2020()))
		}
	}
	require.NotEmpty(t, document.Components.Schemas["ErrorBody"].Value.Examples)
	require.NotEmpty(t, document.Components.Schemas["RawRefusal"].Value.Examples)
	for _, path := range []string{"/v2/workflow/webhook-callback/complete", "/v2/workflow/webhook-inbound/trigger"} {
		operation := document.Paths.Value(path).Post
		body, answer := operation.RequestBody.Value.Content.Get("application/json"), operation.Responses.Value("200").Value.Content.Get("application/json")
		for _, content := range []*openapi3.MediaType{body, answer} {
			require.NotEmpty(t, content.Examples)
			for _, example := range content.Examples {
				require.NoError(t, content.Schema.Value.VisitJSON(example.Value.Value, openapi3.EnableJSONSchema2020()))
			}
		}
	}
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

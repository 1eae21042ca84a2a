package rpc

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/telemetry"
)

func TestDocumentIsPublished(t *testing.T) {
	b := newBench(t)
	r := httptest.NewRequest(http.MethodGet, documentPath, nil)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.NotEmpty(t, w.Header().Get("X-Request-Id"))
	loaded, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	require.NoError(t, err)
	require.NoError(t, loaded.Validate(t.Context()))
	var document struct {
		OpenAPI string                    `json:"openapi"`
		Paths   map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document))
	require.Equal(t, "3.1.0", document.OpenAPI)
	require.Len(t, document.Paths, len(testRoutes()))
	for path, operations := range document.Paths {
		require.Len(t, operations, 1, path)
		require.Contains(t, operations, "post")
	}
}

// The document is written when it is first wanted, beside requests that are read by its schemas.
func TestTheDocumentIsWrittenBesideRequests(t *testing.T) {
	server := newBench(t)
	var texts [8]string
	var faults [8]error
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() {
			assert.Equal(t, http.StatusOK, server.post(t, "/v2/test/loose", `{"data":{"name":"a"},"more":1}`).Code)
			text, err := server.Document()
			texts[i], faults[i] = string(text), err
		})
	}
	all.Wait()
	require.NotEmpty(t, texts[0])
	for i, text := range texts {
		require.NoError(t, faults[i])
		require.Equal(t, texts[0], text)
	}
}

func TestTheDocumentSaysWhatMayStandBesideData(t *testing.T) {
	server := newBench(t)
	var document struct {
		Paths map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct {
						Schema struct {
							AdditionalProperties bool `json:"additionalProperties"`
						} `json:"schema"`
					} `json:"content"`
				} `json:"requestBody"`
			} `json:"post"`
		} `json:"paths"`
	}
	text, err := server.Document()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &document))
	for path, ignores := range map[string]bool{"/v2/test/loose": true, "/v2/test/strict": false} {
		code := server.post(t, path, `{"data":{"name":"a"},"more":1}`).Code
		require.Equal(t, ignores, code == http.StatusOK)
		require.Equal(t, ignores, document.Paths[path].Post.RequestBody.Content["application/json"].Schema.AdditionalProperties, path)
	}
}

func TestOperationsAreNamedByTheirResource(t *testing.T) {
	for path, want := range map[string]string{
		"/v2/workflow/executions/dispatch":                       "executions.dispatch",
		"/v2/workflow/executions/getEvents":                      "executions.getEvents",
		"/v2/workflow/webhook-inbound/trigger":                   "webhookInbound.trigger",
		"/v2/commentannotations/add":                             "annotations.add",
		"/v2/commentannotations/comments/add":                    "comments.add",
		"/v1/commentannotations/get":                             "annotations.getV1",
		"/v2/organizations/add":                                  "organizations.add",
		"/v2/organizations/documents/access/update":              "documents.updateAccess",
		"/v2/organizations/usergroups/users/delete":              "userGroups.deleteUsers",
		"/v2/memory/ask":                                         "memory.ask",
		"/v2/memory/knowledge/ingest-status":                     "knowledge.ingestStatus",
		"/v2/workspace/get":                                      "workspace.get",
		"/v2/workspace/apikey/create":                            "apiKeys.create",
		"/v2/workspace/advancedwebhook/endpoints/secret/rotate":  "endpoints.rotateSecret",
		"/v2/workspace/advancedwebhookconfig/update":             "workspace.updateAdvancedWebhookConfig",
		"/v2/auth/generate_token":                                "auth.generateToken",
		"/v2/organizations/access/disablestate/update":           "organizations.updateAccessDisableState",
		"/v2/organizations/documents/access/disablestate/update": "documents.updateAccessDisableState",
	} {
		require.Equal(t, want, operationID(path))
	}
}

type pageAsked struct {
	PageToken string `json:"pageToken,omitempty"`
}

type pageFound struct {
	Data          []string `json:"data"`
	NextPageToken string   `json:"nextPageToken,omitempty"`
}

type thingSent struct {
	ID string `json:"id,omitempty"`
}

type thingsSent struct {
	Things []thingSent `json:"things"`
}

func TestTheDocumentSaysHowToPageAndWhatToRepeat(t *testing.T) {
	routes := []Route{
		Post("/v2/test/list", func(context.Context, *pageAsked) (*pageFound, error) { return new(pageFound), nil }),
		Post("/v2/test/make", func(context.Context, *thingsSent) (*pageFound, error) { return new(pageFound), nil }, Once("things.id")),
	}
	server, err := NewServer(Options{Telemetry: telemetry.NewMetrics(), Log: slog.New(slog.DiscardHandler)}, routes)
	require.NoError(t, err)
	var document struct {
		Paths map[string]struct {
			Post struct {
				Pages  *pages   `json:"x-pages"`
				Repeat *repeats `json:"x-repeat"`
			} `json:"post"`
		} `json:"paths"`
	}
	text, err := server.Document()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &document))
	list, made := document.Paths["/v2/test/list"].Post, document.Paths["/v2/test/make"].Post
	require.Equal(t, &pages{Request: "pageToken", Items: "data", Next: "nextPageToken"}, list.Pages)
	require.Equal(t, &repeats{Safe: true}, list.Repeat)
	require.Nil(t, made.Pages)
	require.Equal(t, &repeats{IDs: []string{"things.id"}}, made.Repeat)
}

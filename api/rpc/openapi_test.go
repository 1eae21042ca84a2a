package rpc

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
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

func TestTheDocumentSaysWhatMayStandBesideData(t *testing.T) {
	server := newBench(t)
	var document struct {
		Paths map[string]struct {
			Post struct {
				OperationID string `json:"operationId"`
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
	require.NoError(t, json.Unmarshal(server.Document(), &document))
	for path, ignores := range map[string]bool{"/v2/test/loose": true, "/v2/test/strict": false} {
		code := server.post(t, path, `{"data":{"name":"a"},"more":1}`).Code
		require.Equal(t, ignores, code == http.StatusOK)
		require.Equal(t, ignores, document.Paths[path].Post.RequestBody.Content["application/json"].Schema.AdditionalProperties, path)
	}
	require.Equal(t, "test-loose", document.Paths["/v2/test/loose"].Post.OperationID)
	require.Equal(t, "v1-commentannotations-get", operationID("/v1/commentannotations/get"))
}

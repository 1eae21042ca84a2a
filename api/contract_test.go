package api

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/telemetry"
)

// published is the published document with a server that plays the documented
// results through the real pipeline.
type published struct {
	server  *Server
	router  routers.Router
	options *openapi3filter.Options
}

func newContract(t *testing.T, routes []Route) *published {
	t.Helper()
	server, err := newServer(Options{
		Credentials: fakeCredentials{}, Limiter: &fakeLimiter{}, Telemetry: telemetry.NewMetrics(),
		Log: slog.New(slog.DiscardHandler), PublicURL: "http://127.0.0.1:8080",
	}, routes, playedResult)
	require.NoError(t, err)
	document, err := openapi3.NewLoader().LoadFromData(server.Document())
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	require.True(t, document.IsOpenAPI31OrLater())
	router, err := gorillamux.NewRouter(document)
	require.NoError(t, err)
	return &published{server, router, &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
}

// call sends data as the operation's documented caller would, and checks the
// request, unless it is meant to be wrong, and the answer against the document.
func (c *published) call(t *testing.T, route *Route, data json.RawMessage, wrong bool) *httptest.ResponseRecorder {
	t.Helper()
	body := append(append([]byte(`{"data":`), data...), '}')
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+route.Path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, id := range []string{headerAPIKey, headerWorkspaceID} {
		r.Header.Set(id, "x")
	}
	for _, token := range []string{headerAuthToken, headerWorkspaceToken} {
		r.Header.Set(token, "good-x")
	}
	found, params, err := c.router.FindRoute(r)
	require.NoError(t, err)
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: found, Options: c.options}
	if !wrong {
		require.NoError(t, openapi3filter.ValidateRequest(t.Context(), input))
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	require.NoError(t, openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: w.Code, Header: w.Header(),
		Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())), Options: c.options,
	}), w.Body.String())
	return w
}

// Every documented example passes the document's own schemas and the real
// decoding, checking and writing, in both directions.
func TestContractOfEveryDocumentedExample(t *testing.T) {
	routes := append(Routes(Handlers{}), testRoutes()...)
	c := newContract(t, routes)
	for i := range routes {
		route := &routes[i]
		t.Run(route.Path, func(t *testing.T) {
			require.NotEmpty(t, route.examples, "no example is documented")
			require.True(t, route.summary != "" || area(route.Path) == "test", "no summary")
			for k, e := range route.examples {
				route.examples[0], route.examples[k] = e, route.examples[0] // the first one is what is played
				w := c.call(t, route, e.data, false)
				require.Equal(t, http.StatusOK, w.Code, w.Body)
				require.Empty(t, w.Header().Get("X-Svc-Ignored-Fields"))
				require.JSONEq(t, `{"result":`+string(e.result)+`}`, w.Body.String())
			}
		})
	}
}

// Errors have the documented form too, and strictness is what the table says.
func TestContractOfErrors(t *testing.T) {
	routes := Routes(Handlers{})
	c := newContract(t, routes)
	for i := range routes {
		route := &routes[i]
		if route.document != nil {
			continue // reads its own data
		}
		t.Run(route.Path, func(t *testing.T) {
			var data map[string]any
			require.NoError(t, json.Unmarshal(route.examples[0].data, &data))
			data["svcNoSuchField"] = 1
			text, err := json.Marshal(data)
			require.NoError(t, err)
			w := c.call(t, route, text, true)
			if route.strict {
				require.Equal(t, http.StatusBadRequest, w.Code)
				require.Contains(t, w.Body.String(), "unknown-key")
			} else {
				require.Equal(t, http.StatusOK, w.Code, w.Body)
				require.Equal(t, "svcNoSuchField", w.Header().Get("X-Svc-Ignored-Fields"))
			}
		})
	}
}

// What a caller may leave out may be null, in the document and in the service
// alike, unless the field's rules say otherwise.
func TestContractOfNull(t *testing.T) {
	routes := Routes(Handlers{})
	c := newContract(t, routes)
	for i := range routes {
		route := &routes[i]
		found, _, err := c.router.FindRoute(httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+route.Path, nil))
		require.NoError(t, err)
		schema := found.Operation.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties["data"].Value
		for name, property := range schema.Properties {
			var data map[string]any
			require.NoError(t, json.Unmarshal(route.examples[0].data, &data))
			if _, given := data[name]; given || slices.Contains(schema.Required, name) {
				continue
			}
			data[name] = nil
			text, err := json.Marshal(data)
			require.NoError(t, err)
			documented := property.Value.VisitJSON(nil, openapi3.EnableJSONSchema2020()) == nil
			w := c.call(t, route, text, true)
			require.Equal(t, documented, w.Code == http.StatusOK, "%s %s: %s", route.Path, name, w.Body)
		}
	}
}

// The table keeps the rules that hold for whole families of paths.
func TestContractOfFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, route := range Routes(Handlers{}) {
		require.False(t, seen[route.Path], "%s is there twice", route.Path)
		seen[route.Path] = true
		strict := area(route.Path) == "workflow" || strings.HasPrefix(route.Path, "/v2/memory/knowledge/")
		require.Equal(t, strict, route.strict, route.Path)
	}
}

func TestDocumentIsPublished(t *testing.T) {
	b := newBench(t)
	r := httptest.NewRequest(http.MethodGet, documentPath, nil)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.NotEmpty(t, w.Header().Get("X-Request-Id"))
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

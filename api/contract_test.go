package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/workspace"
)

// operations are the routes of the table that have a request and a result.
func operations() []rpc.Route {
	return slices.DeleteFunc(Routes(Handlers{}), func(r rpc.Route) bool { return r.IsFile() })
}

// goodToken is the token of every key and workspace.
const goodToken = "good"

type fakeCredentials struct{}

func (fakeCredentials) Key(_ context.Context, key, token string) (workspace.Caller, error) {
	return callerOf(workspace.Caller{WorkspaceID: "ws_1", APIKeyID: key}, token)
}

func (fakeCredentials) Workspace(_ context.Context, id, token string) (workspace.Caller, error) {
	return callerOf(workspace.Caller{WorkspaceID: id}, token)
}

func callerOf(caller workspace.Caller, token string) (workspace.Caller, error) {
	if token != goodToken {
		return workspace.Caller{}, fault.Unauthenticated()
	}
	return caller, nil
}

// setCredentials sets both pairs of credentials.
func setCredentials(r *http.Request, token string) {
	for _, id := range []string{"X-Svc-Api-Key", "X-Svc-Workspace-Id"} {
		r.Header.Set(id, "x")
	}
	for _, header := range []string{"X-Svc-Auth-Token", "X-Svc-Workspace-Auth-Token"} {
		r.Header.Set(header, token)
	}
}

// noLimit lets every call pass.
type noLimit struct{}

func (noLimit) Take(context.Context, limit.Class, string, string) error { return nil }
func (noLimit) GiveBack(limit.Class, string, string)                    {}

// Weigh counts nothing.
func (noLimit) Weigh(context.Context, limit.Class, string, string, int) error { return nil }

// replay makes a server that answers with the documented results.
func replay(t *testing.T, routes []rpc.Route, metrics *telemetry.Metrics, log *slog.Logger) *rpc.Server {
	t.Helper()
	replayed := rpc.Each(routes, rpc.Route.Replayed)
	server, err := rpc.NewServer(rpc.Options{
		Credentials: fakeCredentials{}, Limiter: noLimit{}, Telemetry: metrics, Log: log, PublicURL: "http://127.0.0.1:8080",
	}, replayed)
	require.NoError(t, err)
	return server
}

// published is the published document with a server that plays the documented
// results through the real pipeline.
type published struct {
	server  *rpc.Server
	router  routers.Router
	options *openapi3filter.Options
}

func newContract(t *testing.T, routes []rpc.Route) *published {
	t.Helper()
	server := replay(t, routes, telemetry.NewMetrics(), slog.New(slog.DiscardHandler))
	document := documentOf(t, server)
	require.True(t, document.IsOpenAPI31OrLater())
	router, err := gorillamux.NewRouter(document)
	require.NoError(t, err)
	return &published{server, router, &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
}

// call sends data as the operation's documented caller would, and checks the
// request, unless it is meant to be wrong, and the answer against the document.
func (c *published) call(t *testing.T, route *rpc.Route, data json.RawMessage, wrong bool) *httptest.ResponseRecorder {
	t.Helper()
	body := append(append([]byte(`{"data":`), data...), '}')
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+route.Path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	setCredentials(r, goodToken)
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
	routes := operations()
	c := newContract(t, routes)
	for i := range routes {
		route := &routes[i]
		t.Run(route.Path, func(t *testing.T) {
			require.NotEmpty(t, route.Examples, "no example is documented")
			require.NotEmpty(t, route.Summary, "no summary")
			for k, e := range route.Examples {
				route.Examples[0], route.Examples[k] = e, route.Examples[0] // the first one is what is played
				w := c.call(t, route, e.Data, false)
				require.Equal(t, http.StatusOK, w.Code, w.Body)
				require.Empty(t, w.Header().Get("X-Svc-Ignored-Fields"))
				require.JSONEq(t, `{"result":`+string(e.Result)+`}`, w.Body.String())
			}
		})
	}
}

// Errors have the documented form too, and strictness is what the table says.
func TestContractOfErrors(t *testing.T) {
	routes := operations()
	c := newContract(t, routes)
	for i := range routes {
		route := &routes[i]
		if route.ReadsRawData() {
			continue // reads its own data
		}
		t.Run(route.Path, func(t *testing.T) {
			var data map[string]any
			require.NoError(t, json.Unmarshal(route.Examples[0].Data, &data))
			data["svcNoSuchField"] = 1
			text, err := json.Marshal(data)
			require.NoError(t, err)
			w := c.call(t, route, text, true)
			if route.Keys != shape.Open {
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
	routes := operations()
	c := newContract(t, routes)
	for i := range routes {
		route := &routes[i]
		found, _, err := c.router.FindRoute(httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+route.Path, nil))
		require.NoError(t, err)
		schema := found.Operation.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties["data"].Value
		for name, property := range schema.Properties {
			var data map[string]any
			require.NoError(t, json.Unmarshal(route.Examples[0].Data, &data))
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

// What may be null in an answer by its type may be null in the document, and
// nothing else may: a client made from the document trusts it.
func TestContractOfNullInAnswers(t *testing.T) {
	routes := operations()
	c := newContract(t, routes)
	for i := range routes {
		found, _, err := c.router.FindRoute(httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+routes[i].Path, nil))
		require.NoError(t, err)
		answer := found.Operation.Responses.Value("200").Value.Content.Get("application/json").Schema.Value
		if routes[i].Result().Kind() == reflect.Pointer {
			require.NoError(t, answer.Properties["result"].Value.VisitJSON(nil, openapi3.EnableJSONSchema2020()), routes[i].Path)
		}
		compareNulls(t, routes[i].Path+" result", routes[i].Result(), answer.Properties["result"], map[reflect.Type]bool{})
	}
}

// compareNulls holds the fields of a type, and those of all types below it,
// against a schema.
func compareNulls(t *testing.T, where string, of reflect.Type, ref *openapi3.SchemaRef, seen map[reflect.Type]bool) {
	t.Helper()
	switch {
	case of.Kind() == reflect.Pointer:
		compareNulls(t, where, of.Elem(), ref, seen)
	case of.Kind() == reflect.Slice && of.Elem().Kind() != reflect.Uint8:
		if items := whole(ref).Items; items != nil {
			compareNulls(t, where+"[]", of.Elem(), items, seen)
		} else { // written as an object whose names are ids
			elem := of.Elem()
			if value, keyed := elem.FieldByName("Value"); keyed {
				elem = value.Type
			}
			compareNulls(t, where+"{}", elem, whole(ref).AdditionalProperties.Schema, seen)
		}
	case of.Kind() == reflect.Map:
		compareNulls(t, where+"{}", of.Elem(), whole(ref).AdditionalProperties.Schema, seen)
	case of.Kind() == reflect.Struct && len(whole(ref).OneOf) > 0: // an array or a page of its items
		items, listed := of.FieldByName("Items")
		require.True(t, listed, where)
		compareNulls(t, where, items.Type, whole(ref).OneOf[0], seen)
	case of.Kind() == reflect.Struct && !seen[of]:
		seen[of] = true
		for _, f := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			property := whole(ref).Properties[name]
			if property == nil {
				require.True(t, f.Anonymous || name == "-", "%s: %s is not documented", where, f.Name)
				continue
			}
			_, documentsItself := reflect.TypeAssert[huma.SchemaProvider](reflect.Zero(f.Type))
			leftOut := f.Type == reflect.TypeFor[json.RawMessage]() && !rpc.MayBeNull(f) // a text of any value
			if (!documentsItself || f.Type.Kind() == reflect.Pointer) && !leftOut {
				documented := property.Value.VisitJSON(nil, openapi3.EnableJSONSchema2020()) == nil
				require.Equal(t, rpc.MayBeNull(f), documented, "%s.%s", where, name)
			}
			compareNulls(t, where+"."+name, f.Type, property, seen)
		}
	}
}

// whole is the schema of what is there where it may be null.
func whole(ref *openapi3.SchemaRef) *openapi3.Schema {
	for _, either := range ref.Value.AnyOf {
		if !either.Value.Type.Is("null") {
			return whole(either)
		}
	}
	return ref.Value
}

// The table keeps the rules that hold for whole families of paths.
func TestContractOfFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, route := range operations() {
		require.False(t, seen[route.Path], "%s is there twice", route.Path)
		seen[route.Path] = true
		strict := strings.HasPrefix(route.Path, "/v2/workflow/") || strings.HasPrefix(route.Path, "/v2/memory/knowledge/") ||
			slices.Contains([]string{"/v2/workspace/activityconfig/update", "/v2/workspace/notificationconfig/update", "/v2/workspace/webhookconfig/update"}, route.Path)
		require.Equal(t, strict, route.Keys == shape.Closed, route.Path)
	}
}

// What makes something says in the document that it is not to be repeated as it is, unless the
// request has to name what is made: then a repetition finds it there.
func TestWhatMakesSomethingIsNotSimplyRepeated(t *testing.T) {
	named := []string{
		"/v2/users/add", "/v2/organizations/add", "/v2/organizations/documents/add", "/v2/organizations/folders/add", "/v2/organizations/usergroups/add",
		"/v2/organizations/usergroups/users/add", "/v2/users/invite/add", "/v2/auth/permissions/add", "/v2/workspace/domains/add", "/v2/workflow/definitions/create", "/v2/agents/create",
	}
	for _, route := range operations() {
		last := route.Path[strings.LastIndexByte(route.Path, '/')+1:]
		makes := slices.Contains([]string{"add", "create", "dispatch", "ingest", "retry", "record", "resend", "redeliver", "restore", "run", "test", "rotate", "reset", "recover", "send-confirmation"}, last)
		require.Equal(t, makes && !slices.Contains(named, route.Path), route.Once && last != "update", route.Path)
	}
}

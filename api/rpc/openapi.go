package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/telemetry"
)

// documentPath is where the OpenAPI document is published.
const documentPath = "/v2/openapi.json"

var routeDocument = Route{Path: documentPath, Level: LevelPublic, RateClass: limit.Public}

func init() {
	// An empty list is [], never null, in every answer.
	huma.DefaultArrayNullable = false
}

// documentConfig is an OpenAPI 3.1 document without operations. No create
// hooks: they would add a $schema to every result.
func documentConfig(publicURL string, routes []Route) huma.Config {
	return huma.Config{OpenAPI: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Redline", Version: telemetry.Release,
			Description: "Comment annotations, a review memory and durable workflow executions. " +
				"Every operation is a POST of { data } and answers { result } or { error }; " +
				"what senders outside send, and files, stand in no envelope. " +
				"An optional field sent as null counts as absent.",
		},
		Servers: []*huma.Server{{URL: strings.TrimSuffix(publicURL, "/")}},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry(schemaPrefix, schemaNames(routes)),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"apiKey":         {Type: "apiKey", In: "header", Name: "x-svc-api-key"},
				"authToken":      {Type: "apiKey", In: "header", Name: "x-svc-auth-token"},
				"callbackToken":  {Type: "apiKey", In: "header", Name: "x-svc-callback-token"},
				"workspaceId":    {Type: "apiKey", In: "header", Name: "x-svc-workspace-id"},
				"workspaceToken": {Type: "apiKey", In: "header", Name: "x-svc-workspace-auth-token"},
			},
		},
	}}
}

// security names the pair of headers that a level wants.
var security = map[Level][]map[string][]string{
	LevelPublic:    {{}},
	LevelWorkspace: {{"workspaceId": {}, "workspaceToken": {}}},
	LevelKey:       {{"apiKey": {}, "authToken": {}}},
}

// securityOf are the credentials of which a route wants one set.
func securityOf(r *Route) []map[string][]string {
	if r.TakesToken {
		return append(slices.Clone(security[r.Level]), map[string][]string{"callbackToken": {}})
	}
	return security[r.Level]
}

// describe writes one line of the table as an operation of the document.
func describe(document *huma.OpenAPI, r *Route) *huma.Operation {
	schemas := document.Components.Schemas
	request := r.documented()
	data := schemas.Schema(request, true, "")
	open(schemas, request, r.Keys)
	body := wrapper("data", data)
	body.AdditionalProperties = r.Keys != shape.Closed
	answers := map[string]*huma.Response{
		"200":     r.reply("The result.", "result", nullable(schemas, r.response)),
		"default": {Description: "An error.", Content: jsonContent(schemas.Schema(reflect.TypeFor[errorBody](), true, ""), nil)},
	}
	o := &huma.Operation{
		Method: r.Method, Path: r.Path, OperationID: operationID(r.Path),
		Summary: r.Summary, Tags: []string{area(r.Path)}, Security: securityOf(r),
		RequestBody: &huma.RequestBody{Required: true, Content: jsonContent(body, r.shown("data", enveloped))},
		Responses:   answers,
	}
	describeCalls(schemas, r, o)
	return o
}

// describeBare writes a route that is no operation: what it takes and returns stands in no
// envelope.
func describeBare(document *huma.OpenAPI, r *Route) *huma.Operation {
	o := &huma.Operation{
		Method: r.Method, Path: r.Path, OperationID: operationID(strings.TrimSuffix(r.Path, tokenPart) + strings.ToLower(r.Method)),
		Summary: r.Summary, Tags: []string{area(r.Path)}, Security: security[LevelPublic], Responses: map[string]*huma.Response{},
	}
	if r.Level == LevelSigned {
		describeFile(document.Components.Schemas, r, o)
	} else {
		describeRaw(document.Components.Schemas, r, o)
	}
	return o
}

// describeRaw writes what a sender outside sends and is answered.
func describeRaw(schemas huma.Registry, r *Route, o *huma.Operation) {
	refused := schemas.Schema(reflect.TypeFor[RawRefusal](), true, "")
	answer := &huma.Schema{AnyOf: []*huma.Schema{nullable(schemas, r.response), refused}}
	o.OperationID = operationID(r.Path)
	o.RequestBody = &huma.RequestBody{Required: true, Content: jsonContent(schemas.Schema(r.request, true, ""), r.shown("data", unwrapped))}
	o.Responses["200"] = &huma.Response{Description: "The answer.", Content: jsonContent(answer, r.shown("result", unwrapped))}
	o.Responses["default"] = &huma.Response{Description: "A refusal.", Content: jsonContent(refused, nil)}
	if r.proof != "" {
		o.Security = []map[string][]string{{r.proof: {}}}
	}
	for _, name := range r.query {
		o.Parameters = append(o.Parameters, textParameter("query", name))
	}
	if len(r.query) > 0 {
		o.Security = append(o.Security, map[string][]string{}) // what proves may stand in the address
	}
}

// describeFile writes a file that comes or goes at a signed address, or a page.
func describeFile(schemas huma.Registry, r *Route, o *huma.Operation) {
	bytes := map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	token := textParameter("path", "token")
	token.Required = true
	o.Parameters = []*huma.Param{token}
	if r.page {
		page := map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: huma.TypeString}}}
		o.Responses["200"] = &huma.Response{Description: "The page.", Content: page}
		o.Responses["default"] = &huma.Response{Description: "A page that says what is wrong.", Content: page}
		return
	}
	o.Responses["200"] = &huma.Response{Description: "The file.", Content: bytes}
	o.Responses["default"] = &huma.Response{Description: "An error.", Content: jsonContent(schemas.Schema(reflect.TypeFor[errorBody](), true, ""), nil)}
	if r.response != nil {
		o.RequestBody = &huma.RequestBody{Required: true, Content: bytes}
		o.Responses["200"] = r.reply("The result.", "result", nullable(schemas, r.response))
	}
}

func textParameter(in, name string) *huma.Param {
	return &huma.Param{Name: name, In: in, Schema: &huma.Schema{Type: huma.TypeString}}
}

// documented is the type whose fields the document shows as data.
func (r *Route) documented() reflect.Type {
	if r.document != nil {
		return r.document
	}
	return r.request
}

func (r *Route) reply(text, name string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: text, Content: jsonContent(wrapper(name, schema), r.shown(name, enveloped))}
}

// enveloped is a documented value as operations have it, unwrapped as senders outside do.
func enveloped(name string, value json.RawMessage) any { return map[string]any{name: value} }
func unwrapped(_ string, value json.RawMessage) any    { return value }

// shown returns the documented examples of a request's data or of a result.
func (r *Route) shown(name string, put func(string, json.RawMessage) any) map[string]*huma.Example {
	shown := map[string]*huma.Example{}
	for i, e := range r.Examples {
		value := e.Data
		if name == "result" {
			value = e.Result
		}
		shown[fmt.Sprintf("example%d", i+1)] = &huma.Example{Value: put(name, value)}
	}
	return shown
}

func jsonContent(schema *huma.Schema, examples map[string]*huma.Example) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: schema, Examples: examples}}
}

// wrapper is the envelope around data or result.
func wrapper(name string, of *huma.Schema) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{name: of},
		Required: []string{name}, AdditionalProperties: false,
	}
}

// area is the first part of a path after its version.
func area(path string) string {
	return strings.Split(path, "/")[2]
}

// publish returns the document as JSON, without schemas that nothing in it refers to.
func publish(document *huma.OpenAPI) ([]byte, error) {
	schemas, err := referredFrom(document.Paths, document.Components.Schemas)
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	document.Components.Schemas = schemas
	for name, text := range refusals {
		if of := schemas.referred[name]; of != nil {
			of.Examples = text
		}
	}
	return json.Marshal(document)
}

// refusals are examples of answers that refuse, by the name of their schema.
var refusals = map[string][]any{
	"ErrorBody": {
		json.RawMessage(`{"error":{"message":"definitionId: is required","status":"INVALID_ARGUMENT","details":{"reason":"invalid-argument","issues":[{"code":"required","path":["definitionId"],"message":"is required"}]}}}`),
		json.RawMessage(`{"error":{"message":"too many requests; wait and try again","status":"RESOURCE_EXHAUSTED","details":{"reason":"rate-limit"}}}`),
	},
	"RawRefusal": {json.RawMessage(`{"ok":false,"code":"unauthenticated"}`)},
}

// sendDocument answers with the document as it stands.
func (s *Server) sendDocument(ctx context.Context, x *exchange) (any, error) {
	if err := s.inTime(ctx, func(ctx context.Context) error { return s.count(ctx, x) }); err != nil {
		return nil, err
	}
	text, err := s.document()
	if err != nil {
		return nil, err
	}
	x.http.Data(http.StatusOK, "application/json", text)
	return written{}, nil
}

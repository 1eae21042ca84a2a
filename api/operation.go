package api

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
)

// Body limits in bytes: that of all operations, and that of the two that carry
// a file inline.
const (
	DefaultBodyLimit = 1 << 20
	FileBodyLimit    = 8 << 20
)

// Level says which pair of credentials an operation wants.
type Level string

// The levels: no credentials, workspace and its token, API key and its token, a
// signed address.
const (
	LevelPublic    Level = "public"
	LevelWorkspace Level = "workspace"
	LevelKey       Level = "key"
	LevelSigned    Level = "signed"
)

// Route is one line of the table: an operation and how it is called.
type Route struct {
	Path string
	spec
	request, response reflect.Type
	// bind compiles the request's rules, once, into the function that reads,
	// checks and carries out one call.
	bind func(huma.Registry) invoke
	// replay is bind with the function replaced by one that gives the
	// documented result: what the contract test calls.
	replay func(huma.Registry) invoke
}

// invoke carries out one call whose data is a JSON object.
type invoke func(ctx context.Context, x *exchange, data []byte) (any, error)

// spec is what the options of a route set.
type spec struct {
	summary   string
	level     Level
	strict    bool
	bodyLimit int64
	class     limit.Class
	examples  []example
	document  reflect.Type
	judge     func(req any) error
}

// example is a documented request and its result, both JSON.
type example struct{ data, result json.RawMessage }

// Option changes one property of a route.
type Option func(*spec)

// Strict refuses unknown keys; without it they are ignored and named in the
// header x-svc-ignored-fields.
func Strict() Option { return func(s *spec) { s.strict = true } }

// Public wants no credentials and looks at none.
func Public() Option {
	return func(s *spec) { s.level, s.class = LevelPublic, limit.Public }
}

// Workspace wants the workspace's own pair of credentials.
func Workspace() Option {
	return func(s *spec) { s.level, s.class = LevelWorkspace, limit.Workspace }
}

// BodyLimit replaces DefaultBodyLimit, in bytes.
func BodyLimit(bytes int64) Option { return func(s *spec) { s.bodyLimit = bytes } }

// RateClass counts the operation's calls under another limit than its level's.
func RateClass(class limit.Class) Option { return func(s *spec) { s.class = class } }

// Summary is the operation's one-line description in the document.
func Summary(text string) Option { return func(s *spec) { s.summary = text } }

// Example documents a request's data and its result, both as JSON text. The
// first example of an operation is its usual call.
func Example(data, result string) Option {
	return func(s *spec) {
		s.examples = append(s.examples, example{json.RawMessage(data), json.RawMessage(result)})
	}
}

// Judge adds a rule that a request cannot check by itself, such as that an address
// may be called. What it refuses stands beside the faults of the shape.
func Judge[Req any](rule func(*Req) error) Option {
	return func(s *spec) {
		s.judge = func(req any) error { return rule(req.(*Req)) }
	}
}

// Documents gives the published schema of a request that reads its own data
// (see RawData): that of the struct T.
func Documents[T any]() Option {
	return func(s *spec) { s.document = reflect.TypeFor[T]() }
}

// RawData embedded in a request makes it get its data as JSON text, unchecked
// but for being one object of at most 64 levels. The function does the rest.
type RawData struct{ Data json.RawMessage }

func (d *RawData) setData(data []byte) { d.Data = bytes.Clone(data) }

// rawRequest is a request with RawData.
type rawRequest interface{ setData(data []byte) }

// validator is a request with rules between its fields. Validate sees the
// fields at fault as zero values; an issue at a path that already has one is
// dropped.
type validator interface{ Validate() []fault.Issue }

// Post makes the route of one operation. Req is a struct whose tags are the
// rules of its fields, Res whatever the operation answers: it is written as
// `result`.
func Post[Req, Res any](path string, fn func(context.Context, *Req) (*Res, error), options ...Option) Route {
	r := Route{
		Path:     path,
		spec:     spec{level: LevelKey, bodyLimit: DefaultBodyLimit, class: limit.Key},
		request:  reflect.TypeFor[Req](),
		response: reflect.TypeFor[Res](),
	}
	for _, option := range options {
		option(&r.spec)
	}
	r.bind = func(registry huma.Registry) invoke { return bind(registry, &r, fn) }
	r.replay = func(registry huma.Registry) invoke {
		bare := r
		bare.judge = nil
		return bind(registry, &bare, func(context.Context, *Req) (*Res, error) {
			return documented[Res](r.examples)
		})
	}
	return r
}

// documented gives the result of the first example as the type that the
// operation answers with.
func documented[Res any](examples []example) (*Res, error) {
	result := new(Res)
	decoder := json.NewDecoder(bytes.NewReader(examples[0].result))
	decoder.DisallowUnknownFields()
	return result, decoder.Decode(result)
}

func bind[Req, Res any](registry huma.Registry, r *Route, fn func(context.Context, *Req) (*Res, error)) invoke {
	if _, raw := any(new(Req)).(rawRequest); raw {
		return func(ctx context.Context, _ *exchange, data []byte) (any, error) {
			req := new(Req)
			any(req).(rawRequest).setData(data)
			return fn(ctx, req)
		}
	}
	rules, strict, judge := shape.Compile(registry, r.request), r.strict, r.judge
	return func(ctx context.Context, x *exchange, data []byte) (any, error) {
		req := new(Req)
		report := rules.Read(data, req, strict)
		if v, ok := any(req).(validator); ok {
			report.Issues = addIssues(report.Issues, v.Validate())
		}
		x.ignored = append(x.ignored, report.Ignored...)
		var refused error
		if judge != nil {
			refused = judge(req)
		}
		if len(report.Issues) > 0 {
			return nil, fault.Invalid(addIssues(report.Issues, issuesOf(refused))...)
		}
		if refused != nil {
			return nil, refused
		}
		return fn(ctx, req)
	}
}

// issuesOf are the faults that an error tells of.
func issuesOf(err error) []fault.Issue {
	if err == nil {
		return nil
	}
	return fault.From(err).Issues
}

package rpc

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

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

// Route is one line of the table: an operation and how it is called. Post, Upload,
// Download, PageAt and Raw make it.
type Route struct {
	// Method is that of HTTP, Path the whole path. That of a signed address
	// ends in {token}.
	Method, Path string
	// Summary is the operation's one-line description.
	Summary string
	// Level is which credentials the operation wants.
	Level Level
	// TakesToken means that a token of one step may stand in place of the keys.
	TakesToken bool
	// Keys is which keys of the request have to be known.
	Keys shape.Mode
	// BodyLimit is how long a request's body may be, in bytes.
	BodyLimit int64
	// Reads is how many bytes an operation may have in memory of what it reads and answers,
	// beside what its body brings.
	Reads int64
	// RateClass is the limit under which calls are counted.
	RateClass limit.Class
	// PastQuota means that the route goes on where its workspace keeps as much as it may.
	PastQuota bool
	// Once means that a call made again has its effect again, unless the fields OnceIDs of the
	// request, dotted through its arrays, name what it makes.
	Once    bool
	OnceIDs []string
	// Examples are documented calls, the usual one first.
	Examples []Documented

	request, response reflect.Type
	// document replaces the request in the OpenAPI document.
	document reflect.Type
	// proof is the scheme by which a raw request proves itself, query what may stand in
	// its address.
	proof string
	query []string
	// check is the rule that Check adds.
	check func(ctx context.Context, req any) error
	// bind compiles the request's rules, once, into the function that reads,
	// checks and carries out one call; it is nil for a signed address.
	bind func(huma.Registry) invoke
	// replay is bind with the function replaced by one that returns the
	// documented result.
	replay func(huma.Registry) invoke
	// transfer takes or returns a file, or answers a raw request; it is nil for an
	// operation.
	transfer func(*Server) answering
	// page means that it answers with a page for a browser.
	page bool
}

// Documented is a request's data and its result, both JSON.
type Documented struct{ Data, Result json.RawMessage }

// name is the route in logs, metrics and spans.
func (r *Route) name() string {
	if r.transfer != nil {
		return r.Path + " " + r.Method
	}
	return r.Path
}

// IsFile reports whether the route takes or returns a file at a signed address, or takes raw
// requests, so it is no operation: it has no envelope.
func (r *Route) IsFile() bool { return r.transfer != nil }

// ReadsRawData reports whether the request checks its data by itself (see RawData).
func (r *Route) ReadsRawData() bool { return r.document != nil }

// Result is the type of what the operation answers with.
func (r *Route) Result() reflect.Type { return r.response }

// Replayed is the route with its function replaced by one that answers each
// request of the right shape with the documented result. So a test holds the
// examples against the document and the real pipeline.
func (r Route) Replayed() Route {
	r.bind = r.replay
	return r
}

// Option changes one property of a route.
type Option func(*Route)

// Strict refuses unknown keys at any depth; without it they are ignored and named in the
// header x-svc-ignored-fields.
func Strict() Option { return func(r *Route) { r.Keys = shape.Closed } }

// Lists marks an operation that narrows what it reads by its fields: an unknown one is
// refused, since ignored it would widen the list.
func Lists() Option { return func(r *Route) { r.Keys = shape.Listing } }

// Selects marks an operation that changes or deletes what its fields select: an unknown one
// is refused, and so is a selector that is null or empty.
func Selects() Option { return func(r *Route) { r.Keys = shape.Selecting } }

// Public wants no credentials and looks at none.
func Public() Option {
	return func(r *Route) { r.Level, r.RateClass = LevelPublic, limit.Public }
}

// Workspace wants the workspace's own pair of credentials.
func Workspace() Option {
	return func(r *Route) { r.Level, r.RateClass = LevelWorkspace, limit.Workspace }
}

// TakesToken lets the token of one step, in x-svc-callback-token, stand in place of the
// keys. The operation checks that it is about that step.
func TakesToken() Option { return func(r *Route) { r.TakesToken = true } }

// PastQuota lets the route go on where its workspace keeps as much as it may, whatever it
// adds: it removes, it decides, or it is about what is under way.
func PastQuota() Option { return func(r *Route) { r.PastQuota = true } }

// Once says in the document that a call made again has its effect again, so that a program whose
// answer was lost must not simply repeat it; with ids it may, where each of these fields of the
// request is sent. They are dotted through arrays (things.thingId).
func Once(ids ...string) Option {
	return func(r *Route) { r.Once, r.OnceIDs = true, ids }
}

// BodyLimit replaces DefaultBodyLimit, in bytes.
func BodyLimit(bytes int64) Option { return func(r *Route) { r.BodyLimit = bytes } }

// Reads replaces DefaultReads, in bytes.
func Reads(bytes int64) Option { return func(r *Route) { r.Reads = bytes } }

// RateClass counts the operation's calls under another limit than its level's.
func RateClass(class limit.Class) Option { return func(r *Route) { r.RateClass = class } }

// Summary is the operation's one-line description in the document.
func Summary(text string) Option { return func(r *Route) { r.Summary = text } }

// Example documents a request's data and its result, both as JSON text. The
// first example of an operation is its usual call.
func Example(data, result string) Option {
	return func(r *Route) {
		r.Examples = append(r.Examples, Documented{json.RawMessage(data), json.RawMessage(result)})
	}
}

// Check adds a rule that a request cannot check by itself, such as that an address
// may be called. What it refuses stands beside the faults of the shape.
func Check[Req any](rule func(context.Context, *Req) error) Option {
	return func(r *Route) {
		r.check = func(ctx context.Context, req any) error { return rule(ctx, req.(*Req)) }
	}
}

// Documents returns the published schema of a request that reads its own data
// (see RawData): that of the struct T.
func Documents[T any]() Option {
	return func(r *Route) { r.document = reflect.TypeFor[T]() }
}

// Answers sets the published schema of what a route answers with that is no operation.
func Answers[T any]() Option {
	return func(r *Route) { r.response = reflect.TypeFor[T]() }
}

// Carries sets the published schema of a raw request's body, the scheme by which it proves
// itself, and what may stand in its address.
func Carries[T any](proof string, query ...string) Option {
	return func(r *Route) { r.request, r.proof, r.query = reflect.TypeFor[T](), proof, query }
}

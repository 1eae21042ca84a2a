package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
)

// invoke carries out one call whose data is a JSON object.
type invoke func(ctx context.Context, x *exchange, data []byte) (any, error)

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
// `result`. One that is a pointer may be null.
func Post[Req, Res any](path string, fn func(context.Context, *Req) (*Res, error), options ...Option) Route {
	r := Route{
		Method: http.MethodPost, Path: path, Level: LevelKey, BodyLimit: DefaultBodyLimit, Reads: DefaultReads, RateClass: limit.Key,
		request: reflect.TypeFor[Req](), response: reflect.TypeFor[Res](),
	}
	for _, option := range options {
		option(&r)
	}
	r.bind = func(registry huma.Registry) invoke { return bind(registry, &r, fn) }
	r.replay = func(registry huma.Registry) invoke {
		bare := r
		bare.check = nil
		return bind(registry, &bare, func(context.Context, *Req) (*Res, error) {
			return documented[Res](r.Examples)
		})
	}
	return r
}

// documented returns the result of the first example as the type that the
// operation answers with.
func documented[Res any](examples []Documented) (*Res, error) {
	result := new(Res)
	decoder := json.NewDecoder(bytes.NewReader(examples[0].Result))
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
	rules, mode, check := shape.Compile(registry, r.request), r.Keys, r.check
	return func(ctx context.Context, x *exchange, data []byte) (any, error) {
		req := new(Req)
		report := rules.Read(data, req, mode)
		if v, ok := any(req).(validator); ok {
			report.Issues = addIssues(report.Issues, v.Validate())
		}
		x.ignored = append(x.ignored, report.Ignored...)
		var refused error
		if check != nil {
			refused = check(ctx, req)
		}
		if len(report.Issues) > 0 {
			return nil, fault.InvalidArgument(addIssues(report.Issues, issuesOf(refused))...)
		}
		if refused != nil {
			return nil, refused
		}
		return fn(ctx, req)
	}
}

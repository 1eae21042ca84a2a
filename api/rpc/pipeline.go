package rpc

import (
	"context"
	"errors"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/trace"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/internal/weight"
	"github.com/redline-svc/redline/models/quota"
)

// answering returns the result of a request, or its error.
type answering func(ctx context.Context, x *exchange) (any, error)

// written is the result of an answer that has been written already.
type written struct{}

// serve makes the handler of one operation.
func (s *Server) serve(route *Route, run invoke) func(huma.Context) {
	handle := s.handle(route, func(ctx context.Context, x *exchange) (any, error) { return s.answer(ctx, x, run) })
	return func(hc huma.Context) { handle(humagin.Unwrap(hc)) }
}

// handle makes the handler of one route: the only way from a request to its answer.
func (s *Server) handle(route *Route, run answering) gin.HandlerFunc {
	meter := s.telemetry.Operation(route.name())
	return func(c *gin.Context) {
		x := s.begin(c, route)
		done := meter.Begin()
		ctx, span := telemetry.Tracer().Start(held(slots.For(x.request().Context(), &x.caller.WorkspaceID), route), route.name(), trace.WithNewRoot())
		ctx, changed := weight.Count(ctx)
		result, err := calmly(ctx, x, run)
		s.weigh(x, changed, err)
		if x.uncount != nil && fault.IsBusy(err) {
			x.uncount()
		}
		outcome := s.write(x, result, err)
		span.End()
		done(outcome.label)
		s.record(ctx, x, outcome)
		s.end(x)
	}
}

// held has the transactions of a route checked against the quotas of its workspace, unless it
// goes on past them.
func held(ctx context.Context, route *Route) context.Context {
	if route.PastQuota {
		return ctx
	}
	return quota.Hold(ctx)
}

// calmly runs what answers a request whose headers are not too large, and makes a
// panic an unexpected error like others.
func calmly(ctx context.Context, x *exchange, run answering) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fault.Panicked(p)
		}
	}()
	if err := checkHeaders(x); err != nil {
		return nil, err
	}
	return run(ctx, x)
}

// answer takes a request through the checks, in their order, to the operation.
func (s *Server) answer(ctx context.Context, x *exchange, run invoke) (any, error) {
	if err := s.inTime(ctx, func(ctx context.Context) error { return s.admit(ctx, x) }); err != nil {
		return nil, err
	}
	if err := s.makeRoom(ctx, x, bodySize(x)); err != nil {
		return nil, err
	}
	data, err := s.readData(x)
	if err != nil {
		return nil, err
	}
	if err := s.takeMemory(ctx, x); err != nil {
		return nil, err
	}
	own, cancel := context.WithTimeout(context.WithValue(ctx, exchangeKey{}, x), s.answerTime)
	defer cancel()
	result, err := run(own, x, data)
	return result, late(own, err)
}

// inTime runs a part of a request within the time of an answer: a store that
// takes a question and says nothing holds no caller for ever.
func (s *Server) inTime(ctx context.Context, run func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.answerTime)
	defer cancel()
	return late(ctx, run(ctx))
}

// late makes an error that only says that time ran out DEADLINE_EXCEEDED, and
// leaves a real one as it is.
func late(ctx context.Context, err error) error {
	if err == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	if f := fault.From(err); f.Status == fault.StatusInternal {
		return fault.DeadlineExceeded(err)
	}
	return err
}

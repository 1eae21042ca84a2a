package api

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"go.opentelemetry.io/otel/trace"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/telemetry"
)

// serve makes the handler of one route: the only way from a request to its answer.
func (s *Server) serve(route *Route, run invoke) func(huma.Context) {
	meter := s.telemetry.Operation(route.Path)
	return func(hc huma.Context) {
		x := s.begin(humagin.Unwrap(hc), route)
		done := meter.Begin()
		ctx, span := telemetry.Tracer().Start(x.request().Context(), route.Path, trace.WithNewRoot())
		result, err := s.answer(ctx, x, run)
		outcome := s.write(x, result, err)
		span.End()
		done(outcome.label)
		s.record(ctx, x, outcome)
		s.end(x)
	}
}

// answer takes a request through the checks, in their order, to the operation.
// A panic anywhere below is an unexpected error like others.
func (s *Server) answer(ctx context.Context, x *exchange, run invoke) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fault.Unexpected(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if err := s.admitInTime(ctx, x); err != nil {
		return nil, err
	}
	data, err := s.readData(x)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, exchangeKey{}, x), s.answerTime)
	defer cancel()
	result, err = run(ctx, x, data)
	return result, late(ctx, err)
}

// admitInTime is admit within the time of an answer: a store that takes a
// question and says nothing holds no caller for ever.
func (s *Server) admitInTime(ctx context.Context, x *exchange) error {
	ctx, cancel := context.WithTimeout(ctx, s.answerTime)
	defer cancel()
	return late(ctx, s.admit(ctx, x))
}

// late tells an error that only says that time ran out from a real one.
func late(ctx context.Context, err error) error {
	if err == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	if f := fault.From(err); f.Status == fault.Internal {
		return fault.Late(err)
	}
	return err
}

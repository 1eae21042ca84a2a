package api

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"github.com/redline-svc/redline/internal/fault"
)

// answerTime is how long an operation may take after its body has arrived.
const answerTime = 30 * time.Second

// serve makes the handler of one route: the only way from a request to its answer.
func (s *Server) serve(route *Route, run invoke) func(huma.Context) {
	meter := s.telemetry.Operation(route.Path)
	return func(hc huma.Context) {
		x := s.begin(humagin.Unwrap(hc), route)
		done := meter.Begin()
		result, err := s.answer(x, run)
		outcome := s.write(x, result, err)
		done(outcome.label)
		s.record(x, outcome)
		s.end(x)
	}
}

// answer takes a request through the checks, in their order, to the operation.
// A panic anywhere below is an unexpected error like others.
func (s *Server) answer(x *exchange, run invoke) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fault.Unexpected(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	ctx := x.request().Context()
	if err := s.admit(ctx, x); err != nil {
		x.closing = x.request().ContentLength != 0
		return nil, err
	}
	data, err := readData(x)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, exchangeKey{}, x), answerTime)
	defer cancel()
	result, err = run(ctx, x, data)
	return result, late(ctx, err)
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

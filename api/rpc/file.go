package rpc

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
)

// tokenPart is the last part of the path of a signed address.
const tokenPart = "{token}"

// signedRoute is a route of signed addresses: each path below it carries its
// credentials in itself.
func signedRoute(method, path string, transfer func(*Server) answering, options []Option) Route {
	r := Route{Method: method, Path: path, Level: LevelSigned, transfer: transfer}
	for _, option := range options {
		option(&r)
	}
	return r
}

// mountFile mounts a route that is no operation: of signed addresses, or a raw one.
func (s *Server) mountFile(r *Route) {
	if !strings.HasSuffix(r.Path, tokenPart) {
		s.engine.Handle(r.Method, r.Path, s.handle(r, r.transfer(s)))
		return
	}
	folder := strings.TrimSuffix(r.Path, tokenPart)
	s.engine.Handle(r.Method, folder+":token", s.handle(r, r.transfer(s)))
	s.signed[folder] = append(s.signed[folder], r.Method)
	slices.Sort(s.signed[folder])
}

// lookUp finds what the token of a signed address leads to, in the time of an
// answer.
func lookUp[F any](ctx context.Context, s *Server, x *exchange, find func(context.Context, string) (*F, error)) (found *F, err error) {
	err = s.inTime(ctx, func(ctx context.Context) error {
		if err := s.serving(ctx); err != nil {
			return err
		}
		found, err = find(ctx, x.http.Param("token"))
		return err
	})
	return found, err
}

// admitSigned goes on from what came of looking for the token of a signed
// address: one that leads nowhere counts like wrong credentials, any other like a call of its workspace.
func (s *Server) admitSigned(ctx context.Context, x *exchange, found error) error {
	return s.inTime(ctx, func(ctx context.Context) error {
		switch {
		case fault.Is(found, fault.StatusNotFound):
			return s.refuseCredentials(ctx, x, found)
		case found != nil:
			return found
		}
		if err := s.take(ctx, x, limit.Key, x.caller.WorkspaceID); err != nil {
			return err
		}
		return s.checkOrigin(ctx, x)
	})
}

// lateStart is the error of a file; a first byte that did not come in time is late.
func lateStart(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fault.DeadlineExceeded(err)
	}
	return err
}

// setWriteTime sets how long an answer may take. A test's recorder has no deadlines.
func setWriteTime(x *exchange, d time.Duration) {
	_ = http.NewResponseController(x.http.Writer).SetWriteDeadline(time.Now().Add(d))
}

package rpc

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/workspace"
)

// RawRequest is a request of a sender outside that speaks its own JSON: no envelope,
// and proof of its own instead of credentials.
type RawRequest struct {
	Header http.Header
	Query  url.Values
	// Body is read whole, and parsed by nobody yet.
	Body []byte

	x *exchange
}

// RawAnswer is the whole answer, a JSON object.
type RawAnswer struct {
	Code int
	Body any
}

// RawRefusal is the body of an answer that refuses.
type RawRefusal struct {
	OK   bool   `json:"ok"`
	Code string `json:"code" enum:"unauthenticated,suspended,invalid-body,body-too-large,trigger-context-too-large,event-ignored,rate-limited,slow-body,unavailable,internal"`
}

// Raw makes the route of such requests. An error is answered as RawRefusal: with
// "unauthenticated" for a wrong proof and for whatever is not there or closed, with
// "invalid-body", "body-too-large", "rate-limited", "unavailable" or "internal".
func Raw(path string, handle func(ctx context.Context, r *RawRequest) (*RawAnswer, error), options ...Option) Route {
	r := Route{
		Method: http.MethodPost, Path: path, Level: LevelPublic, BodyLimit: DefaultBodyLimit, Reads: DefaultReads,
		request: reflect.TypeFor[shape.Object](), response: reflect.TypeFor[shape.Object](),
	}
	r.transfer = func(s *Server) answering {
		return func(ctx context.Context, x *exchange) (any, error) {
			answer, err := s.raw(ctx, x, handle)
			return written{}, s.writeRaw(x, answer, err)
		}
	}
	for _, option := range options {
		option(&r)
	}
	return r
}

// raw reads the body and has it answered. A refused proof counts like wrong
// credentials.
func (s *Server) raw(ctx context.Context, x *exchange, handle func(context.Context, *RawRequest) (*RawAnswer, error)) (*RawAnswer, error) {
	if err := s.inTime(ctx, s.serving); err != nil {
		return nil, err
	}
	if err := s.makeRoom(ctx, x, bodySize(x)); err != nil {
		return nil, err
	}
	if err := s.readBody(x); err != nil {
		x.closing = true
		return nil, err
	}
	if err := s.takeMemory(ctx, x); err != nil {
		return nil, err
	}
	own, cancel := context.WithTimeout(context.WithValue(ctx, exchangeKey{}, x), s.answerTime)
	defer cancel()
	request := &RawRequest{Header: x.request().Header, Query: x.request().URL.Query(), Body: x.body.Bytes(), x: x}
	answer, err := handle(own, request)
	if unproved(err) {
		err = s.refuseCredentials(own, x, err)
	}
	return answer, late(own, err)
}

// unproved reports whether an error says that the sender has no right to what it names,
// or that there is no such thing: which of the two must not be seen.
func unproved(err error) bool {
	return fault.Is(err, fault.StatusUnauthenticated) || fault.Is(err, fault.StatusNotFound) || fault.Is(err, fault.StatusPermissionDenied) ||
		fault.Is(err, fault.StatusFailedPrecondition)
}

// Admit notes who has proved to call and counts the call under the limit of the API
// key, or of the step whose token it was. The error is RESOURCE_EXHAUSTED.
func (r *RawRequest) Admit(ctx context.Context, caller workspace.Caller) error {
	r.x.caller.WorkspaceID, r.x.caller.APIKeyID = caller.WorkspaceID, caller.APIKeyID
	return r.x.server.take(ctx, r.x, limit.Key, credential(caller))
}

// writeRaw sends the answer or the refusal, and passes the error on for log and
// metrics.
func (s *Server) writeRaw(x *exchange, answer *RawAnswer, err error) error {
	if err != nil {
		answer = refusal(fault.From(err))
		if wait := rawWait(fault.From(err)); wait > 0 {
			x.header().Set("Retry-After", strconv.Itoa(wait))
		}
	}
	x.body.Reset()
	if failed := encode(x.body, answer.Body); failed != nil {
		return failed
	}
	s.closeUnread(x)
	header := x.header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(x.body.Len()))
	x.http.Writer.WriteHeader(answer.Code)
	_, _ = x.http.Writer.Write(x.body.Bytes()) // a caller that is gone is no fault of ours
	return err
}

// refusal is the answer for an error.
func refusal(f *fault.Error) *RawAnswer {
	code, word := f.HTTP(), "internal"
	switch {
	case unproved(f):
		code, word = http.StatusUnauthorized, "unauthenticated"
	case code == http.StatusRequestEntityTooLarge:
		word = "body-too-large"
	case f.Status == fault.StatusInvalidArgument:
		word = "invalid-body"
	case f.Status == fault.StatusResourceExhausted:
		word = "rate-limited"
	case f.Reason == slowBodyReason:
		word = slowBodyReason
	case f.Status == fault.StatusUnavailable || f.Status == fault.StatusDeadlineExceeded:
		code, word = http.StatusServiceUnavailable, "unavailable"
	}
	return &RawAnswer{Code: code, Body: RawRefusal{Code: word}}
}

// laterSeconds is when a sender that is refused for what no clock lifts may try again.
const laterSeconds = 60

// rawWait is the retry-after of a refusal, in seconds: senders outside know nothing
// else to go by, so each one that may pass later has it.
func rawWait(f *fault.Error) int {
	switch wait := retryAfter(f); {
	case wait > 0:
		return wait
	case f.Status == fault.StatusResourceExhausted:
		return laterSeconds
	case f.Status == fault.StatusDeadlineExceeded && f.Reason != slowBodyReason:
		return 1
	default:
		return 0
	}
}

// RawRules compiles the rules that the tags of T say into a function that reads the body
// of a raw request by them; unknown keys are refused. The error is INVALID_ARGUMENT.
func RawRules[T any]() func(body []byte) (*T, error) {
	registry := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	rules := shape.Compile(registry, reflect.TypeFor[T]())
	return func(body []byte) (*T, error) {
		if len(body) == 0 || shape.Check(body) != nil || bytes.TrimLeft(body, " \t\r\n")[0] != '{' {
			return nil, fault.InvalidArgument(fault.Issue{Code: shape.Format, Message: "the body is not one JSON object"})
		}
		read := new(T)
		if report := rules.Read(body, read, shape.Closed); len(report.Issues) > 0 {
			return nil, fault.InvalidArgument(report.Issues...)
		}
		return read, nil
	}
}

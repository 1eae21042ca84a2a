package rpc

import (
	"errors"
	"io"
	"mime"
	"os"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
)

// readData reads the body and returns the text of its `data`, an object.
func (s *Server) readData(x *exchange) ([]byte, error) {
	if err := checkContentType(x.request().Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	if err := s.readBody(x); err != nil {
		x.closing = true
		return nil, err
	}
	envelope, err := unwrap(x.body.Bytes(), x.route.Keys == shape.Closed)
	for _, name := range envelope.Others {
		x.ignored = append(x.ignored, []string{name})
	}
	return envelope.Value, err
}

// checkContentType refuses a declared type that is not JSON; none is fine.
func checkContentType(declared string) error {
	if declared == "" || declared == "application/json" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(declared)
	if err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) {
		return nil
	}
	return badBody(shape.Format, "the content type must be application/json")
}

// readBody reads at most the route's limit in the time it may take. Of a larger
// body nothing more is read than shows that it is larger.
func (s *Server) readBody(x *exchange) error {
	r, most := x.request(), x.route.BodyLimit
	if r.ContentLength > most {
		return fault.TooLarge(most)
	}
	x.readBy(time.Now().Add(s.bodyTime))
	n, err := io.Copy(x.body, io.LimitReader(r.Body, most+1))
	x.bytesIn = n
	switch {
	case n > most:
		return fault.TooLarge(most)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return slowBody(err)
	case err != nil:
		return badBody(shape.Format, "the body ended before it was complete")
	}
	x.readBy(time.Time{})
	return nil
}

// slowBodyReason is the reason of an answer to a body that did not come in time.
const slowBodyReason = "slow-body"

// slowBody is a body that did not come in time. Unlike other late answers it
// is certain that nothing was changed.
func slowBody(cause error) error {
	e := fault.DeadlineExceeded(cause)
	e.Reason, e.Message = slowBodyReason, "the body did not arrive in time; nothing was changed"
	return e
}

// unwrap checks the envelope { "data": {...} } and returns it.
func unwrap(body []byte, strict bool) (shape.Members, error) {
	if len(body) == 0 {
		return shape.Members{}, badBody(shape.Required, "data is required")
	}
	if err := shape.Check(body); err != nil {
		return shape.Members{}, badBody(shape.Format, err.Error())
	}
	envelope := shape.Member(body, "data")
	var err error
	switch {
	case !envelope.IsObject:
		err = badBody(shape.Type, "the body must be an object with data")
	case envelope.Twice:
		err = badBody(shape.Duplicate, "data is given twice")
	case envelope.Value == nil || string(envelope.Value) == "null":
		err = badBody(shape.Required, "data is required")
	case envelope.Value[0] != '{':
		err = badBody(shape.Type, "data must be an object")
	case strict && len(envelope.Others) > 0:
		err = badBody(shape.UnknownKey, "only data is known in the body")
	case envelope.Unstorable:
		err = badBody(shape.Format, "a name or a value beside data has a NUL or half a surrogate pair")
	}
	return envelope, err
}

// badBody is a fault of the body as a whole, outside of data: its path is empty.
func badBody(code, message string) error {
	return fault.InvalidArgument(fault.Issue{Code: code, Path: []string{}, Message: message})
}

package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
)

// outcome is what was answered, for log and metrics.
type outcome struct {
	// label is the status word, OK for a result.
	label string
	code  int
	bytes int
	err   error
}

// errorBody is the envelope of a failure.
type errorBody struct {
	Error problem `json:"error"`
}

type problem struct {
	Message string       `json:"message" doc:"what is wrong, for a person"`
	Status  fault.Status `json:"status" enum:"INVALID_ARGUMENT,FAILED_PRECONDITION,UNAUTHENTICATED,PERMISSION_DENIED,NOT_FOUND,ALREADY_EXISTS,ABORTED,RESOURCE_EXHAUSTED,INTERNAL,UNAVAILABLE,DEADLINE_EXCEEDED"`
	Details errorDetails `json:"details"`
}

type errorDetails struct {
	Reason reason        `json:"reason" doc:"a stable word; further ones may come"`
	Issues []fault.Issue `json:"issues,omitempty" doc:"every fault of the request, at most 200"`
	fault.Details
	_ struct{} `json:"-" additionalProperties:"true"`
}

// reason is a word of fault.Reasons.
type reason string

// Schema lists the words.
func (reason) Schema(huma.Registry) *huma.Schema {
	of := &huma.Schema{Type: huma.TypeString}
	for _, word := range fault.Reasons {
		of.Enum = append(of.Enum, word)
	}
	return of
}

// MarshalJSON writes the members that only one operation has behind the others.
func (d errorDetails) MarshalJSON() ([]byte, error) {
	type fields errorDetails
	return shape.AppendMembers(shape.Encode(fields(d)), shape.MembersOf(d.Members)), nil
}

// lingering is how long the rest of a body that is not wanted is thrown away,
// so that its sender can read the answer before the connection ends.
const lingering = 500 * time.Millisecond

// statusOK is the label of a result in metrics and logs.
const statusOK = "OK"

// write sends the result, or the error, whichever it is, unless the answer was
// written already.
func (s *Server) write(x *exchange, result any, err error) outcome {
	if w := x.http.Writer; w.Written() {
		return outcome{label: label(err), code: w.Status(), bytes: max(0, w.Size()), err: err}
	}
	x.body.Reset()
	if err == nil {
		err = encodeResult(x.body, result)
	}
	header := x.header()
	s.closeUnread(x)
	if ignored := ignoredFields(x.ignored); ignored != "" {
		header.Set("X-Svc-Ignored-Fields", ignored)
	}
	out := outcome{label: label(err), code: http.StatusOK, err: err}
	if f := fault.From(err); f != nil {
		out.code = f.HTTP()
		writeFault(x.body, header, f)
	}
	out.bytes = x.body.Len()
	s.keepMemory(x, out.bytes)
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(out.bytes))
	x.http.Writer.WriteHeader(out.code)
	_, _ = x.http.Writer.Write(x.body.Bytes()) // a caller that is gone is no fault of ours
	return out
}

// closeUnread ends the connection after the answer where the rest of the request is
// not read.
func (s *Server) closeUnread(x *exchange) {
	if x.closing {
		x.header().Set("Connection", "close")
		x.readBy(time.Now().Add(lingering))
	}
}

// label is the status word of an error, OK without one.
func label(err error) string {
	if f := fault.From(err); f != nil {
		return string(f.Status)
	}
	return statusOK
}

type resultBody struct {
	Result any `json:"result"`
}

// verbatim is a result that writes itself, because it holds JSON texts that must
// come back as they were sent, white space included.
type verbatim interface {
	AppendTo(out []byte) ([]byte, error)
}

// encodeResult writes the envelope of a result.
func encodeResult(into *bytes.Buffer, result any) error {
	own, is := result.(verbatim)
	if !is {
		fillLists(result)
		return encode(into, resultBody{result})
	}
	text, err := own.AppendTo([]byte(`{"result":`))
	into.Write(append(text, '}'))
	return err
}

// encode writes one JSON value; text is not escaped for HTML, so what a caller
// sent comes back as it was.
func encode(into *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(into)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		into.Reset()
		return err
	}
	into.Truncate(into.Len() - 1) // the encoder's line feed
	return nil
}

func writeFault(into *bytes.Buffer, header http.Header, f *fault.Error) {
	into.Reset()
	issues := slices.Clone(f.Issues)
	for i := range issues {
		if issues[i].Path == nil {
			issues[i].Path = []string{}
		}
	}
	details := errorDetails{Reason: reason(f.ReasonOrDefault()), Issues: issues, Details: f.Details}
	// Cannot fail: it is made of text only.
	_ = encode(into, errorBody{problem{Message: f.Message, Status: f.Status, Details: details}})
	if wait := retryAfter(f); wait > 0 {
		header.Set("Retry-After", strconv.Itoa(wait))
	}
}

// retryAfter is whole seconds, rounded up. Whatever is away may be back in one.
func retryAfter(f *fault.Error) int {
	if f.RetryAfter <= 0 {
		if f.Status == fault.StatusUnavailable {
			return 1
		}
		return 0
	}
	return int((f.RetryAfter + time.Second - 1) / time.Second)
}

// unexpected is the cause that belongs into the log: of an INTERNAL, and of
// something that was away or late.
func (o outcome) unexpected() error {
	f := fault.From(o.err)
	if f == nil {
		return nil
	}
	switch f.Status {
	case fault.StatusInternal, fault.StatusUnavailable, fault.StatusDeadlineExceeded:
		return errors.Unwrap(f)
	default:
		return nil
	}
}

package redline

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Error is a refused call.
type Error struct {
	// Status is the published word, such as NOT_FOUND; empty when something between answered.
	Status ProblemStatus
	// HTTPStatus is the code that came with it.
	HTTPStatus int
	// Message says what is wrong, for a person.
	Message string
	// Reason is a stable word in kebab-case; a later service may have further ones.
	Reason ErrorDetailsReason
	// Issues are the faults of the request, each with the path of its field below data.
	Issues []Issue
	// Details are the ids that the refusal is about, beside reason and issues.
	Details ErrorDetails
	// RequestID is what to name when asking about this call.
	RequestID string
	// RetryAfter is how long to wait before the call may pass; 0 where nothing is said.
	RetryAfter time.Duration
}

// Error names the call's fault: its status, its message, its issues and the id of the request.
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "redline: %d %s: %s", e.HTTPStatus, e.Status, e.Message)
	for _, issue := range e.Issues {
		if strings.Contains(e.Message, issue.Message) {
			continue // the message of one fault names it
		}
		fmt.Fprintf(&text, "; %s: %s", strings.Join(issue.Path, "."), issue.Message)
	}
	fmt.Fprintf(&text, " (%s, request %s)", e.Reason, e.RequestID)
	return text.String()
}

// AsError returns the refusal inside err, or nil when err is none.
func AsError(err error) *Error {
	refused, _ := errors.AsType[*Error](err)
	return refused
}

// IsNotFound reports whether err is a refusal because something is not there.
func IsNotFound(err error) bool {
	refused := AsError(err)
	return refused != nil && refused.Status == "NOT_FOUND"
}

// Has reports whether one of the issues has that code.
func (e *Error) Has(code string) bool {
	return slices.ContainsFunc(e.Issues, func(issue Issue) bool { return issue.Code == code })
}

// ErrorOf reads an answer that is no success, which somebody else has received: of a call that
// this client does not make, or makes by another way.
func ErrorOf(status int, header http.Header, body []byte) *Error {
	refused := &Error{HTTPStatus: status, RequestID: header.Get("X-Request-Id")}
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil {
		refused.RetryAfter = time.Duration(seconds) * time.Second
	}
	var envelope ErrorBody
	if err := json.Unmarshal(body, &envelope); err != nil {
		refused.Message = "not an answer of the service: " + http.StatusText(status)
		return refused
	}
	refused.Status, refused.Message, refused.Details = envelope.Error.Status, envelope.Error.Message, envelope.Error.Details
	refused.Reason, refused.Issues = refused.Details.Reason, refused.Details.Issues
	return refused
}

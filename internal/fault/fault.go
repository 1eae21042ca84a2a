package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// Status is the word in error.status of the interface.
type Status string

// The statuses of the interface.
const (
	StatusInvalidArgument    Status = "INVALID_ARGUMENT"
	StatusFailedPrecondition Status = "FAILED_PRECONDITION"
	StatusUnauthenticated    Status = "UNAUTHENTICATED"
	StatusPermissionDenied   Status = "PERMISSION_DENIED"
	StatusNotFound           Status = "NOT_FOUND"
	StatusAlreadyExists      Status = "ALREADY_EXISTS"
	StatusAborted            Status = "ABORTED"
	StatusResourceExhausted  Status = "RESOURCE_EXHAUSTED"
	StatusInternal           Status = "INTERNAL"
	StatusUnavailable        Status = "UNAVAILABLE"
	StatusDeadlineExceeded   Status = "DEADLINE_EXCEEDED"
)

// MaxIssues is how many issues one answer lists at most.
const MaxIssues = 200

// internalText is all that a caller learns of an unexpected error.
const internalText = "something went wrong on our side; the request id finds it in our log"

var httpCodes = map[Status]int{
	StatusInvalidArgument:    http.StatusBadRequest,
	StatusFailedPrecondition: http.StatusBadRequest,
	StatusUnauthenticated:    http.StatusUnauthorized,
	StatusPermissionDenied:   http.StatusForbidden,
	StatusNotFound:           http.StatusNotFound,
	StatusAlreadyExists:      http.StatusConflict,
	StatusAborted:            http.StatusConflict,
	StatusResourceExhausted:  http.StatusTooManyRequests,
	StatusInternal:           http.StatusInternalServerError,
	StatusUnavailable:        http.StatusServiceUnavailable,
	StatusDeadlineExceeded:   http.StatusGatewayTimeout,
}

// Issue is one fault of a request. Path begins inside `data`, indices as text.
type Issue struct {
	Code    string   `json:"code"`
	Path    []string `json:"path"`
	Message string   `json:"message"`
}

// Details are the ids that an error is about, beside its reason.
type Details struct {
	// Resource and ID name the one thing that is not there.
	Resource string `json:"resource,omitempty" doc:"the kind of thing that is not there"`
	ID       string `json:"id,omitempty" doc:"the caller's id of it"`
	// SourceID stands beside the reason already-ingested.
	SourceID string `json:"sourceId,omitempty" doc:"the source that has taken the file"`
	// Version is the newest one there is, beside the reason version-conflict.
	Version int `json:"version,omitempty" doc:"the newest version"`
	// MigrationID is that of the migration after which a document has another id.
	MigrationID string `json:"migrationId,omitempty"`
	// DocumentIDs are not known, nor are AgentIDs; AnnotationIDs,
	// ActivityIDs and CommentIDs are in use.
	DocumentIDs   []string `json:"documentIds,omitempty"`
	AnnotationIDs []string `json:"annotationIds,omitempty"`
	ActivityIDs   []string `json:"activityIds,omitempty"`
	CommentIDs    []int64  `json:"commentIds,omitempty"`
	AgentIDs      []string `json:"agentIds,omitempty"`
	// Kind, UsedBytes and LimitBytes are what of, beside the reason storage-quota.
	Kind       string `json:"kind,omitempty" doc:"what a quota is of"`
	UsedBytes  int64  `json:"usedBytes,omitempty" doc:"how much of it the workspace keeps"`
	LimitBytes int64  `json:"limitBytes,omitempty" doc:"how much it may keep"`
	// Denied are the authors who may not write.
	Denied []DeniedUser `json:"denied,omitempty"`
	// Members is an object whose members stand beside all others.
	Members json.RawMessage `json:"-"`
}

// DeniedUser is a user who may not do what a request does for them; Index is
// that of the element that names the user first.
type DeniedUser struct {
	Index  int    `json:"index"`
	UserID string `json:"userId"`
}

// Error is what an operation answers when it does not succeed.
type Error struct {
	Status  Status
	Message string
	// Reason is the stable kebab-case word in error.details.reason.
	Reason string
	// Issues lists every fault of the request, the first one first.
	Issues []Issue
	// Details name what the error is about, where its status alone does not.
	Details Details
	// RetryAfter is how long a caller should wait; zero when waiting does not help.
	RetryAfter time.Duration
	// HTTPCode replaces the status's own HTTP code where it is not zero (413).
	HTTPCode int
	cause    error
}

// Error returns the sentence for the caller and, for the log, the cause.
func (e *Error) Error() string {
	if e.cause == nil {
		return string(e.Status) + ": " + e.Message
	}
	return string(e.Status) + ": " + e.Message + ": " + e.cause.Error()
}

// Unwrap returns the cause, which is for logs only.
func (e *Error) Unwrap() error { return e.cause }

// HTTP is the HTTP code of the error.
func (e *Error) HTTP() int {
	if e.HTTPCode != 0 {
		return e.HTTPCode
	}
	return httpCodes[e.Status]
}

// Retryable reports whether the same work may succeed later without a change by
// anybody: Temporal tries such work again.
func (e *Error) Retryable() bool {
	switch e.Status {
	case StatusUnavailable, StatusDeadlineExceeded, StatusInternal, StatusAborted, StatusResourceExhausted:
		return true
	default:
		return false
	}
}

// InvalidArgument is a faulty request; the message names the first issue.
func InvalidArgument(issues ...Issue) *Error {
	if len(issues) > MaxIssues {
		issues = issues[:MaxIssues]
	}
	e := newError(StatusInvalidArgument, "", "the request is not valid")
	e.Issues = issues
	if len(issues) > 0 {
		e.Message = issues[0].Message
		if where := strings.Join(issues[0].Path, "."); where != "" {
			e.Message = where + ": " + e.Message
		}
	}
	return e
}

// InvalidReason is a faulty request whose fault has a reason word of its own
// and no single field.
func InvalidReason(reason, message string) *Error {
	return newError(StatusInvalidArgument, reason, message)
}

// TooLarge is a body over the operation's limit, in bytes: INVALID_ARGUMENT
// with HTTP 413.
func TooLarge(limit int64) *Error {
	e := newError(StatusInvalidArgument, "body-too-large", fmt.Sprintf("the body is larger than %d bytes", limit))
	e.HTTPCode = http.StatusRequestEntityTooLarge
	return e
}

// FailedPrecondition is a state that forbids the operation.
func FailedPrecondition(reason, message string) *Error {
	return newError(StatusFailedPrecondition, reason, message)
}

// Unauthenticated is the one answer to missing, unknown or mismatched
// credentials: always the same words.
func Unauthenticated() *Error {
	return newError(StatusUnauthenticated, "", "the credentials are missing or not valid for this operation")
}

// PermissionDenied is a known caller who may not do this.
func PermissionDenied(reason, message string) *Error {
	return newError(StatusPermissionDenied, reason, message)
}

// NotFound is a thing that is not there, or is another workspace's.
func NotFound(what string) *Error { return newError(StatusNotFound, "", "no such "+what) }

// NotFoundResource is a thing that is named by a caller's id and is not there.
func NotFoundResource(resource, callersID string) *Error {
	e := newError(StatusNotFound, "", "no such "+resource)
	e.Details = Details{Resource: resource, ID: callersID}
	return e
}

// AlreadyExists is a thing that is already there.
func AlreadyExists(reason, message string) *Error {
	return newError(StatusAlreadyExists, reason, message)
}

// Aborted is a job on the same thing that is still in progress.
func Aborted(reason, message string) *Error { return newError(StatusAborted, reason, message) }

// ResourceExhausted is a limit or a quota; retryAfter zero when time does not lift it.
func ResourceExhausted(reason, message string, retryAfter time.Duration) *Error {
	e := newError(StatusResourceExhausted, reason, message)
	e.RetryAfter = retryAfter
	return e
}

// ReasonBusy is the reason of Busy.
const ReasonBusy = "busy"

// IsBusy reports whether an error is Busy.
func IsBusy(err error) bool {
	found, ok := errors.AsType[*Error](err)
	return ok && found.Status == StatusResourceExhausted && found.Reason == ReasonBusy
}

// Busy is a call that waited for its turn among what its workspace has under way, or for a
// lock, as long as it may.
func Busy() *Error {
	return ResourceExhausted(ReasonBusy, "the workspace has as much under way as it may; try again when some of it has ended", time.Second)
}

// Unavailable is a dependency that is not there; nothing has changed.
func Unavailable(cause error) *Error {
	e := newError(StatusUnavailable, "", "a part of the service is away; nothing was changed, try again")
	e.RetryAfter = time.Second
	e.cause = cause
	return e
}

// DeadlineExceeded is an answer that did not come in time: the change may have happened,
// whole, and repeating the call is safe.
func DeadlineExceeded(cause error) *Error {
	e := newError(StatusDeadlineExceeded, "", "the answer did not come in time; the change may have happened, repeating the call is safe")
	e.cause = cause
	return e
}

// Internal hides cause behind the fixed text of INTERNAL.
func Internal(cause error) *Error {
	e := newError(StatusInternal, "", internalText)
	e.cause = cause
	return e
}

// Panicked is what a call ended with that panicked with cause. It is made where the panic
// is recovered: its stack is for the log.
func Panicked(cause any) *Error {
	return Internal(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
}

// From returns the *Error in err; anything else is Internal. Nil stays nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Internal(err)
}

// Is reports whether err is a *Error of that status.
func Is(err error, status Status) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// ReasonOrDefault is Reason, or the status in kebab-case where there is none.
func (e *Error) ReasonOrDefault() string {
	if e.Reason != "" {
		return e.Reason
	}
	return strings.ToLower(strings.ReplaceAll(string(e.Status), "_", "-"))
}

func newError(status Status, reason, message string) *Error {
	return &Error{Status: status, Reason: reason, Message: message}
}

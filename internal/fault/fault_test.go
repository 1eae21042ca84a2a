package fault_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
)

func TestEveryStatusHasItsCode(t *testing.T) {
	cause := errors.New("cause")
	for _, expected := range []struct {
		err       *fault.Error
		status    fault.Status
		code      int
		reason    string
		retryable bool
	}{
		{fault.InvalidArgument(), fault.StatusInvalidArgument, http.StatusBadRequest, "invalid-argument", false},
		{fault.InvalidReason("disposable-domain", "x"), fault.StatusInvalidArgument, http.StatusBadRequest, "disposable-domain", false},
		{fault.TooLarge(5), fault.StatusInvalidArgument, http.StatusRequestEntityTooLarge, "body-too-large", false},
		{fault.FailedPrecondition("plan-required", "x"), fault.StatusFailedPrecondition, http.StatusBadRequest, "plan-required", false},
		{fault.Unauthenticated(), fault.StatusUnauthenticated, http.StatusUnauthorized, "unauthenticated", false},
		{fault.PermissionDenied("", "x"), fault.StatusPermissionDenied, http.StatusForbidden, "permission-denied", false},
		{fault.NotFound("thing"), fault.StatusNotFound, http.StatusNotFound, "not-found", false},
		{fault.AlreadyExists("", "x"), fault.StatusAlreadyExists, http.StatusConflict, "already-exists", false},
		{fault.Aborted("", "x"), fault.StatusAborted, http.StatusConflict, "aborted", true},
		{fault.ResourceExhausted("key-quota", "x", 0), fault.StatusResourceExhausted, http.StatusTooManyRequests, "key-quota", true},
		{fault.Unavailable(cause), fault.StatusUnavailable, http.StatusServiceUnavailable, "unavailable", true},
		{fault.DeadlineExceeded(cause), fault.StatusDeadlineExceeded, http.StatusGatewayTimeout, "deadline-exceeded", true},
		{fault.Internal(cause), fault.StatusInternal, http.StatusInternalServerError, "internal", true},
	} {
		assert.Equal(t, expected.status, expected.err.Status)
		assert.Equal(t, expected.code, expected.err.HTTP(), expected.status)
		assert.Equal(t, expected.reason, expected.err.ReasonOrDefault())
		assert.Equal(t, expected.retryable, expected.err.Retryable(), expected.status)
		assert.True(t, fault.Is(fmt.Errorf("wrapped: %w", expected.err), expected.status))
		assert.NotContains(t, expected.err.Message, "cause", "a cause is for the log")
	}
}

func TestInvalidNamesTheFirstIssue(t *testing.T) {
	err := fault.InvalidArgument(fault.Issue{Code: "type", Path: []string{"nodes", "0"}, Message: "must be an object"}, fault.Issue{Message: "second"})
	assert.Equal(t, "nodes.0: must be an object", err.Message)
	assert.Len(t, err.Issues, 2)
	assert.Len(t, fault.InvalidArgument(make([]fault.Issue, fault.MaxIssues+1)...).Issues, fault.MaxIssues)
}

func TestFrom(t *testing.T) {
	known := fault.NotFound("thing")
	assert.Same(t, known, fault.From(fmt.Errorf("wrapped: %w", known)))
	assert.Nil(t, fault.From(nil))
	cause := errors.New("secret detail")
	hidden := fault.From(cause)
	assert.Equal(t, fault.StatusInternal, hidden.Status)
	assert.NotContains(t, hidden.Message, "secret detail")
	require.ErrorIs(t, hidden, cause)
	assert.Contains(t, hidden.Error(), "secret detail", "the log has it")
	assert.False(t, fault.Is(cause, fault.StatusInternal))
}

func TestWaitingHelpsOrNot(t *testing.T) {
	assert.Equal(t, time.Minute, fault.ResourceExhausted("", "x", time.Minute).RetryAfter)
	assert.Positive(t, fault.Unavailable(errors.New("x")).RetryAfter)
	assert.Zero(t, fault.ResourceExhausted("key-quota", "x", 0).RetryAfter)
}

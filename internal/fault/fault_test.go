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
		{fault.Invalid(), fault.InvalidArgument, http.StatusBadRequest, "invalid-argument", false},
		{fault.InvalidReason("disposable-domain", "x"), fault.InvalidArgument, http.StatusBadRequest, "disposable-domain", false},
		{fault.TooLarge(5), fault.InvalidArgument, http.StatusRequestEntityTooLarge, "body-too-large", false},
		{fault.Precondition("plan-required", "x"), fault.FailedPrecondition, http.StatusBadRequest, "plan-required", false},
		{fault.NoCredentials(), fault.Unauthenticated, http.StatusUnauthorized, "unauthenticated", false},
		{fault.Denied("", "x"), fault.PermissionDenied, http.StatusForbidden, "permission-denied", false},
		{fault.Missing("thing"), fault.NotFound, http.StatusNotFound, "not-found", false},
		{fault.Exists("", "x"), fault.AlreadyExists, http.StatusConflict, "already-exists", false},
		{fault.Busy("", "x"), fault.Aborted, http.StatusConflict, "aborted", true},
		{fault.Exhausted("key-quota", "x", 0), fault.ResourceExhausted, http.StatusTooManyRequests, "key-quota", true},
		{fault.Away(cause), fault.Unavailable, http.StatusServiceUnavailable, "unavailable", true},
		{fault.Late(cause), fault.DeadlineExceeded, http.StatusGatewayTimeout, "deadline-exceeded", true},
		{fault.Unexpected(cause), fault.Internal, http.StatusInternalServerError, "internal", true},
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
	err := fault.Invalid(fault.Issue{Code: "type", Path: []string{"nodes", "0"}, Message: "must be an object"}, fault.Issue{Message: "second"})
	assert.Equal(t, "nodes.0: must be an object", err.Message)
	assert.Len(t, err.Issues, 2)
	assert.Len(t, fault.Invalid(make([]fault.Issue, fault.MaxIssues+1)...).Issues, fault.MaxIssues)
}

func TestFrom(t *testing.T) {
	known := fault.Missing("thing")
	assert.Same(t, known, fault.From(fmt.Errorf("wrapped: %w", known)))
	assert.Nil(t, fault.From(nil))
	cause := errors.New("secret detail")
	hidden := fault.From(cause)
	assert.Equal(t, fault.Internal, hidden.Status)
	assert.NotContains(t, hidden.Message, "secret detail")
	require.ErrorIs(t, hidden, cause)
	assert.Contains(t, hidden.Error(), "secret detail", "the log has it")
	assert.False(t, fault.Is(cause, fault.Internal))
}

func TestWaitingHelpsOrNot(t *testing.T) {
	assert.Equal(t, time.Minute, fault.Exhausted("", "x", time.Minute).RetryAfter)
	assert.Positive(t, fault.Away(errors.New("x")).RetryAfter)
	assert.Zero(t, fault.Exhausted("key-quota", "x", 0).RetryAfter)
}

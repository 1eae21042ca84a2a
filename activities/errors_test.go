package activities_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/fault"
)

func TestWhatAnOperatorReadsOfAFailure(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		err   error
		again bool
		says  string
	}{
		"INTERNAL":    {errors.New("a secret"), true, "something went wrong"},
		"UNAVAILABLE": {fault.Unavailable(errors.New("a secret")), true, ""},
		"NOT_FOUND":   {fault.NotFound("execution"), false, "no such execution"},
		"do-this":     {fmt.Errorf("a secret: %w", activities.Named("do-this", errors.New("press the button"))), true, "press the button"},
		"do-that":     {activities.Named("do-that", fault.NotFound("button")), false, "no such button"},
	} {
		var failure *temporal.ApplicationError
		require.ErrorAs(t, activities.Error(t.Context(), c.err), &failure, kind)
		assert.Equal(t, kind, failure.Type())
		assert.Equal(t, c.again, !failure.NonRetryable(), kind)
		assert.Contains(t, failure.Message(), c.says)
		assert.NotContains(t, failure.Error(), "secret", "causes are for the log")
	}
	require.NoError(t, activities.Error(t.Context(), activities.Named("do-this", nil)))
}

// A try that Temporal has ended is no fault: another one does the work.
func TestATryThatTemporalGaveUpIsNoFault(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	broken := fmt.Errorf("read the rows: %w", context.Canceled)
	var failure *temporal.ApplicationError
	require.ErrorAs(t, activities.Error(ctx, broken), &failure)
	assert.Equal(t, "INTERNAL", failure.Type(), "somebody else ended it")
	cancel()
	require.ErrorAs(t, activities.Error(ctx, broken), &failure)
	assert.Equal(t, temporal.ApplicationErrorCategoryBenign, failure.Category())
	assert.False(t, failure.NonRetryable())
}

// Work that waits for its turn is no fault. A quota that time does not lift is one.
func TestWaitingForATurnIsNoFault(t *testing.T) {
	t.Parallel()
	for want, pause := range map[temporal.ApplicationErrorCategory]time.Duration{
		temporal.ApplicationErrorCategoryBenign:      time.Second,
		temporal.ApplicationErrorCategoryUnspecified: 0,
	} {
		var failure *temporal.ApplicationError
		full := fmt.Errorf("begin: %w", fault.ResourceExhausted("slots", "all are taken", pause))
		require.ErrorAs(t, activities.Error(t.Context(), full), &failure)
		assert.Equal(t, want, failure.Category())
		assert.Equal(t, "RESOURCE_EXHAUSTED", failure.Type())
		assert.Equal(t, "all are taken", failure.Message())
		assert.False(t, failure.NonRetryable())
	}
}

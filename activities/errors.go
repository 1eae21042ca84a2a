package activities

import (
	"context"
	"errors"
	"log/slog"

	"go.temporal.io/sdk/temporal"

	"github.com/redline-svc/redline/internal/fault"
)

// named is an error with a type of its own.
type named struct {
	error

	kind string
}

// Unwrap returns the error itself.
func (n *named) Unwrap() error { return n.error }

// Named gives an error a type and its text for operators to read in Temporal, where
// its status does not say what they have to do. The text must be fixed: it goes where
// no secret and nothing of a tenant may. Nil stays nil.
func Named(kind string, err error) error {
	if err == nil {
		return nil
	}
	return &named{err, kind}
}

// Error is the one table from our errors to Temporal's: an activity is tried
// again or not by the status, which is the type of the failure unless it is Named.
// The cause goes to the log. Nil stays nil.
func Error(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return givenUp(ctx)
	}
	known := fault.From(err)
	if known.Status == fault.StatusResourceExhausted && known.RetryAfter > 0 {
		return waiting(ctx, known)
	}
	slog.WarnContext(ctx, "an activity has failed", "status", known.Status, "error", err)
	message, kind := known.Message, string(known.Status)
	if own, ok := errors.AsType[*named](err); ok {
		message, kind = own.Error(), own.kind
	}
	return temporal.NewApplicationErrorWithOptions(message, kind, temporal.ApplicationErrorOptions{
		NonRetryable: !known.Retryable(),
	})
}

// givenUp is a try that Temporal has ended, for instance because it missed its
// heartbeats while the processors were full: another try does the work, so to the log
// this one is no fault.
func givenUp(ctx context.Context) error {
	slog.InfoContext(ctx, "Temporal gave up a try of an activity", "error", context.Cause(ctx))
	return harmless("the try was given up", fault.StatusUnavailable)
}

// waiting is work whose workspace has as much under way as it may. Its turn comes with
// time and nobody has to do anything about it, so to the log it is no fault.
func waiting(ctx context.Context, full *fault.Error) error {
	slog.InfoContext(ctx, "an activity waits until its workspace has less under way", "reason", full.Reason)
	return harmless(full.Message, full.Status)
}

// harmless is a failure that Temporal tries again and its library writes no error for.
func harmless(message string, status fault.Status) error {
	return temporal.NewApplicationErrorWithOptions(message, string(status), temporal.ApplicationErrorOptions{
		Category: temporal.ApplicationErrorCategoryBenign,
	})
}

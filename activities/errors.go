package activities

import (
	"context"
	"log/slog"

	"go.temporal.io/sdk/temporal"

	"github.com/redline-svc/redline/internal/fault"
)

// Error is the one table from our errors to the engine's: an activity is tried
// again or not by the status. The cause goes to the log. Nil stays nil.
func Error(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	known := fault.From(err)
	slog.WarnContext(ctx, "an activity has failed", "status", known.Status, "error", err)
	return temporal.NewApplicationErrorWithOptions(known.Message, string(known.Status), temporal.ApplicationErrorOptions{
		NonRetryable: !known.Retryable(),
	})
}

package console

import (
	"context"

	"golang.org/x/sync/errgroup"

	redline "github.com/redline-svc/redline/clients/go"
)

// recent is how many attempts show how an endpoint is.
const recent = 20

// endpointRow is an endpoint with how its last attempts ended.
type endpointRow struct {
	redline.Endpoint
	Attempts []redline.EndpointAttempt
	Failed   int
}

// Health is a word for how it is.
func (e endpointRow) Health() string {
	switch {
	case e.Disabled:
		return "disabled"
	case len(e.Attempts) == 0:
		return "not called yet"
	case e.Failed == len(e.Attempts):
		return "failed"
	case e.Failed > 0:
		return "failing at times"
	default:
		return "healthy"
	}
}

// neverOn reports whether a call was refused because the workspace has never switched webhooks on.
func neverOn(err error) bool {
	refused := redline.AsError(err)
	return refused != nil && refused.Reason == "webhooks-not-configured"
}

// readEndpoints reads a page of endpoints and, of each, its last attempts.
func readEndpoints(ctx context.Context, calls *redline.Client, iterator *string, most int64) ([]endpointRow, string, error) {
	found, err := calls.Endpoints.Get(ctx, redline.ListEndpointsRequest{Iterator: iterator, Limit: &most})
	if err != nil {
		return nil, "", err
	}
	rows := make([]endpointRow, len(found.Endpoints))
	group, ctx := errgroup.WithContext(ctx)
	for i, endpoint := range found.Endpoints {
		group.Go(func() error {
			attempts, err := calls.Attempts.Get(ctx, redline.ListAttemptsRequest{EndpointID: &endpoint.ID, Limit: new(int64(recent))})
			rows[i] = endpointRow{Endpoint: endpoint, Attempts: attempts.Attempts}
			for _, attempt := range attempts.Attempts {
				if attempt.Status == redline.EndpointAttemptStatusFailed {
					rows[i].Failed++
				}
			}
			return err
		})
	}
	return rows, textOf(found.Iterator), group.Wait()
}

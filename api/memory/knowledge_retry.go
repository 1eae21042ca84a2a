package memory

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/knowledge"
)

// Retry brings the newest version of a source in again after it has failed.
func (k *Knowledge) Retry(ctx context.Context, req *NamedSource) (*IngestResult, error) {
	if err := k.Store.Retry(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.SourceID, knowledge.CurrentMakers()); err != nil {
		return nil, err
	}
	return &IngestResult{Status: "processing", SourceID: req.SourceID, Message: "The source is being brought in again."}, nil
}

// ExampleRetry is the documented result of knowledge/retry.
const ExampleRetry = `{"status":"processing","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","message":"The source is being brought in again."}`

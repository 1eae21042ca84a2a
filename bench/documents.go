package main

import (
	"context"

	"github.com/redline-svc/redline/bench/documents"
	"github.com/redline-svc/redline/bench/measure"
)

// benchDocuments measures migrations, deletions and folders in a database of their
// own, with a worker of its own.
func benchDocuments(ctx context.Context, r *rig) ([]measure.Row, error) {
	apart, err := r.apart(ctx, "documents")
	if err != nil {
		return nil, err
	}
	defer apart.close()
	worker, err := r.stack.Service(ctx, "documents-worker", "worker", map[string]string{
		"REDLINE_DATABASE_URL": apart.pool.Config().ConnString(), "REDLINE_TEMPORAL_NAMESPACE": measure.Unique("documents"),
	})
	if err != nil {
		return nil, err
	}
	defer worker.Kill()
	return documents.Measure(ctx, documents.Service{Rows: apart.pool, Workspace: apart.workspace})
}

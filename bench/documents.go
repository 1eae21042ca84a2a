package main

import (
	"context"

	"github.com/redline-svc/redline/bench/documents"
	"github.com/redline-svc/redline/bench/judgments"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/client"
)

// benchDocuments measures migrations, deletions and folders with a worker of its own.
func benchDocuments(ctx context.Context, r *rig) ([]measure.Row, error) {
	return r.inApart(ctx, "documents", func(a *apart) ([]measure.Row, error) {
		worker, err := r.stack.Service(ctx, "documents-worker", "worker", map[string]string{
			"REDLINE_DATABASE_URL": a.pool.Config().ConnString(), "REDLINE_TEMPORAL_NAMESPACE": measure.Unique("documents"),
		})
		if err != nil {
			return nil, err
		}
		defer worker.Kill()
		return documents.Measure(ctx, documents.Service{Rows: a.pool, Workspace: a.workspace})
	})
}

// benchTotals measures the totals of lists of judgments.
func benchTotals(ctx context.Context, r *rig) ([]measure.Row, error) {
	return r.inApart(ctx, "totals", func(a *apart) ([]measure.Row, error) {
		few, err := client.CreateWorkspace(ctx, a.api.URL, measure.Unique("few")+"@bench.example.com")
		if err != nil {
			return nil, err
		}
		return judgments.Totals(ctx, a.pool, a.workspace, few)
	})
}

package main

import (
	"context"

	"github.com/redline-svc/redline/bench/documents"
	"github.com/redline-svc/redline/bench/judgments"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/workflow"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// benchDocuments measures migrations, deletions and folders with a worker of its own.
func benchDocuments(ctx context.Context, r *rig) ([]measure.Row, error) {
	return r.withWorker(ctx, "documents", func(a *apart, _ *stack.Service) ([]measure.Row, error) {
		return documents.Measure(ctx, documents.Service{Rows: a.pool, Workspace: a.workspace})
	})
}

// benchCounts measures counts of documents.
func benchCounts(ctx context.Context, r *rig) ([]measure.Row, error) {
	return r.inApart(ctx, "counts", func(a *apart) ([]measure.Row, error) {
		return documents.Counts(ctx, documents.Service{Rows: a.pool, Workspace: a.workspace})
	})
}

// benchPeople measures a worker of its own while executions wait for people.
func benchPeople(ctx context.Context, r *rig) ([]measure.Row, error) {
	return r.withWorker(ctx, "people", func(a *apart, worker *stack.Service) ([]measure.Row, error) {
		runs := workflow.Runs{Workspace: a.workspace, Rows: a.pool}
		return workflow.People{Runs: runs, Worker: worker, Authority: r.authority}.Measure(ctx)
	})
}

// withWorker measures in a database of its own that a worker of its own drives.
func (r *rig) withWorker(ctx context.Context, name string, of func(*apart, *stack.Service) ([]measure.Row, error)) ([]measure.Row, error) {
	return r.inApart(ctx, name, func(a *apart) ([]measure.Row, error) {
		worker, err := r.stack.Service(ctx, name+"-worker", "worker", map[string]string{
			"REDLINE_DATABASE_URL": a.pool.Config().ConnString(), "REDLINE_TEMPORAL_NAMESPACE": measure.Unique(name),
		})
		if err != nil {
			return nil, err
		}
		defer worker.Kill()
		return of(a, worker)
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

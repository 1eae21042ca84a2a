package main

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/holdings"
	"github.com/redline-svc/redline/bench/measure"
)

// inHoldings is a benchmark of what an installation holds. It has a database and a service
// of its own, so that nothing which other benchmarks leave is built again with it.
func inHoldings(of func(context.Context, *holdings.Service) ([]measure.Row, error)) func(context.Context, *rig) ([]measure.Row, error) {
	return func(ctx context.Context, r *rig) (rows []measure.Row, err error) {
		name := strings.ReplaceAll(measure.Unique("holdings"), "-", "_")
		isolated, err := r.stack.Isolate(ctx, name, name)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, isolated.Close()) }()
		serve, err := isolated.Start(ctx, "serve", nil)
		if err != nil {
			return nil, err
		}
		pool, err := pgxpool.New(ctx, isolated.DatabaseURL)
		if err != nil {
			return nil, err
		}
		defer pool.Close()
		return of(ctx, &holdings.Service{URL: serve.URL, Rows: pool, Env: r.stack.Env, Run: isolated.Run})
	}
}

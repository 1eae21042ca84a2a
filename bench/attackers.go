package main

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/attackers"
	"github.com/redline-svc/redline/bench/measure"
)

// usual are the limits of a service that anybody may call; those that are empty have their defaults. Creating workspaces
// is not limited: all callers have one address.
var usual = map[string]string{
	"REDLINE_RATE_KEY_PER_MIN": "1000", "REDLINE_RATE_WORKSPACE_PER_MIN": "120", "REDLINE_RATE_IP_PER_MIN": "300",
	"REDLINE_RATE_MEMORY_STATUS_PER_MIN": "600", "REDLINE_RATE_MEMORY_QUERY_PER_MIN": "300", "REDLINE_RATE_MEMORY_READ_PER_MIN": "120",
	"REDLINE_RATE_MEMORY_UPLOAD_PER_MIN": "100", "REDLINE_RATE_MEMORY_SUGGEST_PER_MIN": "60", "REDLINE_RATE_MEMORY_WRITE_PER_MIN": "30",
	"REDLINE_QUOTA_FILES_FREE": "2147483648", "REDLINE_QUOTA_ROWS_FREE": "2147483648", "REDLINE_QUOTA_MESSAGES_FREE": "1073741824",
}

// benchAttackers measures a process of its own with the usual limits.
func benchAttackers(ctx context.Context, r *rig) ([]measure.Row, error) {
	address, err := r.stack.MigratedDatabase(ctx, "bench_attackers")
	if err != nil {
		return nil, err
	}
	env := map[string]string{"REDLINE_DATABASE_URL": address, "REDLINE_TEMPORAL_NAMESPACE": measure.Unique("attackers")}
	maps.Copy(env, usual)
	rows, err := pgxpool.New(ctx, address)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	serve, err := r.stack.Service(ctx, "attackers", "serve", env)
	if err != nil {
		return nil, err
	}
	defer serve.Kill()
	return attackers.Measure(ctx, attackers.Service{URL: serve.URL, Ops: serve.Ops, Process: serve.PID(), Rows: rows})
}

package main

import (
	"context"
	"maps"
	"strings"

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

// benchAttackers has each attacker meet a process and a database of its own, with the usual limits: what one has left to
// do, such as files that are embedded for hours, stays out of what the next is measured beside.
func benchAttackers(ctx context.Context, r *rig) (rows []measure.Row, err error) {
	for _, attack := range attackers.All {
		if err := r.quiet(ctx); err != nil {
			return rows, err
		}
		found, err := r.attacked(ctx, attack)
		rows = append(rows, found...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// attacked measures beside one attacker.
func (r *rig) attacked(ctx context.Context, attack attackers.Attack) ([]measure.Row, error) {
	name := measure.Unique("attackers")
	address, err := r.stack.MigratedDatabase(ctx, strings.ReplaceAll(name, "-", "_"))
	if err != nil {
		return nil, err
	}
	env := map[string]string{"REDLINE_DATABASE_URL": address, "REDLINE_TEMPORAL_NAMESPACE": name}
	maps.Copy(env, usual)
	rows, err := pgxpool.New(ctx, address)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	serve, err := r.stack.Service(ctx, name, "serve", env)
	if err != nil {
		return nil, err
	}
	defer serve.Kill()
	return attack(ctx, attackers.Service{URL: serve.URL, Ops: serve.Ops, Process: serve.PID(), Rows: rows})
}

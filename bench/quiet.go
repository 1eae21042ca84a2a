package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// quietSpan is how long the servers are watched at a time, quietLog how many
	// bytes they then write at most to the log of Postgres when nothing goes on:
	// a resting engine still renews its leases.
	quietSpan = 2 * time.Second
	quietLog  = 256 << 10
	// quietLimit is how long is waited for that.
	quietLimit = 5 * time.Minute
)

var errNeverQuiet = errors.New("the stack did not come to rest")

// quiet waits until the stack rests: what earlier rows left to Temporal and to
// the disk is written, and no table is being vacuumed. The figures that the following row is
// compared with were measured on a stack that did nothing else.
func (r *rig) quiet(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, quietLimit, errNeverQuiet)
	defer cancel()
	begun := time.Now()
	if _, err := r.Rows.Exec(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("write what is left to the disk: %w", err)
	}
	before, err := r.logged(ctx)
	for err == nil {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(quietSpan):
		}
		var after int64
		var vacuums int
		if after, err = r.logged(ctx); err != nil {
			break
		}
		if vacuums, err = r.vacuums(ctx); err == nil && vacuums == 0 && after-before <= quietLog {
			fmt.Fprintf(os.Stderr, "at rest after %s\n", time.Since(begun).Round(time.Second))
			return nil
		}
		fmt.Fprintf(os.Stderr, "busy: %d bytes logged, %d vacuums\n", after-before, vacuums)
		before = after
	}
	return fmt.Errorf("waiting for rest: %w", err)
}

// logged is how many bytes Postgres wrote to its log so far.
func (r *rig) logged(ctx context.Context) (bytes int64, err error) {
	err = r.Rows.QueryRow(ctx, `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint`).Scan(&bytes)
	return bytes, err
}

// vacuums counts those that run at the moment, in whatever database.
func (r *rig) vacuums(ctx context.Context) (n int, err error) {
	err = r.Rows.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'`).Scan(&n)
	return n, err
}

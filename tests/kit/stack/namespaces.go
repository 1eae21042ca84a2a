package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

const (
	// poolDatabase is the tests' own database, of all processes that use a stack.
	poolDatabase = "tests_pool"
	// restLimit is how long it may take to empty a namespace; one that takes longer
	// is not used again.
	restLimit = 10 * time.Second
	// restPage is how many runs, and schedules, one namespace may have left. To end
	// more than these takes longer than to make another namespace.
	restPage = 100
	// restLook is how often it is asked whether a namespace is at rest: Temporal lists late
	// what has ended.
	restLook = 100 * time.Millisecond
)

// Namespaces is a pool of Temporal namespaces, shared by all processes that use a stack:
// to make one takes Temporal seconds, and each costs it as long as it runs.
type Namespaces struct {
	stack   *Stack
	address string
}

// OpenNamespaces returns the pool of a stack and makes its table where it is missing.
func OpenNamespaces(ctx context.Context, s *Stack) (*Namespaces, error) {
	pool := &Namespaces{stack: s, address: s.databaseURL(poolDatabase)}
	conn, err := pgx.Connect(ctx, s.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended($1, 0))", poolDatabase); err != nil {
		return nil, err
	}
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", poolDatabase).Scan(&there); err != nil {
		return nil, err
	}
	if !there {
		if err := executeOn(ctx, conn, "CREATE DATABASE "+poolDatabase); err != nil {
			return nil, err
		}
	}
	own, err := pgx.Connect(ctx, pool.address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = own.Close(ctx) }()
	return pool, executeOn(ctx, own, "CREATE TABLE IF NOT EXISTS namespaces (name text PRIMARY KEY, rested_at timestamptz NOT NULL DEFAULT now())")
}

// Namespace is a Temporal namespace that nobody else uses. The transaction holds the lock of
// its row, which the end of the process releases too.
type Namespace struct {
	// Name is that of Temporal's namespace; the first worker makes the namespace where it is missing.
	Name string

	pool *Namespaces
	conn *pgx.Conn
	tx   pgx.Tx
}

// Claim claims the namespace that has rested longest, or makes up a new one with the name fresh,
// which has to be one of a kind in the stack.
func (p *Namespaces) Claim(ctx context.Context, fresh string) (*Namespace, error) {
	for {
		n, err := p.claim(ctx)
		if err != nil {
			return nil, err
		}
		if n.Name == "" {
			n.Name = fresh
			_, err := n.tx.Exec(ctx, "INSERT INTO namespaces (name) VALUES ($1)", fresh)
			return n, err
		}
		// Who had it may have died with it, or Temporal has listed a run late.
		if n.atRest(ctx) == nil {
			return n, nil
		}
		if err := n.Discard(ctx); err != nil {
			return nil, err
		}
	}
}

// claim locks a row of the pool; the name is empty where none is free.
func (p *Namespaces) claim(ctx context.Context) (*Namespace, error) {
	conn, err := pgx.Connect(ctx, p.address)
	if err != nil {
		return nil, err
	}
	n := &Namespace{pool: p, conn: conn}
	if n.tx, err = conn.Begin(ctx); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	err = n.tx.QueryRow(ctx, "SELECT name FROM namespaces ORDER BY rested_at LIMIT 1 FOR UPDATE SKIP LOCKED").Scan(&n.Name)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return n, nil
}

// Return puts the namespace back into the pool once nothing is open in it, and discards it where
// that does not come about. Its workers must have ended.
func (n *Namespace) Return(ctx context.Context) error {
	if n.atRest(ctx) != nil {
		return n.Discard(ctx)
	}
	return n.end(ctx, "UPDATE namespaces SET rested_at = clock_timestamp() WHERE name = $1")
}

// Discard takes the namespace out of the pool as it is: nobody uses it again.
func (n *Namespace) Discard(ctx context.Context) error {
	return n.end(ctx, "DELETE FROM namespaces WHERE name = $1")
}

func (n *Namespace) end(ctx context.Context, statement string) error {
	_, err := n.tx.Exec(ctx, statement, n.Name)
	if err == nil {
		err = n.tx.Commit(ctx)
	}
	return errors.Join(err, n.conn.Close(ctx))
}

// atRest ends what is open in the namespace and returns when nothing is.
func (n *Namespace) atRest(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, restLimit)
	defer cancel()
	temporal, err := client.DialContext(ctx, client.Options{
		HostPort: n.pool.stack.Env["REDLINE_TEMPORAL_ADDR"], Namespace: n.Name, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return err
	}
	defer temporal.Close()
	for {
		left, err := n.empty(ctx, temporal)
		if _, missing := errors.AsType[*serviceerror.NamespaceNotFound](err); missing {
			return nil // no worker has made it
		}
		if err != nil || left == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(restLook):
		}
	}
}

// empty deletes the schedules and terminates the open runs, as far as Temporal lists them,
// and reports how many these are.
func (n *Namespace) empty(ctx context.Context, temporal client.Client) (int, error) {
	schedules, err := temporal.WorkflowService().ListSchedules(ctx, &workflowservice.ListSchedulesRequest{Namespace: n.Name, MaximumPageSize: restPage})
	if err != nil {
		return 0, err
	}
	runs, err := temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "ExecutionStatus = 'Running'", PageSize: restPage})
	if err != nil {
		return 0, err
	}
	if len(schedules.GetNextPageToken())+len(runs.GetNextPageToken()) > 0 {
		return 0, fmt.Errorf("%s has more than %d runs or schedules left", n.Name, restPage)
	}
	// What has ended meanwhile is listed a moment longer.
	var ended *serviceerror.NotFound
	for _, schedule := range schedules.GetSchedules() {
		err := temporal.ScheduleClient().GetHandle(ctx, schedule.GetScheduleId()).Delete(ctx)
		if err != nil && !errors.As(err, &ended) {
			return 0, err
		}
	}
	for _, run := range runs.GetExecutions() {
		err := temporal.TerminateWorkflow(ctx, run.GetExecution().GetWorkflowId(), run.GetExecution().GetRunId(), "its test has ended")
		if err != nil && !errors.As(err, &ended) {
			return 0, err
		}
	}
	return len(schedules.GetSchedules()) + len(runs.GetExecutions()), nil
}

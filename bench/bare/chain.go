package bare

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
)

// chain is what hand-written workflows of calls keep in rows of their own: each run
// with its steps and events, as somebody who has to show them would.
const chain = `
CREATE TABLE runs (id text PRIMARY KEY, status text NOT NULL, done integer NOT NULL, seq bigint NOT NULL, changed_at timestamptz NOT NULL);
CREATE TABLE run_steps (run_id text, number integer, status text NOT NULL, calls integer NOT NULL, output json,
       started_at timestamptz, ended_at timestamptz, PRIMARY KEY (run_id, number));
CREATE TABLE run_events (run_id text, seq bigint, type text NOT NULL, at timestamptz NOT NULL, data json, PRIMARY KEY (run_id, seq))`

// The statements of a run, each with what it is about as $1.
const (
	insertRun = `INSERT INTO runs VALUES ($1, 'running', 0, 1, clock_timestamp())`
	// countDone is the run's own row, which every change of it writes.
	countDone  = `UPDATE runs SET done = $2, seq = $3, status = $4, changed_at = clock_timestamp() WHERE id = $1`
	insertStep = `INSERT INTO run_steps VALUES ($1, $2, 'running', 0, NULL, clock_timestamp())`
	beginStep  = `UPDATE run_steps SET calls = calls + 1 WHERE run_id = $1 AND number = $2`
	endStep    = `UPDATE run_steps SET status = 'completed', output = $3, ended_at = clock_timestamp() WHERE run_id = $1 AND number = $2`
	insertNews = `INSERT INTO run_events VALUES ($1, $2, $3, clock_timestamp(), $4)`
)

// eventsOfStep are written when a step ends and the next one starts.
const eventsOfStep = 3

// Keep makes the tables for Chains in a database of their own.
func (b *Temporal) Keep(ctx context.Context, rows *pgxpool.Pool) error {
	b.rows = rows
	_, err := rows.Exec(ctx, chain)
	return err
}

// Chains runs n workflows at once, each of so many activities that post to the address
// one after the other, and returns how many of these ended a second. Each activity
// writes, before its call and after it, what is to be seen of it.
func (b *Temporal) Chains(ctx context.Context, url string, n, steps int) (float64, error) {
	began := time.Now()
	ids, err := b.startAll(ctx, n, b.chained, func(int) any { return url }, func(int) any { return steps })
	if err != nil {
		return 0, err
	}
	err = b.closed(ctx, ids)
	return float64(n*steps) / time.Since(began).Seconds(), err
}

// chained makes its calls one after the other.
func (b *Temporal) chained(ctx workflow.Context, url string, steps int) error {
	id := workflow.GetInfo(ctx).WorkflowExecution.ID
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: callLimit})
	for number := range steps {
		if err := workflow.ExecuteActivity(ctx, b.step, url, id, number, steps).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// step makes the call of one step between its two transactions.
func (b *Temporal) step(ctx context.Context, url, id string, number, steps int) error {
	if err := b.store(ctx, func(batch *pgx.Batch) { queueBegin(batch, id, number) }); err != nil {
		return err
	}
	if err := b.call(ctx, url, id); err != nil {
		return err
	}
	return b.store(ctx, func(batch *pgx.Batch) { queueEnd(batch, id, number, steps) })
}

// store sends the statements in one trip, which is one transaction.
func (b *Temporal) store(ctx context.Context, queue func(*pgx.Batch)) error {
	batch := &pgx.Batch{}
	queue(batch)
	return b.rows.SendBatch(ctx, batch).Close()
}

func queueBegin(batch *pgx.Batch, id string, number int) {
	if number == 0 {
		batch.Queue(insertRun, id)
		batch.Queue(insertStep, id, 0)
		batch.Queue(insertNews, id, 1, "run.started", nil)
	} else {
		batch.Queue(countDone, id, number, eventsOfStep*number+1, "running")
	}
	batch.Queue(beginStep, id, number)
}

func queueEnd(batch *pgx.Batch, id string, number, steps int) {
	done, status := number+1, "running"
	if done == steps {
		status = "completed"
	} else {
		batch.Queue(insertStep, id, done)
	}
	batch.Queue(endStep, id, number, `{"status": 200}`)
	batch.Queue(countDone, id, done, eventsOfStep*done+1, status)
	for i := range eventsOfStep {
		batch.Queue(insertNews, id, eventsOfStep*number+i+2, "step.changed", `{"status": 200}`)
	}
}

// Decided runs one workflow of so many updates with a local activity each, one after
// the other, and returns how many events its history has.
func (b *Temporal) Decided(ctx context.Context, updates int) (int, error) {
	run, err := b.start(ctx, b.deciding, updates)
	if err != nil {
		return 0, err
	}
	for range updates {
		if err := b.decide(ctx, run.GetID()); err != nil {
			return 0, err
		}
	}
	if err := run.Get(ctx, nil); err != nil {
		return 0, err
	}
	return Events(ctx, b.client, run.GetID(), run.GetRunID())
}

// deciding ends with the last of its updates.
func (b *Temporal) deciding(ctx workflow.Context, updates int) error {
	decided := 0
	err := workflow.SetUpdateHandler(ctx, "decide", func(ctx workflow.Context) error {
		defer func() { decided++ }()
		return b.locally(ctx)
	})
	if err != nil {
		return err
	}
	return workflow.Await(ctx, func() bool { return decided == updates && workflow.AllHandlersFinished(ctx) })
}

// Events counts the events in the history of a run of a workflow.
func Events(ctx context.Context, engine client.Client, workflowID, runID string) (int, error) {
	n := 0
	events := engine.GetWorkflowHistory(ctx, workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		if _, err := events.Next(); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

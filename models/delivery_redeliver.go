package models

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
)

// Redelivery asks for events to be sent again. EventIDs nil means all that are
// dead or refused; Receiver, when given, is the execution's from now on.
type Redelivery struct {
	EventIDs []string
	Receiver *Receiver
}

// Redeliver gives each of the events a new round of attempts, due now, and
// tells how many these are. What is under way becomes the first attempt of its
// new round. Errors: NOT_FOUND (execution, named event), FAILED_PRECONDITION
// (no receiver).
func (d *Deliveries) Redeliver(ctx context.Context, workspaceID, executionID string, r Redelivery) (int, error) {
	scheduled, destination := 0, ""
	err := d.db.pgTx(ctx, func(tx pgx.Tx) error {
		to, err := d.receiverOf(ctx, tx, workspaceID, executionID, r.Receiver)
		if err != nil {
			return err
		}
		destination = to.destinationID
		seqs, err := seqsOf(ctx, tx, workspaceID, executionID, r.EventIDs)
		if err != nil {
			return err
		}
		scheduled, err = to.requeue(ctx, tx, workspaceID, executionID, seqs)
		return err
	})
	if err != nil {
		return 0, err
	}
	d.nudges.Destinations(destination)
	return scheduled, nil
}

// route is where an execution's deliveries go.
type route struct {
	destinationID, origin string
}

// receiverOf locks the execution and gives its route, after changing it where
// another receiver was named.
func (d *Deliveries) receiverOf(ctx context.Context, tx pgx.Tx, workspaceID, executionID string, r *Receiver) (route, error) {
	var destination, origin *string
	err := tx.QueryRow(ctx, `SELECT receiver_destination, receiver_origin FROM executions
		WHERE workspace_id = $1 AND id = $2 FOR UPDATE`, workspaceID, executionID).Scan(&destination, &origin)
	switch {
	case isNoRow(err):
		return route{}, fault.Missing("execution")
	case err != nil:
		return route{}, err
	case r != nil:
		return d.changeReceiver(ctx, tx, workspaceID, executionID, *r)
	case destination == nil || origin == nil:
		return route{}, fault.Precondition("no-receiver", "the execution has no receiver; name one with webhookUrl and webhookSecret")
	default:
		return route{*destination, *origin}, nil
	}
}

const newReceiver = `
UPDATE executions SET receiver_url = $3, receiver_secret = $4, receiver_event_types = NULL, receiver_destination = $5, receiver_origin = $6
WHERE workspace_id = $1 AND id = $2`

// moveWaiting brings what waits, and what is under way, to the new receiver: an
// attempt under way ends at the old one, the next goes to the new.
const moveWaiting = `
UPDATE deliveries SET destination_id = $3, origin = $4
WHERE id = ANY(ARRAY(SELECT id FROM deliveries WHERE workspace_id = $1 AND execution_id = $2 AND state IN ('pending', 'sending')
                     ORDER BY id FOR UPDATE))`

func (d *Deliveries) changeReceiver(ctx context.Context, tx pgx.Tx, workspaceID, executionID string, r Receiver) (route, error) {
	destination, err := d.destinations.destinationFor(ctx, tx, workspaceID, r.Origin)
	if err != nil {
		return route{}, err
	}
	sealed := d.box.Seal(executionPlace(workspaceID, executionID, receiverColumn), []byte(r.Secret))
	if _, err := tx.Exec(ctx, newReceiver, workspaceID, executionID, r.URL, sealed, destination, r.Origin); err != nil {
		return route{}, err
	}
	_, err = tx.Exec(ctx, moveWaiting, workspaceID, executionID, destination, r.Origin)
	return route{destination, r.Origin}, err
}

// seqsOf gives the numbers of the events to send again.
func seqsOf(ctx context.Context, tx pgx.Tx, workspaceID, executionID string, eventIDs []string) ([]int64, error) {
	query, args := `SELECT seq FROM deliveries WHERE workspace_id = $1 AND execution_id = $2 AND state IN ('dead', 'refused')`,
		[]any{workspaceID, executionID}
	if eventIDs != nil {
		query, args = `SELECT seq FROM events WHERE workspace_id = $1 AND execution_id = $2 AND id = ANY ($3) AND NOT internal`,
			append(args, eventIDs)
	}
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err == nil && eventIDs != nil && len(seqs) < distinct(eventIDs) {
		err = fault.Missing("event of this execution")
	}
	return seqs, err
}

func distinct(texts []string) int {
	seen := make(map[string]struct{}, len(texts))
	for _, text := range texts {
		seen[text] = struct{}{}
	}
	return len(seen)
}

// requeue makes each event's delivery due now with a new schedule. Rows are
// locked in the order of their ids, as everywhere.
const requeue = `
WITH known AS (
    SELECT id FROM deliveries WHERE workspace_id = $1 AND execution_id = $2 AND seq = ANY ($5) ORDER BY id FOR UPDATE
)
INSERT INTO deliveries AS d (workspace_id, execution_id, destination_id, origin, seq, due_at)
SELECT $1, $2, $3, $4, s.seq, (SELECT clock_timestamp())
FROM unnest($5::bigint[]) AS s (seq) WHERE (SELECT count(*) FROM known) >= 0 ORDER BY s.seq
ON CONFLICT ON CONSTRAINT deliveries_once DO UPDATE SET
    destination_id = excluded.destination_id, origin = excluded.origin, round = 0, due_at = excluded.due_at,
    state = CASE WHEN d.state = 'sending' THEN 'sending' ELSE 'pending' END`

func (to route) requeue(ctx context.Context, tx pgx.Tx, workspaceID, executionID string, seqs []int64) (int, error) {
	if len(seqs) == 0 {
		return 0, nil
	}
	tag, err := tx.Exec(ctx, requeue, workspaceID, executionID, to.destinationID, to.origin, seqs)
	return int(tag.RowsAffected()), err
}

package execution

import (
	"context"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// Redelivery asks for events to be sent again. EventIDs nil means all that are
// dead or refused; Receiver, when given, is the execution's from now on.
type Redelivery struct {
	EventIDs []string
	Receiver *Receiver
}

// Redeliver queues a new round of attempts for each of the events, due now, and
// returns how many these are. What is under way becomes the first attempt of its
// new round. Errors: NOT_FOUND (execution, named event), FAILED_PRECONDITION
// (no receiver).
func (e *Executions) Redeliver(ctx context.Context, workspaceID, executionID string, r Redelivery) (int, error) {
	scheduled := 0
	err := e.db.InTx(ctx, func(tx *pg.Tx) error {
		to, err := e.receiverOf(ctx, tx, workspaceID, executionID, r.Receiver)
		if err != nil {
			return err
		}
		seqs, err := eventNumbers(ctx, tx, workspaceID, executionID, r.EventIDs)
		if err != nil {
			return err
		}
		tx.Notify(notifier.Destinations, to.DestinationID)
		scheduled, err = to.Requeue(ctx, tx, workspaceID, executionID, seqs)
		return err
	})
	if err != nil {
		return 0, err
	}
	return scheduled, nil
}

// receiverOf locks the execution and returns its route, after changing it where
// another receiver was named.
func (e *Executions) receiverOf(ctx context.Context, tx *pg.Tx, workspaceID, executionID string, r *Receiver) (delivery.Route, error) {
	hold := clause.Locking{Strength: clause.LockingStrengthUpdate}
	row, err := gorm.G[executionRow](tx.Gorm(), hold).Select("receiver_destination, receiver_origin").Scopes(pg.Tenant(workspaceID)).
		Where("id = ?", executionID).Take(ctx)
	switch {
	case pg.IsNoRow(err):
		return delivery.Route{}, fault.NotFound("execution")
	case err != nil:
		return delivery.Route{}, err
	case r != nil:
		return e.changeReceiver(ctx, tx, workspaceID, executionID, *r)
	case row.ReceiverDestination == nil || row.ReceiverOrigin == nil:
		return delivery.Route{}, fault.FailedPrecondition("no-receiver", "the execution has no receiver; name one with webhookUrl and webhookSecret")
	default:
		return delivery.Route{DestinationID: *row.ReceiverDestination, Origin: *row.ReceiverOrigin}, nil
	}
}

func (e *Executions) changeReceiver(ctx context.Context, tx *pg.Tx, workspaceID, executionID string, r Receiver) (delivery.Route, error) {
	destination, err := delivery.DestinationFor(ctx, tx, workspaceID, r.Origin)
	if err != nil {
		return delivery.Route{}, err
	}
	sealed := e.box.Seal(delivery.ReceiverSecretBinding(workspaceID, executionID), []byte(r.Secret))
	_, err = gorm.G[executionRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("id = ?", executionID).Set(clause.Assignments(map[string]any{
		"receiver_url": r.URL, "receiver_secret": sealed, "receiver_event_types": nil,
		"receiver_destination": destination, "receiver_origin": r.Origin,
	})).Update(ctx)
	if err != nil {
		return delivery.Route{}, err
	}
	to := delivery.Route{DestinationID: destination, Origin: r.Origin}
	return to, to.Take(ctx, tx, workspaceID, executionID)
}

// eventNumbers returns the numbers of the events to send again: those named, or all
// whose delivery failed. The names are an array: the text of the statement, by hand,
// is the same for any number of them.
func eventNumbers(ctx context.Context, tx *pg.Tx, workspaceID, executionID string, eventIDs []string) ([]int64, error) {
	if eventIDs == nil {
		return delivery.FailedEvents(ctx, tx, workspaceID, executionID)
	}
	rows, err := tx.Query(ctx, `SELECT seq FROM events WHERE workspace_id = $1 AND execution_id = $2 AND id = ANY ($3) AND NOT internal`,
		workspaceID, executionID, eventIDs)
	if err != nil {
		return nil, err
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err == nil && len(seqs) < len(pg.Distinct(eventIDs)) {
		err = fault.NotFound("event of this execution")
	}
	return seqs, err
}

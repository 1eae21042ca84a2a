package delivery

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

//go:embed queue_again.sql
var queueAgainRows string

// resend queues a message for an endpoint again, whatever has become of it and
// whatever the endpoint's filters are. Errors: NOT_FOUND message, also where its body is
// gone; FAILED_PRECONDITION where it speaks of the endpoint.
func resend(ctx context.Context, tx *pg.Tx, b *pgx.Batch, workspaceID, messageID string, to Endpoint) error {
	var about *string
	err := tx.QueryRow(ctx, `SELECT m.about FROM messages m JOIN message_bodies b ON b.message_id = m.id
		WHERE m.workspace_id = $1 AND m.id = $2 AND (m.simple OR NOT $3) FOR KEY SHARE`, workspaceID, messageID, to.simple).Scan(&about)
	switch {
	case pg.IsNoRow(err):
		return fault.NotFound("message")
	case err != nil:
		return err
	case about != nil && *about == to.ID:
		return fault.FailedPrecondition("speaks-of-endpoint", "the message is about this endpoint, which never gets it")
	}
	enqueueDestinations(b, workspaceID, []string{to.ID})
	queueAgain(b, workspaceID, to.ID, causeResend, ownOrigin, []string{messageID})
	tx.Notify(notifier.Destinations, to.ID)
	return nil
}

// queueAgain adds queueAgainRows to a commit's batch, behind enqueueDestinations.
func queueAgain(b *pgx.Batch, workspaceID, endpointID, cause, origin string, messageIDs []string) {
	b.Queue(pg.ByKeys)
	b.Queue(queueAgainRows, pgx.NamedArgs{
		"workspace": workspaceID, "endpoint": endpointID, "messages": messageIDs, "cause": cause, "origin": origin, "last_round": lastRound,
	})
}

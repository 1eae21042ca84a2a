package models

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
)

// Kinds of destinations.
const (
	kindReceiver = "receiver"
	kindEndpoint = "endpoint"
	kindMail     = "mail"
)

// Causes of a delivery to an endpoint: why its schedule began.
const (
	causeSchedule = "schedule"
	causeTest     = "test"
)

// How a mail ended; empty while it has not.
const (
	MailSent     = "sent"
	MailFailed   = "failed"
	MailDisabled = "disabled"
)

// destinationOfMail gives the id of the destination that serves the mails of a
// workspace, making it in tx when this is the first.
func destinationOfMail(ctx context.Context, tx rowQuerier, workspaceID string) (string, error) {
	place := slotOf{workspaceID: workspaceID, kind: kindMail}
	found, err := readDestination(ctx, tx, place)
	if isNoRow(err) {
		return makeDestination(ctx, tx, place)
	}
	return found, translate(err)
}

// enqueueMessage adds one statement to a commit's batch: a delivery of the
// message to each of the endpoints, due at once. The first one of an endpoint
// makes its destination, which has the endpoint's id.
func enqueueMessage(b *pgx.Batch, workspaceID, messageID string, endpointIDs []string, cause string) {
	b.Queue(`WITH wanted AS (
			SELECT e.id FROM unnest($3::text[]) AS e (id)
		), made AS (
			INSERT INTO destinations (id, workspace_id, kind) SELECT w.id, $1, 'endpoint' FROM wanted w
			WHERE NOT EXISTS (SELECT 1 FROM destinations d WHERE d.id = w.id) ON CONFLICT DO NOTHING
		)
		INSERT INTO deliveries (workspace_id, destination_id, origin, message_id, cause, due_at)
		SELECT $1, w.id, '', $2, $4, (SELECT clock_timestamp()) FROM wanted w ORDER BY w.id`,
		workspaceID, messageID, endpointIDs, cause)
}

// enqueueMail adds one statement to a commit's batch: the delivery of a mail,
// due at once. destinationID is destinationOfMail.
func enqueueMail(b *pgx.Batch, workspaceID, destinationID, mailID string) {
	b.Queue(`INSERT INTO deliveries (workspace_id, destination_id, origin, mail_id, due_at) VALUES ($1, $2, '', $3, clock_timestamp())`,
		workspaceID, destinationID, mailID)
}

// cutDestinations adds one statement to a commit's batch: what waits for the
// destinations now ends with the class, in the background, and nothing of it is
// sent after the commit. Tests go on where the class is webhook.EndpointDisabled.
// The destinations are to be woken after the commit.
func cutDestinations(b *pgx.Batch, workspaceID string, destinationIDs []string, class webhook.Class) {
	b.Queue(`UPDATE destinations SET cut_id = (SELECT max(id) FROM deliveries), cut_class = $3
		WHERE id = ANY(ARRAY(SELECT id FROM destinations WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE))`,
		workspaceID, destinationIDs, string(class))
}

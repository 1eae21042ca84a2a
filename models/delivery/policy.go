package delivery

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// Kinds of destinations, as Temporal names them to its runs.
const (
	kindReceiver = contract.KindReceiver
	kindEndpoint = contract.KindEndpoint
	kindMail     = contract.KindMail
)

// Causes of a delivery to an endpoint: why its schedule began.
const (
	causeSchedule = "schedule"
	causeResend   = "resend"
	causeRecover  = "recover"
	causeTest     = "test"
)

// Origins of what waits for an endpoint: none, or that of what is recovered, which comes
// behind everything else. Claims have its name in their text.
const (
	ownOrigin       = ""
	recoveredOrigin = "recovered"
)

// How a mail ended; empty while it has not.
const (
	MailSent     = "sent"
	MailFailed   = "failed"
	MailDisabled = "disabled"
)

// DestinationOfMail returns the id of the destination that serves the mails of a
// workspace, making it in tx when this is the first.
func DestinationOfMail(ctx context.Context, tx pg.RowQueryer, workspaceID string) (string, error) {
	return destinationAt(ctx, tx, slot{workspaceID: workspaceID, kind: kindMail})
}

// enqueueDestinations adds one statement to a commit's batch: the destinations of
// endpoints that have none yet, under the endpoints' ids. A transaction names all
// its endpoints at once and the rows are made in one order, so two transactions
// that make the same ones cannot deadlock.
func enqueueDestinations(b *pgx.Batch, workspaceID string, endpointIDs []string) {
	b.Queue(`INSERT INTO destinations (id, workspace_id, kind) SELECT e.id, $1, 'endpoint' FROM unnest($2::text[]) AS e (id)
		WHERE NOT EXISTS (SELECT 1 FROM destinations d WHERE d.id = e.id) ORDER BY e.id ON CONFLICT DO NOTHING`,
		workspaceID, endpointIDs)
}

// enqueueMessages adds one statement to a commit's batch: a delivery of each message to the
// endpoint beside it, due at once, after enqueueDestinations.
func enqueueMessages(b *pgx.Batch, workspaceID string, messageIDs, endpointIDs []string, cause string) {
	b.Queue(`WITH made AS (
		INSERT INTO deliveries (workspace_id, destination_id, message_id, cause)
		SELECT $1, p.endpoint, p.message, $4 FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS p (message, endpoint, n) ORDER BY p.n
		RETURNING id, destination_id)
		INSERT INTO open_deliveries (id, destination_id, origin, cause, due_at) SELECT id, destination_id, '', $4, (SELECT clock_timestamp()) FROM made`,
		workspaceID, messageIDs, endpointIDs, cause)
}

// EnqueueMails adds one statement to a commit's batch: deliveries of mails in their order,
// due after that time. destinationID comes from DestinationOfMail.
func EnqueueMails(b *pgx.Batch, workspaceID, destinationID string, mailIDs []string, after time.Duration) {
	b.Queue(`WITH made AS (
		INSERT INTO deliveries (workspace_id, destination_id, mail_id)
		SELECT $1, $2, m.id FROM unnest($3::text[]) WITH ORDINALITY AS m (id, n) ORDER BY m.n RETURNING id)
		INSERT INTO open_deliveries (id, destination_id, origin, due_at)
		SELECT id, $2, '', (SELECT clock_timestamp()) + make_interval(secs => $4) FROM made`,
		workspaceID, destinationID, mailIDs, after.Seconds())
}

// MailsDue makes mails due now that wait, those whose ids a query reads, and returns how many: in the order of their
// deliveries, and without reading ids, as there may be many.
func MailsDue(ctx context.Context, tx *pg.Tx, mails string, args ...any) (int64, error) {
	made, err := tx.Exec(ctx, `
UPDATE open_deliveries SET due_at = clock_timestamp() WHERE id = ANY(ARRAY(
    SELECT o.id FROM deliveries v JOIN open_deliveries o ON o.id = v.id
    WHERE v.mail_id IN (`+mails+`) AND o.due_at > clock_timestamp() ORDER BY o.id FOR UPDATE OF o))`, args...)
	return made.RowsAffected(), err
}

// CancelPending adds one statement to a commit's batch: it marks what waits for
// the destinations now to be ended with the class. After the commit nothing of it
// is claimed any more, and EndCancelled ends the rows in the background. Tests go
// on where the class is webhook.EndpointDisabled.
func CancelPending(tx *pg.Tx, b *pgx.Batch, workspaceID string, destinationIDs []string, class webhook.Class) {
	tx.Notify(notifier.Destinations, destinationIDs...)
	b.Queue(`UPDATE destinations SET cancel_id = `+lastNumber+`, cancel_class = $3, cancel_at = clock_timestamp()
		WHERE id = ANY(ARRAY(SELECT id FROM destinations WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE))`,
		workspaceID, destinationIDs, string(class))
}

const (
	// endpointLimit is how long an attempt at an endpoint may take where the
	// operator set nothing, mailLimit one at a relay of mails there.
	endpointLimit = 15 * time.Second
	mailLimit     = 30 * time.Second
	// mailsPerSecond bounds the mails of a workspace.
	mailsPerSecond = 10
)

// endpointDelays are the pauses after each failed attempt where the operator set
// none; every one is varied. mailDelays are those of mails there.
var (
	endpointDelays = []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour,
	}
	mailDelays = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour}
)

// policy is how deliveries to one kind of destination are limited and repeated.
type policy struct {
	// limit is how long an attempt may take, delays are the pauses after failed
	// ones, vary is by how much a pause is varied either way.
	limit  time.Duration
	delays []time.Duration
	vary   float64
}

// policyOf returns the policy of a kind.
func (d *Deliveries) policyOf(kind string) policy {
	switch kind {
	case kindEndpoint:
		return policy{d.rules.Limit, d.rules.Delays, webhook.Variation}
	case kindMail:
		return policy{d.rules.MailLimit, d.rules.MailDelays, 0}
	default:
		return policy{ReceiverLimit, receiverDelays, 0}
	}
}

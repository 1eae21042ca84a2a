package execution

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/walk"

	"github.com/redline-svc/redline/models/internal/pg"
	mails "github.com/redline-svc/redline/models/mail"
)

// mailsOn tells, as part of a statement about a workspace named $1, whether its
// e-mail service is on: reviewers of all others cost nothing more.
const mailsOn = `EXISTS (SELECT FROM email_settings m WHERE m.workspace_id = $1 AND m.enabled)`

// awaitsPeople is the event of a step that begins to wait for its reviewers.
const awaitsPeople = "step.awaiting-approval"

// noteWaiting remembers a step whose reviewers are to be told. People are known
// by the profiles of an organization: without one there is nobody to tell.
func (l *state) noteWaiting(ev walk.Event) {
	if ev.Type != awaitsPeople || !l.mails || l.organizationID == nil {
		return
	}
	for _, s := range l.state.Steps {
		if s.ID == ev.StepID {
			l.waiting = append(l.waiting, s)
		}
	}
}

// readReviewersProfiles gives the step's name besides: of a step that was made
// before this visit the walk does not know it.
const readReviewersProfiles = `
SELECT p.user_id, coalesce(p.name, ''), p.email,
       coalesce((SELECT s.node_name FROM steps s WHERE s.workspace_id = $1 AND s.execution_id = $4 AND s.id = $5), $6)
FROM profiles p JOIN organizations o ON o.key = p.organization_key
WHERE o.workspace_id = $1 AND o.organization_id = $2 AND p.user_id = ANY($3)`

// askReviewers queues a mail to each reviewer of the steps that began to wait.
func (l *state) askReviewers(ctx context.Context, tx *pg.Tx, b *pgx.Batch) error {
	var letters []mails.Draft
	for _, s := range l.waiting {
		found, err := l.requests(ctx, tx, s)
		if err != nil {
			return err
		}
		letters = append(letters, withAddress(found)...)
	}
	return mails.QueueDrafts(ctx, tx, b, l.workspaceID, letters)
}

// requests are the mails to the reviewers of a step whom the organization knows.
func (l *state) requests(ctx context.Context, tx pg.Queryer, s *walk.Step) ([]mails.Draft, error) {
	users := make([]string, len(s.Reviewers))
	for i, r := range s.Reviewers {
		users[i] = r.UserID
	}
	rows, err := tx.Query(ctx, readReviewersProfiles, l.workspaceID, *l.organizationID, users, l.state.ExecutionID, s.ID, s.NodeName)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (mails.Draft, error) {
		to := mails.Draft{Template: mail.Review, OrganizationID: *l.organizationID}
		var address *string
		var step string
		err := row.Scan(&to.UserID, &to.Name, &address, &step)
		to.Recipient = mails.UsableAddress(address)
		c := mail.ReviewerRequest(mail.Request{Step: step, Definition: l.definitionName, Comment: shape.Text(s.Output, "commentBody")})
		to.Subject, to.Text, to.HTML = &c.Subject, &c.Text, &c.HTML
		return to, err
	})
}

// withAddress leaves out those to whom no mail can go.
func withAddress(letters []mails.Draft) []mails.Draft {
	var kept []mails.Draft
	for _, l := range letters {
		if l.Recipient != "" {
			kept = append(kept, l)
		}
	}
	return kept
}

package execution

import (
	"context"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
	mails "github.com/redline-svc/redline/models/mail"
)

// mailsEnabled tells, as part of a statement about a workspace named $1, whether its
// e-mail service is on: reviewers of all others cost nothing more.
const mailsEnabled = `EXISTS (SELECT FROM email_settings m WHERE m.workspace_id = $1 AND m.enabled)`

// addAwaiting keeps a step that begins to wait, or that another reviewer was given, for
// mails to those whom it asks; who took it over knows. People are known by the profiles
// of an organization: without one nobody has an address.
func (c *consequences) addAwaiting(ev interpreter.Event) {
	asks := ev.Type == "step.awaiting-approval" || ev.Type == "step.reassigned" && shape.Text(ev.Data, "toReviewerId") != shape.Text(ev.Data, "actorId")
	if !asks || !c.state.mailsEnabled || c.state.organizationID == nil {
		return
	}
	c.awaiting = append(c.awaiting, c.state.execution.Step(ev.StepID))
}

// readReviewerProfiles returns the step's name besides: the interpreter does not know it of
// a step that an earlier command made.
const readReviewerProfiles = `
SELECT p.user_id, coalesce(p.name, ''), p.email,
       coalesce((SELECT s.node_name FROM steps s WHERE s.workspace_id = $1 AND s.execution_id = $4 AND s.id = $5), $6)
FROM profiles p JOIN organizations o ON o.key = p.organization_key
WHERE o.workspace_id = $1 AND o.organization_id = $2 AND p.user_id = ANY($3)`

// queueMails queues a mail to each reviewer whom the steps ask from now on. A hundred steps may ask fifty people each: what is
// much is sent before more is made.
func (c *consequences) queueMails(ctx context.Context, tx *pg.Tx, b *pgx.Batch) error {
	last := &pgx.Batch{}
	var failed error
	for some := range pg.Portions(c.drafts(ctx, tx, &failed), pg.PortionRows) {
		if err := tx.SendQueued(ctx, last); err != nil {
			return err
		}
		if err := mails.QueueDrafts(ctx, tx, last, c.state.workspaceID, some); err != nil {
			return err
		}
	}
	b.QueuedQueries = append(b.QueuedQueries, last.QueuedQueries...)
	return failed
}

// drafts are the mails to those whom the steps ask, with about how many bytes each takes, up to where reading has failed.
func (c *consequences) drafts(ctx context.Context, tx pg.Queryer, failed *error) iter.Seq2[mails.Draft, int64] {
	return func(yield func(mails.Draft, int64) bool) {
		for _, step := range c.awaiting {
			drafts, err := c.reviewerMails(ctx, tx, step)
			if err != nil {
				*failed = err
				return
			}
			for _, d := range drafts {
				if !yield(d, int64(len(*d.Subject)+len(*d.Text)+len(*d.HTML))) {
					return
				}
			}
		}
	}
}

// reviewerMails are the mails to those whom a step asks again when all is applied that
// its commit causes, where the organization knows their address: the step may have been
// cancelled meanwhile, and a retry keeps what was decided before.
func (c *consequences) reviewerMails(ctx context.Context, tx pg.Queryer, step *interpreter.Step) ([]mails.Draft, error) {
	s := c.state
	rows, err := tx.Query(ctx, readReviewerProfiles, s.workspaceID, *s.organizationID, step.Asked(), s.execution.ExecutionID, step.ID, step.NodeName)
	if err != nil {
		return nil, err
	}
	var content *mail.Content // it says the same to all
	drafts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (mails.Draft, error) {
		draft := mails.Draft{Template: mail.Review, OrganizationID: *s.organizationID}
		var address *string
		var name string
		err := row.Scan(&draft.UserID, &draft.Name, &address, &name)
		draft.Recipient = mails.UsableAddress(address)
		if content == nil {
			content = new(mail.ReviewerRequest(mail.Request{Step: name, Definition: s.definitionName, Comment: shape.Text(step.Output, "commentBody")}))
		}
		draft.Subject, draft.Text, draft.HTML = &content.Subject, &content.Text, &content.HTML
		return draft, err
	})
	return slices.DeleteFunc(drafts, func(d mails.Draft) bool { return d.Recipient == "" }), err
}

package mail

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// triggers are the switches of templates.
var triggers = map[string]string{
	mail.Invitation: TriggerInvitation,
	mail.Mention:    TriggerMention, mail.Reply: TriggerReply, mail.Assignment: TriggerAssignment, mail.Review: TriggerApproval,
}

// lockMails locks the mails that a statement ends, in the order of their ids like
// every statement that changes several, so that two of them cannot deadlock.
const lockMails = ` AND m.id = ANY(ARRAY(SELECT id FROM mails WHERE id = ANY(ARRAY(SELECT mail_id FROM done)) ORDER BY id FOR UPDATE))`

// endMails ends the mails of deliveries, with the result that follows it in the
// statement, and erases their texts.
const endMails = `
    UPDATE mails m SET class = d.class, ended_at = clock_timestamp(), subject = NULL, body_text = NULL, body_html = NULL, result =`

// DeliveryRows is what deliveries do to the rows of their mails.
var DeliveryRows = delivery.MailRows{End: endMails, Lock: lockMails, Triggers: triggers}

// Draft is a mail to be committed with the change that it is about.
type Draft struct {
	Template       string  `json:"template"`
	Recipient      string  `json:"recipient"`
	Name           string  `json:"name"`
	UserID         string  `json:"userId"`
	OrganizationID string  `json:"organizationId"`
	AnnotationKey  *int64  `json:"annotationKey"`
	CommentSeq     *int64  `json:"commentSeq"`
	Thread         string  `json:"thread"`
	Subject        *string `json:"subject"`
	Text           *string `json:"text"`
	HTML           *string `json:"html"`
}

// namedDraft is a draft with the id of its mail.
type namedDraft struct {
	Draft

	ID string `json:"id"`
}

// insertMails goes with the batch of the change: no trip of its own.
const insertMails = `
INSERT INTO mails (id, workspace_id, template, recipient, recipient_name, user_id, organization_id, annotation_key, comment_seq, thread,
       subject, body_text, body_html, leaves_at)
SELECT m.id, $1, m.template, m.recipient, m.name, m."userId", m."organizationId", m."annotationKey", m."commentSeq", m.thread,
       m.subject, m.text, m.html, CASE WHEN $2::float8 > 0 THEN clock_timestamp() + make_interval(secs => $2) END
FROM json_to_recordset($3) AS m (id text, template text, recipient text, name text, "userId" text, "organizationId" text,
     "annotationKey" bigint, "commentSeq" bigint, thread text, subject text, text text, html text)`

// QueueDrafts adds mails whose trigger is on to the batch; none where the e-mail
// service is off. All of them are about comments, or none is: those may have to wait.
func QueueDrafts(ctx context.Context, tx *pg.Tx, b *pgx.Batch, workspaceID string, drafts []Draft) error {
	if len(drafts) == 0 {
		return nil
	}
	state, err := takeSettings(ctx, tx, workspaceID, "")
	if err != nil || !state.Enabled {
		return err
	}
	delay, err := delayOf(ctx, tx, workspaceID)
	if err != nil {
		return err
	}
	if drafts[0].AnnotationKey == nil {
		delay = 0
	}
	var all []namedDraft
	for _, draft := range drafts {
		if state.sends(draft.Template) {
			all = append(all, namedDraft{draft, id.New(id.Mail)})
		}
	}
	if len(all) == 0 {
		return nil
	}
	destination, err := delivery.DestinationOfMail(ctx, tx, workspaceID)
	if err != nil {
		return err
	}
	tx.Notify(notifier.Destinations, destination)
	return queueMails(b, workspaceID, destination, all, delay)
}

// QueueInvitation queues the mail of an invitation and reports whether there is one.
func QueueInvitation(ctx context.Context, tx *pg.Tx, workspaceID string, i directory.Invited, m directory.InvitationMail) (bool, error) {
	state, err := takeSettings(ctx, tx, workspaceID, "")
	if err != nil || !state.sends(mail.Invitation) {
		return false, err
	}
	said := mail.Invite(mail.Invited{By: m.By, Organization: m.Organization, Folder: m.Folder, Document: m.Document, URL: m.URL})
	b := &pgx.Batch{}
	err = queueAlways(ctx, tx, b, workspaceID, id.New(id.Mail), Draft{
		Template: mail.Invitation, Recipient: i.Email, OrganizationID: i.OrganizationID, Subject: &said.Subject, Text: &said.Text, HTML: &said.HTML,
	})
	if err != nil {
		return false, err
	}
	return true, tx.SendBatch(ctx, b).Close()
}

// queueMails adds mails and their deliveries to the batch; they leave after that time.
func queueMails(b *pgx.Batch, workspaceID, destination string, all []namedDraft, after time.Duration) error {
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	ids := make([]string, len(all))
	for i, m := range all {
		ids[i] = m.ID
	}
	b.Queue(insertMails, workspaceID, after.Seconds(), text)
	delivery.EnqueueMails(b, workspaceID, destination, ids, after)
	return nil
}

// sends reports whether mails of the template are sent.
func (s *Settings) sends(template string) bool {
	return s.Enabled && !slices.Contains(s.Off, triggers[template])
}

// UsableAddress is the first of the addresses that a mail can be sent to; empty without
// one.
func UsableAddress(addresses ...*string) string {
	for _, raw := range addresses {
		if raw == nil {
			continue
		}
		if parsed, err := email.Parse(*raw); err == nil {
			return parsed.Raw
		}
	}
	return ""
}

// ThreadOf is what the mails about one annotation have in common: the caller's
// id may have any characters and is nobody else's business.
func ThreadOf(workspaceID, annotationID string) string {
	return "thread." + secret.DerivedID(workspaceID, "mails", annotationID)
}

// dropMails ends what waits to be mailed to users about an organization; it goes with
// the batch that removes the users. Their
// deliveries end when they are due: a mail that has ended is not sent.
const dropMails = `
UPDATE mails SET result = 'disabled', class = $4, ended_at = clock_timestamp(), subject = NULL, body_text = NULL, body_html = NULL
WHERE result IS NULL AND id = ANY(ARRAY(
    SELECT id FROM mails WHERE workspace_id = $1 AND organization_id = $2 AND user_id = ANY($3) AND result IS NULL ORDER BY id FOR UPDATE))`

// ForgetUsers ends what waits to be mailed to users who leave an organization.
func ForgetUsers(b *pgx.Batch, workspaceID, organizationID string, userIDs []string) {
	b.Queue(dropMails, workspaceID, organizationID, userIDs, ClassRecipientGone)
}

package directory

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// States of invitations. What is not pending any more stays as it is.
const (
	InvitationPending   = "PENDING"
	InvitationAccepted  = "ACCEPTED"
	InvitationRejected  = "REJECTED"
	InvitationWithdrawn = "WITHDRAWN"
)

// MaxPendingInvitations is how many invitations of one organization may be pending.
const MaxPendingInvitations = 10_000

// invitedAgain is after how long a pending invitation is mailed again.
const invitedAgain = "1 hour"

// Invited is the place of an invitation, an organization or one folder or document of it, and
// whom it is for. EmailKey is what e-mails are compared by.
type Invited struct{ OrganizationID, FolderID, DocumentID, Email, EmailKey string }

func (i Invited) container() Container {
	return Container{OrganizationID: i.OrganizationID, FolderID: i.FolderID, DocumentID: i.DocumentID}
}

// Invitation is an invitation as read. What is unset is empty or nil.
type Invitation struct {
	Invited

	ID, Role, Status      string
	By                    json.RawMessage
	UserID                *string
	CreatedAt             time.Time
	RespondedAt, MailedAt *time.Time
}

// InvitationMail is what the mail of an invitation says, as the caller named things; URL is where
// its button leads, empty for none.
type InvitationMail struct{ By, Organization, Folder, Document, URL string }

// MailInvitation queues the mail of an invitation and reports whether there is one: no setting stops it.
type MailInvitation func(ctx context.Context, tx *pg.Tx, workspaceID string, i Invited, m InvitationMail) (bool, error)

// Invitations stores invitations of people by their e-mail. Whoever changes one holds the row of the
// organization, as those do who change its people.
type Invitations struct {
	db   *pg.DB
	mail MailInvitation
}

// NewInvitations makes the store.
func NewInvitations(db *pg.DB, mail MailInvitation) *Invitations { return &Invitations{db, mail} }

// invitations are the columns of Invitation, of places that are there.
const invitations = `
SELECT i.id, i.email, i.email_key, o.organization_id, coalesce(f.folder_id, ''), coalesce(d.document_id, ''), i.role, i.status,
       i.invited_by, i.user_id, i.created_at, i.responded_at, i.mailed_at
FROM invitations i JOIN organizations o ON o.key = i.organization_key
LEFT JOIN folders f ON f.key = i.folder_key LEFT JOIN documents d ON d.key = i.document_key
WHERE i.workspace_id = $1 AND (i.folder_key IS NULL OR f.folder_id IS NOT NULL) AND (i.document_key IS NULL OR d.document_id IS NOT NULL)`

func scanInvitation(row pgx.CollectableRow) (i Invitation, at string, err error) {
	err = row.Scan(&i.ID, &i.Email, &i.EmailKey, &i.OrganizationID, &i.FolderID, &i.DocumentID, &i.Role, &i.Status,
		&i.By, &i.UserID, &i.CreatedAt, &i.RespondedAt, &i.MailedAt)
	return i, i.ID, err
}

// readInvitation reads the newest invitation to a place; nil when there was none.
func readInvitation(ctx context.Context, tx *pg.Tx, workspaceID string, at Scope, emailKey string) (*Invitation, error) {
	rows, err := tx.Query(ctx, invitations+` AND i.organization_key = $2 AND i.email_key = $3
AND i.folder_key IS NOT DISTINCT FROM $4 AND i.document_key IS NOT DISTINCT FROM $5 ORDER BY i.id DESC LIMIT 1`,
		workspaceID, at.Organization, emailKey, at.folder, at.Document)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectOneRow(rows, func(row pgx.CollectableRow) (*Invitation, error) {
		i, _, err := scanInvitation(row)
		return &i, err
	})
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // nobody was invited there
	}
	return found, err
}

// InvitationSent is what a caller sends of an invitation. By is nil for nobody, Mail for no mail.
type InvitationSent struct {
	Invited

	Role string
	By   *person.Person
	Mail *InvitationMail
}

// Add invites somebody, or returns the pending invitation with the role that is sent. It is mailed
// unless that was done within the hour. Errors: NOT_FOUND of the place; RESOURCE_EXHAUSTED (invitation-quota).
func (s *Invitations) Add(ctx context.Context, workspaceID string, sent InvitationSent) (found *Invitation, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err := sent.container().open(ctx, tx, workspaceID, LockPeople)
		if err != nil {
			return err
		}
		if found, err = sent.keep(ctx, tx, workspaceID, at); err != nil {
			return err
		}
		return s.tell(ctx, tx, workspaceID, sent, found)
	})
	return found, err
}

const (
	renewInvitation = `UPDATE invitations SET role = $3 WHERE workspace_id = $1 AND id = $2`
	addInvitation   = `
INSERT INTO invitations (id, workspace_id, organization_key, folder_key, document_key, email, email_key, role, invited_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
)

// keep makes the invitation, or gives the pending one its role, and returns it.
func (s InvitationSent) keep(ctx context.Context, tx *pg.Tx, workspaceID string, at Scope) (*Invitation, error) {
	found, err := readInvitation(ctx, tx, workspaceID, at, s.EmailKey)
	if err != nil {
		return nil, err
	}
	if found != nil && found.Status == InvitationPending {
		found.Role = s.Role
		_, err = tx.Exec(ctx, renewInvitation, workspaceID, found.ID, s.Role)
		return found, err
	}
	if err := mayInvite(ctx, tx, at.Organization); err != nil {
		return nil, err
	}
	var by json.RawMessage
	if s.By != nil {
		by = s.By.Snapshot()
	}
	if _, err := tx.Exec(ctx, addInvitation, id.New(id.Invitation), workspaceID, at.Organization, at.folder, at.Document, s.Email, s.EmailKey, s.Role, by); err != nil {
		return nil, err
	}
	return readInvitation(ctx, tx, workspaceID, at, s.EmailKey)
}

// mayInvite refuses an organization of which too many invitations are pending.
func mayInvite(ctx context.Context, tx *pg.Tx, organization int64) error {
	var pending int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM invitations WHERE organization_key = $1 AND status = 'PENDING'`, organization).Scan(&pending)
	if err == nil && pending >= MaxPendingInvitations {
		err = fault.ResourceExhausted("invitation-quota", fmt.Sprintf("the organization has %d pending invitations; withdraw some", pending), 0)
	}
	return err
}

// tell mails an invitation, and notes when.
func (s *Invitations) tell(ctx context.Context, tx *pg.Tx, workspaceID string, sent InvitationSent, found *Invitation) error {
	if sent.Mail == nil {
		return nil
	}
	var due bool
	err := tx.QueryRow(ctx, `SELECT mailed_at IS NULL OR mailed_at <= clock_timestamp() - $3::text::interval FROM invitations WHERE workspace_id = $1 AND id = $2`,
		workspaceID, found.ID, invitedAgain).Scan(&due)
	if err != nil || !due {
		return err
	}
	mailed, err := s.mail(ctx, tx, workspaceID, sent.Invited, *sent.Mail)
	if err != nil || !mailed {
		return err
	}
	return tx.QueryRow(ctx, `UPDATE invitations SET mailed_at = clock_timestamp() WHERE workspace_id = $1 AND id = $2 RETURNING mailed_at`,
		workspaceID, found.ID).Scan(&found.MailedAt)
}

// InvitationResponse is what becomes of an invitation. Proved says that User, who accepts it, is known to
// have the e-mail; it is nil with any other status.
type InvitationResponse struct {
	Invited

	Status string
	User   *ProfileChange
	Proved bool
}

// has reports whether the invitation is as the response wants it.
func (r InvitationResponse) has(found *Invitation) bool {
	return found.Status == r.Status && (r.User == nil || *found.UserID == r.User.UserID)
}

// Respond ends an invitation, and returns it; who accepts one is added to its place in the same transaction. Errors:
// NOT_FOUND of the place and the invitation; PERMISSION_DENIED (token-refused); FAILED_PRECONDITION (not-pending).
func (s *Invitations) Respond(ctx context.Context, workspaceID string, r InvitationResponse) (found *Invitation, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err := r.container().open(ctx, tx, workspaceID, LockPeople)
		if err != nil {
			return err
		}
		found, err = readInvitation(ctx, tx, workspaceID, at, r.EmailKey)
		switch {
		case err != nil:
			return err
		case found == nil:
			return fault.NotFoundResource("invitation", r.Email)
		case r.User != nil && !r.Proved:
			return fault.PermissionDenied("token-refused", "authToken is not valid for this user and this e-mail")
		case r.has(found):
			return nil
		case found.Status != InvitationPending:
			return fault.FailedPrecondition("not-pending", "the invitation is not pending any more: it is "+found.Status)
		default:
			return r.end(ctx, tx, workspaceID, at, found)
		}
	})
	return found, err
}

// end gives an invitation its last state.
func (r InvitationResponse) end(ctx context.Context, tx *pg.Tx, workspaceID string, at Scope, found *Invitation) error {
	if r.User != nil {
		found.UserID, r.User.Role = &r.User.UserID, found.Role
		if err := admit(ctx, tx, workspaceID, at, []sentUser{{*r.User, []string{"user"}}}); err != nil {
			return err
		}
	}
	found.Status = r.Status
	return tx.QueryRow(ctx, `UPDATE invitations SET status = $3, user_id = $4, responded_at = clock_timestamp() WHERE workspace_id = $1 AND id = $2 RETURNING responded_at`,
		workspaceID, found.ID, r.Status, found.UserID).Scan(&found.RespondedAt)
}

// InvitationFilter narrows a list of invitations of an organization; what is empty does not.
type InvitationFilter struct {
	OrganizationID string `json:"organizationId"`
	EmailKey       string `json:"emailKey"`
	Status         string `json:"status"`
	Kind           string `json:"kind"`
}

// Kinds of invitations, by what they are to.
const (
	InvitedToOrganization = "org_user"
	InvitedToDocument     = "doc_user"
	InvitedToFolder       = "folder_user"
)

// Kind returns what the invitation is to.
func (i Invited) Kind() string {
	switch {
	case i.DocumentID != "":
		return InvitedToDocument
	case i.FolderID != "":
		return InvitedToFolder
	default:
		return InvitedToOrganization
	}
}

// ofKind are the conditions for the kinds of invitations.
var ofKind = map[string]string{
	InvitedToOrganization: "i.document_key IS NULL AND i.folder_key IS NULL", InvitedToDocument: "i.document_key IS NOT NULL", InvitedToFolder: "i.folder_key IS NOT NULL",
}

func (f InvitationFilter) conditions(workspaceID string) *pg.Conditions {
	q := pg.NewConditions(workspaceID)
	q.And("i.organization_key = "+OrganizationOf, f.OrganizationID)
	q.Equal("i.email_key", f.EmailKey)
	q.Equal("i.status", f.Status)
	if f.Kind != "" {
		q.And(ofKind[f.Kind])
	}
	return q
}

// InvitationPage is a page of invitations; its position is the id of the last one.
type InvitationPage = list.Page[Invitation, string]

var newestInvitation = list.Descending("i.id")

// Get reads invitations, newest first.
func (s *Invitations) Get(ctx context.Context, workspaceID string, f InvitationFilter, after *string, size int) (*InvitationPage, error) {
	q := f.conditions(workspaceID)
	if after != nil {
		newestInvitation.After(q, *after)
	}
	rows, err := s.db.Pool.Query(ctx, newestInvitation.First(q, invitations, size), q.Args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var found list.Found[Invitation, string]
	if err := found.Collect(scanInvitation)(rows); err != nil {
		return nil, pg.Translate(err)
	}
	found.Cut(size)
	return found.Page(), nil
}

// CountPending returns how many invitations of a kind are pending in an organization.
func (s *Invitations) CountPending(ctx context.Context, workspaceID, organizationID, kind string) (n int64, err error) {
	q := InvitationFilter{OrganizationID: organizationID, Status: InvitationPending, Kind: kind}.conditions(workspaceID)
	err = s.db.Pool.QueryRow(ctx, `SELECT count(*) FROM (`+invitations+q.Text()+`) i`, q.Args...).Scan(&n)
	return n, pg.Translate(err)
}

package workspace

import (
	"context"
	"strings"

	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
)

// MaxOwned is how many workspaces one e-mail address owns at most.
const MaxOwned = 5

// NewWorkspace is what a workspace is made from; nil is a default.
type NewWorkspace struct {
	Email email.Address
	// OwnerName defaults to the address as it was sent.
	OwnerName *string
	// Name defaults to OwnerName and " workspace".
	Name   *string
	Avatar *string
}

func (n NewWorkspace) ownerName() string {
	if n.OwnerName != nil {
		return *n.OwnerName
	}
	return n.Email.Raw
}

func (n NewWorkspace) name() string {
	if n.Name != nil {
		return *n.Name
	}
	return n.ownerName() + " workspace"
}

// Create makes a workspace with its owner, a first key of type testing and that
// key's token. Refusals, in this order: the owner has one of this name
// (workspace-exists), owns MaxOwned (workspace-quota), owns one and its oldest
// is not on the plan paid (plan-required). A refused plan leaves an audit row
// with the oldest workspace.
func (s *Workspaces) Create(ctx context.Context, caller Caller, n NewWorkspace) (*Workspace, error) {
	var made *Workspace
	// Most refusals are seen without the lock, for which a connection would wait.
	root, err := mayCreate(ctx, s.db.Gorm, n)
	if err == nil {
		err = s.db.InTx(ctx, func(tx *pg.Tx) error {
			owner, err := lockOwner(ctx, tx, n.Email.Key())
			if err != nil {
				return err
			}
			if root, err = mayCreate(ctx, tx.Gorm(), n); err != nil {
				return err
			}
			made, err = s.insert(ctx, tx, caller, owner, n)
			return err
		})
	}
	if fault.Is(err, fault.StatusPermissionDenied) {
		caller.WorkspaceID = root
		if kept := refusedPublic(ctx, s.db, caller); kept != nil {
			return nil, kept
		}
	}
	return made, err
}

// mayCreate checks whether an owner may have the new workspace beside those that they have, and returns
// the oldest of these.
func mayCreate(ctx context.Context, db *gorm.DB, n NewWorkspace) (root string, err error) {
	owned, err := gorm.G[workspaceRow](db).Where("owner_id IN (SELECT id FROM owners WHERE email_key = ?)", n.Email.Key()).
		Order("created_at, id").Find(ctx)
	if err != nil {
		return "", pg.Translate(err)
	}
	if len(owned) > 0 {
		root = owned[0].ID
	}
	return root, mayOwnAnother(owned, nameKey(n.name()))
}

// nameKey is the form in which names of workspaces are compared.
func nameKey(name string) string { return email.Fold(strings.TrimSpace(name)) }

// mayOwnAnother checks whether an owner may have another workspace beside these,
// which come oldest first.
func mayOwnAnother(owned []workspaceRow, nameKey string) error {
	for _, row := range owned {
		if row.NameKey == nameKey {
			return fault.AlreadyExists("workspace-exists", "this e-mail address already owns a workspace of this name")
		}
	}
	if len(owned) >= MaxOwned {
		return fault.ResourceExhausted("workspace-quota", "this e-mail address owns as many workspaces as it may", 0)
	}
	if len(owned) > 0 && owned[0].Plan != PlanPaid {
		return fault.PermissionDenied("plan-required", "a further workspace needs the oldest one on the plan paid")
	}
	return nil
}

func (s *Workspaces) insert(ctx context.Context, tx *pg.Tx, caller Caller, owner ownerRow, n NewWorkspace) (*Workspace, error) {
	row, _ := workspaceRow{
		ID: id.New(id.Workspace), OwnerID: owner.ID, Name: n.name(), NameKey: nameKey(n.name()),
		OwnerEmail: n.Email.Raw, OwnerName: n.ownerName(), OwnerAvatar: n.Avatar, Plan: PlanFree,
	}.withNewToken(s.box)
	if err := gorm.G[workspaceRow](tx.Gorm()).Create(ctx, &row); err != nil {
		return nil, err
	}
	key := apiKeyRow{
		ID: id.New(id.APIKey), WorkspaceID: row.ID, Type: KeyTesting,
		Name: DefaultKeyName(n.Email, KeyTesting), OwnerEmail: n.Email.Raw,
	}
	if err := gorm.G[apiKeyRow](tx.Gorm()).Create(ctx, &key); err != nil {
		return nil, err
	}
	if _, err := putToken(ctx, tx, s.box, key); err != nil {
		return nil, err
	}
	caller.WorkspaceID, caller.APIKeyID = row.ID, ""
	if err := caller.Audit(row.ID, "workspace", "apiKey", "authToken").write(ctx, tx); err != nil {
		return nil, err
	}
	return s.view(ctx, tx, row)
}

// refusedPublic keeps the refusal of a caller without credentials; the
// workspace of the row is the one whose state refused.
func refusedPublic(ctx context.Context, db *pg.DB, caller Caller) error {
	row := caller.Audit(caller.WorkspaceID)
	row.Actor, row.Outcome = publicActor, AuditDenied
	return db.InTx(ctx, func(tx *pg.Tx) error { return row.write(ctx, tx) })
}

package workspace

import (
	"context"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Operator is a person who runs the service and changes what no tenant may.
// Every change leaves an audit row with the person's name; each takes effect
// with the next request, as nothing of it is kept in memory anywhere.
//
// It is the one store whose methods are not limited to a workspace.
type Operator struct {
	db     *pg.DB
	box    *secret.Box
	person string
}

// NewOperator makes the store for one person. Box is needed by ResetToken alone.
func NewOperator(db *pg.DB, box *secret.Box, person string) *Operator {
	return &Operator{db: db, box: box, person: person}
}

// change runs fn and the audit row of an operator's change in one transaction.
func (o *Operator) change(ctx context.Context, operation, target string, fields []string, fn func(tx *pg.Tx) (workspaceID string, err error)) error {
	return o.db.InTx(ctx, func(tx *pg.Tx) error {
		workspaceID, err := fn(tx)
		if err != nil {
			return err
		}
		row := Audit{
			WorkspaceID: workspaceID, Actor: o.person, Operation: operation,
			TargetID: target, ChangedFields: fields, Outcome: AuditSuccess,
		}
		return row.write(ctx, tx)
	})
}

// setWorkspace writes columns of a workspace that is not deleted.
func (o *Operator) setWorkspace(ctx context.Context, operation, workspaceID string, set map[string]any) error {
	return o.change(ctx, operation, workspaceID, slices.Sorted(maps.Keys(set)), func(tx *pg.Tx) (string, error) {
		found, err := gorm.G[workspaceRow](tx.Gorm()).Where("id = ? AND deleted_at IS NULL", workspaceID).Set(clause.Assignments(set)).Update(ctx)
		if err == nil && found == 0 {
			err = fault.NotFound("workspace")
		}
		return workspaceID, err
	})
}

// SetPlan moves a workspace to a plan.
func (o *Operator) SetPlan(ctx context.Context, workspaceID, plan string) error {
	return o.setWorkspace(ctx, "admin workspace set-plan", workspaceID, map[string]any{"plan": plan})
}

// Suspend closes the interface for a workspace; executions and deliveries go on, and what they wait
// for comes in.
func (o *Operator) Suspend(ctx context.Context, workspaceID string) error {
	return o.setWorkspace(ctx, "admin workspace suspend", workspaceID, map[string]any{"suspended_at": pg.Clock})
}

// Stop closes the interface for a workspace and stops its work: from the commit on no call, delivery,
// mail, ingestion or job of it begins. What is under way ends, what comes due waits, and schedules
// do not fire.
func (o *Operator) Stop(ctx context.Context, workspaceID string) error {
	return o.setWorkspace(ctx, "admin workspace stop", workspaceID, map[string]any{"suspended_at": pg.Clock, "stopped_at": pg.Clock})
}

// Resume undoes Suspend and Stop: work goes on from the rows, and what came due meanwhile is due now.
func (o *Operator) Resume(ctx context.Context, workspaceID string) error {
	return o.setWorkspace(ctx, "admin workspace resume", workspaceID, map[string]any{"suspended_at": nil, "stopped_at": nil})
}

// ResetToken gives a workspace another token, which it returns in the clear;
// the old one is dead at once.
func (o *Operator) ResetToken(ctx context.Context, workspaceID string) (string, error) {
	row, token := workspaceRow{ID: workspaceID}.withNewToken(o.box)
	err := o.change(ctx, "admin workspace reset-token", workspaceID, []string{"authToken"}, func(tx *pg.Tx) (string, error) {
		found, err := gorm.G[workspaceRow](tx.Gorm()).Where("id = ?", workspaceID).Set(
			assign("token_mac", row.TokenMac), assign("hash_key_id", row.HashKeyID), assign("token_sealed", row.TokenSealed),
		).Update(ctx)
		if err == nil && found == 0 {
			err = fault.NotFound("workspace")
		}
		return workspaceID, err
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// releasedKey begins the owners of workspaces whose address was released; no address has
// such a key.
const releasedKey = "released/"

// ReleaseEmail frees the address of a workspace for somebody else: the workspace goes on
// as it is, with an owner of its own, and counts no more among those of its address.
func (o *Operator) ReleaseEmail(ctx context.Context, workspaceID string) error {
	return o.change(ctx, "admin workspace release-email", workspaceID, []string{"owner"}, func(tx *pg.Tx) (string, error) {
		row, err := takeWorkspace(ctx, tx, workspaceID)
		if err != nil {
			return "", err
		}
		// Whoever makes a workspace for the address meanwhile holds the row of its owner.
		lock := clause.Locking{Strength: clause.LockingStrengthUpdate}
		if _, err := gorm.G[ownerRow](tx.Gorm(), lock).Where("id = ?", row.OwnerID).Take(ctx); err != nil {
			return "", err
		}
		owner, err := lockOwner(ctx, tx, releasedKey+workspaceID)
		if err != nil {
			return "", err
		}
		_, err = gorm.G[workspaceRow](tx.Gorm()).Where("id = ?", workspaceID).Update(ctx, "owner_id", owner.ID)
		return workspaceID, err
	})
}

func assign(column string, value any) clause.Assignment {
	return clause.Assignment{Column: clause.Column{Name: column}, Value: value}
}

// DisableKey closes one key; its workspace's other keys stay open.
func (o *Operator) DisableKey(ctx context.Context, keyID string) error {
	return o.setKey(ctx, "admin apikey disable", keyID, pg.Clock)
}

// EnableKey opens a key again.
func (o *Operator) EnableKey(ctx context.Context, keyID string) error {
	return o.setKey(ctx, "admin apikey enable", keyID, nil)
}

func (o *Operator) setKey(ctx context.Context, operation, keyID string, disabledAt any) error {
	return o.change(ctx, operation, keyID, []string{"disabledAt"}, func(tx *pg.Tx) (string, error) {
		key, err := takeKey(ctx, gorm.G[apiKeyRow](tx.Gorm()).Where("id = ?", keyID))
		if err != nil {
			return "", err
		}
		_, err = gorm.G[apiKeyRow](tx.Gorm()).Where("id = ?", keyID).Update(ctx, "disabled_at", disabledAt)
		return key.WorkspaceID, err
	})
}

// SetLimit sets a limit for one workspace; 0 switches it off, nil gives the
// default back.
func (o *Operator) SetLimit(ctx context.Context, workspaceID, name string, value *int) error {
	return o.change(ctx, "admin limits set", workspaceID, []string{name}, func(tx *pg.Tx) (string, error) {
		if _, err := takeWorkspace(ctx, tx, workspaceID); err != nil {
			return "", err
		}
		if value == nil {
			_, err := gorm.G[limitRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("name = ?", name).Delete(ctx)
			return workspaceID, err
		}
		row := limitRow{WorkspaceID: workspaceID, Name: name, Value: int64(*value)}
		replace := clause.OnConflict{
			Columns:   []clause.Column{{Name: "workspace_id"}, {Name: "name"}},
			DoUpdates: clause.Assignments(map[string]any{"value": *value, "set_at": pg.Clock}),
		}
		return workspaceID, gorm.G[limitRow](tx.Gorm(), replace).Create(ctx, &row)
	})
}

// Note keeps that an operation on no single workspace was begun.
func (o *Operator) Note(ctx context.Context, operation string) error {
	return o.change(ctx, operation, "", nil, func(*pg.Tx) (string, error) { return "", nil })
}

// Summary is a workspace as an operator sees it: no secrets.
type Summary struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	OwnerID     string     `json:"ownerId"`
	OwnerEmail  string     `json:"ownerEmail"`
	Plan        string     `json:"plan"`
	SuspendedAt *time.Time `json:"suspendedAt"`
	StoppedAt   *time.Time `json:"stoppedAt"`
	DeletedAt   *time.Time `json:"deletedAt"`
	CreatedAt   time.Time  `json:"createdAt"`
}

func (row workspaceRow) summary() Summary {
	return Summary{
		ID: row.ID, Name: row.Name, OwnerID: row.OwnerID, OwnerEmail: row.OwnerEmail,
		Plan: row.Plan, SuspendedAt: row.SuspendedAt, StoppedAt: row.StoppedAt, DeletedAt: row.DeletedAt, CreatedAt: row.CreatedAt,
	}
}

// Workspaces returns workspaces newest first, at most limit, after the given one
// (nil is from the beginning), of one owner's address if emailKey is not empty.
func (o *Operator) Workspaces(ctx context.Context, emailKey string, after *Summary, limit int) ([]Summary, error) {
	query := gorm.G[workspaceRow](o.db.Gorm).Order("created_at DESC, id DESC").Limit(limit)
	if emailKey != "" {
		query = query.Where("owner_id IN (SELECT id FROM owners WHERE email_key = ?)", emailKey)
	}
	if after != nil {
		query = query.Where("(created_at, id) < (?, ?)", after.CreatedAt, after.ID)
	}
	rows, err := query.Find(ctx)
	found := make([]Summary, len(rows))
	for i, row := range rows {
		found[i] = row.summary()
	}
	return found, pg.Translate(err)
}

// KeySummary is an API key as an operator sees it.
type KeySummary struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Type       string     `json:"type"`
	HasToken   bool       `json:"hasToken"`
	DisabledAt *time.Time `json:"disabledAt"`
	CreatedAt  time.Time  `json:"createdAt"`
}

// Details is a workspace with its keys and the limits set for it.
type Details struct {
	Summary
	Keys   []KeySummary   `json:"keys"`
	Limits map[string]int `json:"limits"`
}

// Workspace returns one workspace with its keys, oldest first.
func (o *Operator) Workspace(ctx context.Context, workspaceID string) (*Details, error) {
	var found *Details
	err := o.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := takeWorkspace(ctx, tx, workspaceID)
		if err != nil {
			return err
		}
		found = &Details{Summary: row.summary(), Keys: []KeySummary{}, Limits: map[string]int{}}
		// One trip for keys and tokens together.
		err = tx.Gorm().WithContext(ctx).Raw(`
			SELECT k.id, k.name, k.type, t.api_key_id IS NOT NULL AS has_token, k.disabled_at, k.created_at
			FROM api_keys k LEFT JOIN auth_tokens t ON t.api_key_id = k.id
			WHERE k.workspace_id = ? ORDER BY k.created_at, k.id`, workspaceID).Scan(&found.Keys).Error
		if err != nil {
			return err
		}
		limits, err := gorm.G[limitRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Find(ctx)
		for _, set := range limits {
			found.Limits[set.Name] = int(set.Value)
		}
		return err
	})
	return found, err
}

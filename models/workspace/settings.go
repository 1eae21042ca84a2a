package workspace

import (
	"context"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Settings reads and changes what a workspace's keys have set for it.
type Settings struct{ db *pg.DB }

// NewSettings makes the store.
func NewSettings(db *pg.DB) *Settings { return &Settings{db: db} }

// SettingsView are the settings of a workspace, and the label of the key
// that asks.
type SettingsView struct {
	OwnerEmail, Plan string
	// DefaultAccess is the access type of documents and folders made from now on.
	DefaultAccess   string
	PrivateComments bool
	// AutoMembers makes authors of comments members of the organization.
	AutoMembers     bool
	AdvancedQueries bool
}

// SettingsChange is what an update sends; nil leaves a setting.
type SettingsChange struct {
	DefaultAccess                                 *string
	PrivateComments, AutoMembers, AdvancedQueries *bool
}

// fields are the names of what changes, for the audit row.
func (c SettingsChange) fields() []string {
	return SentNames(
		Sent("defaultDocumentAccessType", c.DefaultAccess != nil),
		Sent("enablePrivateComments", c.PrivateComments != nil),
		Sent("requireAutoOrgUser", c.AutoMembers != nil),
		Sent("enableAdvancedQueries", c.AdvancedQueries != nil),
	)
}

// readSettings takes one trip for the workspace and the key that asks.
const readSettings = `
SELECT k.owner_email, w.plan, w.default_access, w.private_comments, w.auto_members, w.advanced_queries
FROM workspaces w JOIN api_keys k ON k.workspace_id = w.id WHERE w.id = $1 AND k.id = $2`

// Get returns the settings as the calling key sees them.
func (s *Settings) Get(ctx context.Context, workspaceID string, caller Caller) (*SettingsView, error) {
	return takeSettings(ctx, s.db.Pool, workspaceID, caller.APIKeyID)
}

func takeSettings(ctx context.Context, q pg.RowQueryer, workspaceID, keyID string) (*SettingsView, error) {
	var v SettingsView
	err := q.QueryRow(ctx, readSettings, workspaceID, keyID).
		Scan(&v.OwnerEmail, &v.Plan, &v.DefaultAccess, &v.PrivateComments, &v.AutoMembers, &v.AdvancedQueries)
	if pg.IsNoRow(err) {
		return nil, fault.NotFound("API key")
	}
	return &v, pg.Translate(err)
}

// Update changes what is sent and returns the new state. Changes of different
// settings at one time both stay.
func (s *Settings) Update(ctx context.Context, workspaceID string, caller Caller, c SettingsChange) (*SettingsView, error) {
	var after *SettingsView
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		err := c.write(ctx, tx, workspaceID)
		if err != nil {
			return err
		}
		if after, err = takeSettings(ctx, tx, workspaceID, caller.APIKeyID); err != nil {
			return err
		}
		return caller.Audit(workspaceID, c.fields()...).write(ctx, tx)
	})
	return after, err
}

// write changes the columns that are sent.
func (c SettingsChange) write(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	set := slices.Concat(
		assignSent("default_access", c.DefaultAccess), assignSent("private_comments", c.PrivateComments),
		assignSent("auto_members", c.AutoMembers), assignSent("advanced_queries", c.AdvancedQueries),
	)
	if len(set) == 0 {
		return nil
	}
	_, err := gorm.G[workspaceRow](tx.Gorm()).Where("id = ?", workspaceID).Set(set...).Update(ctx)
	return err
}

func assignSent[T any](column string, sent *T) []clause.Assigner {
	if sent == nil {
		return nil
	}
	return []clause.Assigner{assign(column, *sent)}
}

// AdvancedQueries reports whether the workspace allows the reads that depend on
// that setting.
func (s *Settings) AdvancedQueries(ctx context.Context, workspaceID string) (bool, error) {
	row, err := gorm.G[workspaceRow](s.db.Gorm).Select("advanced_queries").Where("id = ?", workspaceID).Take(ctx)
	return row.AdvancedQueries, pg.Translate(err)
}

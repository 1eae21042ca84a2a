package workspace

import (
	"context"

	"gorm.io/gorm"

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

const readSettings = `
SELECT k.owner_email, w.plan, w.default_access, w.private_comments, w.auto_members, w.advanced_queries
FROM workspaces w JOIN api_keys k ON k.workspace_id = w.id WHERE w.id = ? AND k.id = ?`

// Get gives the settings as the calling key sees them.
func (s *Settings) Get(ctx context.Context, workspaceID string, caller Caller) (*SettingsView, error) {
	return takeSettings(s.db.Gorm.WithContext(ctx), workspaceID, caller.APIKeyID)
}

func takeSettings(tx *gorm.DB, workspaceID, keyID string) (*SettingsView, error) {
	var v SettingsView
	err := tx.Raw(readSettings, workspaceID, keyID).Row().
		Scan(&v.OwnerEmail, &v.Plan, &v.DefaultAccess, &v.PrivateComments, &v.AutoMembers, &v.AdvancedQueries)
	if pg.IsNoRow(err) {
		return nil, fault.Missing("API key")
	}
	return &v, pg.Translate(err)
}

// Update changes what is sent and gives the new state. Changes of different
// settings at one time both stay.
func (s *Settings) Update(ctx context.Context, workspaceID string, caller Caller, c SettingsChange) (*SettingsView, error) {
	var after *SettingsView
	err := s.db.GormTx(ctx, func(tx *gorm.DB) error {
		err := tx.Exec(`UPDATE workspaces SET default_access = coalesce(?, default_access), private_comments = coalesce(?, private_comments),
       auto_members = coalesce(?, auto_members), advanced_queries = coalesce(?, advanced_queries) WHERE id = ?`,
			c.DefaultAccess, c.PrivateComments, c.AutoMembers, c.AdvancedQueries, workspaceID).Error
		if err != nil {
			return err
		}
		if after, err = takeSettings(tx, workspaceID, caller.APIKeyID); err != nil {
			return err
		}
		return caller.Audit(workspaceID, c.fields()...).write(ctx, tx)
	})
	return after, err
}

// AdvancedQueries gives whether the workspace allows the reads that depend on
// that setting.
func (s *Settings) AdvancedQueries(ctx context.Context, workspaceID string) (bool, error) {
	var on bool
	err := s.db.Pool.QueryRow(ctx, `SELECT advanced_queries FROM workspaces WHERE id = $1`, workspaceID).Scan(&on)
	return on, pg.Translate(err)
}

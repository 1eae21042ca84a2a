package workspace

import (
	"context"

	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Names of the quotas that an operator may set for one workspace, beside the
// rate classes of package limit. 0 is no limit.
const (
	LimitKeysTesting    = "keys-testing"
	LimitKeysProduction = "keys-production"
	LimitEndpoints      = "endpoints"
	// The bytes that it may keep (models/quota).
	LimitFiles    = "files-bytes"
	LimitRows     = "rows-bytes"
	LimitMessages = "messages-bytes"
)

// LimitNames are all limits that may be set for one workspace.
func LimitNames() []string {
	return []string{
		string(limit.Key), string(limit.Workspace),
		string(limit.KnowledgeUpload), string(limit.KnowledgeIngest), string(limit.KnowledgeStatus), string(limit.KnowledgeSearch),
		string(limit.KnowledgeList), string(limit.KnowledgeRules), string(limit.KnowledgeDownload), string(limit.KnowledgeDelete), string(limit.KnowledgeRetry),
		string(limit.KnowledgeUpdate),
		string(limit.JudgmentsQuery), string(limit.JudgmentsRecord), string(limit.JudgmentsDelete),
		string(limit.MemorySearch), string(limit.MemorySuggest), string(limit.MemoryStats), string(limit.MemoryProfiles),
		string(limit.MemoryAsk), string(limit.PatternsGet),
		LimitKeysTesting, LimitKeysProduction, LimitEndpoints, LimitFiles, LimitRows, LimitMessages,
	}
}

// Limits reads what operators have set instead of the defaults.
type Limits struct{ db *pg.DB }

// NewLimits makes the store.
func NewLimits(db *pg.DB) *Limits { return &Limits{db: db} }

// Limit returns the value set for a workspace; ok is false where nothing is set.
func (s *Limits) Limit(ctx context.Context, workspaceID, name string) (value int, ok bool, err error) {
	row, err := takeLimit(ctx, s.db.Gorm, workspaceID, name)
	if pg.IsNoRow(err) {
		return 0, false, nil
	}
	return int(row.Value), err == nil, pg.Translate(err)
}

// limitInForce is the value set for a workspace, or the usual one.
func limitInForce(ctx context.Context, tx *pg.Tx, workspaceID, name string, usual int) (int, error) {
	row, err := takeLimit(ctx, tx.Gorm(), workspaceID, name)
	if pg.IsNoRow(err) {
		return usual, nil
	}
	return int(row.Value), err
}

func takeLimit(ctx context.Context, orm *gorm.DB, workspaceID, name string) (limitRow, error) {
	return gorm.G[limitRow](orm).Scopes(pg.Tenant(workspaceID)).Where("name = ?", name).Take(ctx)
}

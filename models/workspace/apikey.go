package workspace

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Types of API keys. They have the same rights; the type is a label for people
// and for quotas.
const (
	KeyTesting    = "testing"
	KeyProduction = "production"
)

// APIKey is a credential of a workspace; its id is public.
type APIKey struct {
	ID, Name, Type string
	CreatedAt      time.Time
}

func (row apiKeyRow) view() APIKey {
	return APIKey{ID: row.ID, Name: row.Name, Type: row.Type, CreatedAt: row.CreatedAt}
}

// keyNameEndings follow the capitalised local part of the owner's address.
var keyNameEndings = map[string]string{
	KeyTesting:    " Test API Key",
	KeyProduction: " Production API Key",
}

// DefaultKeyName is the name of a key that was given none.
func DefaultKeyName(owner email.Address, keyType string) string {
	return owner.Capitalised() + keyNameEndings[keyType]
}

// KeyQuotas are how many keys of each type a workspace has at most, testing keys by its plan;
// 0 is no limit.
type KeyQuotas struct{ TestingFree, TestingPaid, Production int }

// Keys creates and reads API keys and their tokens.
type Keys struct {
	db     *pg.DB
	box    *secret.Box
	quotas KeyQuotas
}

// NewKeys makes the store.
func NewKeys(db *pg.DB, box *secret.Box, quotas KeyQuotas) *Keys {
	return &Keys{db: db, box: box, quotas: quotas}
}

// NewKey is what a key is made from.
type NewKey struct {
	Owner email.Address
	Type  string
	Name  string
	// WithToken makes the key's first token too.
	WithToken bool
	// Domains are the allowed ones in their normal form, each once.
	Domains []string
}

// Create makes a key; token is empty without WithToken. Refusals: a production
// key without the plan paid (plan-required), as many keys of the type as there
// may be (key-quota).
func (s *Keys) Create(ctx context.Context, workspaceID string, caller Caller, n NewKey) (keyID, token string, err error) {
	key := apiKeyRow{ID: id.New(id.APIKey), WorkspaceID: workspaceID, Name: n.Name, Type: n.Type, OwnerEmail: n.Owner.Raw}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := s.mayCreate(ctx, tx, workspaceID, n.Type); err != nil {
			return err
		}
		if err := gorm.G[apiKeyRow](tx.Gorm()).Create(ctx, &key); err != nil {
			return err
		}
		changed := []string{"apiKey"}
		if n.WithToken {
			if token, err = putToken(ctx, tx, s.box, key); err != nil {
				return err
			}
			changed = append(changed, "authToken")
		}
		if len(n.Domains) > 0 {
			if err := addDomains(ctx, tx, key, n.Domains); err != nil {
				return err
			}
			changed = append(changed, "allowedDomains")
		}
		return caller.Audit(key.ID, changed...).write(ctx, tx)
	})
	if err != nil {
		return "", "", err
	}
	return key.ID, token, nil
}

// mayCreate holds the workspace's row, so that parallel calls count one by one.
func (s *Keys) mayCreate(ctx context.Context, tx *pg.Tx, workspaceID, keyType string) error {
	lock := clause.Locking{Strength: "NO KEY UPDATE"}
	row, err := gorm.G[workspaceRow](tx.Gorm(), lock).Where("id = ?", workspaceID).Take(ctx)
	if pg.IsNoRow(err) {
		return fault.NotFound("workspace")
	}
	if err != nil {
		return err
	}
	usual, name := s.quotas.TestingFree, LimitKeysTesting
	if row.Plan == PlanPaid {
		usual = s.quotas.TestingPaid
	}
	if keyType == KeyProduction {
		if row.Plan != PlanPaid {
			return fault.FailedPrecondition("plan-required", "production keys need the plan paid")
		}
		usual, name = s.quotas.Production, LimitKeysProduction
	}
	most, err := limitInForce(ctx, tx, workspaceID, name, usual)
	if err != nil {
		return err
	}
	count, err := gorm.G[apiKeyRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("type = ?", keyType).Count(ctx, "*")
	if err == nil && most > 0 && count >= int64(most) {
		return fault.ResourceExhausted("key-quota", "the workspace has as many keys of this type as it may", 0)
	}
	return err
}

// Rename gives a key another name.
func (s *Keys) Rename(ctx context.Context, workspaceID string, caller Caller, keyID, name string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		found, err := gorm.G[apiKeyRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("id = ?", keyID).Update(ctx, "name", name)
		if err != nil {
			return err
		}
		if found == 0 {
			return fault.NotFound("API key")
		}
		return caller.Audit(keyID, "apiKeyName").write(ctx, tx)
	})
}

// KeyPosition is where a page of keys ended.
type KeyPosition struct {
	CreatedAt time.Time `json:"c"`
	ID        string    `json:"i"`
}

// KeyPage is a page of keys, newest first.
type KeyPage = list.Page[APIKey, KeyPosition]

var newestKey = list.Descending("created_at", "id")

// List reads a page of keys, newest first. A filter of ids leaves out all others.
func (s *Keys) List(ctx context.Context, workspaceID string, ids []string, after *KeyPosition, size int) (*KeyPage, error) {
	order := newestKey.Scope()
	if after != nil {
		order = newestKey.Scope(after.CreatedAt, after.ID)
	}
	query := gorm.G[apiKeyRow](s.db.Gorm).Scopes(pg.Tenant(workspaceID), order)
	if len(ids) > 0 {
		query = query.Where("id IN ?", ids)
	}
	rows, err := query.Limit(size + 1).Find(ctx)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var found list.Found[APIKey, KeyPosition]
	for _, row := range rows {
		found.Add(row.view(), KeyPosition{row.CreatedAt, row.ID})
	}
	found.Cut(size)
	return found.Page(), nil
}

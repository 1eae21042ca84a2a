package workspace

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/domain"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// MaxDomains is how many allowed domains a key has at most.
const MaxDomains = 1000

// addDomains adds domains that the key does not have yet, in their order.
func addDomains(ctx context.Context, tx *pg.Tx, key apiKeyRow, domains []string) error {
	rows := make([]domainRow, len(domains))
	for i, name := range domains {
		rows[i] = domainRow{WorkspaceID: key.WorkspaceID, APIKeyID: key.ID, Domain: name}
	}
	return gorm.G[domainRow](tx.Gorm()).CreateInBatches(ctx, &rows, len(rows))
}

// domainsOf returns the allowed domains of a key in order of adding.
func domainsOf(ctx context.Context, orm *gorm.DB, workspaceID, keyID string) ([]string, error) {
	rows, err := gorm.G[domainRow](orm).Scopes(pg.Tenant(workspaceID)).Where("api_key_id = ?", keyID).Order("position").Find(ctx)
	domains := make([]string, len(rows))
	for i, row := range rows {
		domains[i] = row.Domain
	}
	return domains, err
}

// CopyDomains makes the list of one key of the workspace that of another. Both are locked in the order
// of their ids. Error: NOT_FOUND.
func (s *Keys) CopyDomains(ctx context.Context, workspaceID string, caller Caller, from, to string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		lock := clause.Locking{Strength: "NO KEY UPDATE"}
		keys, err := gorm.G[apiKeyRow](tx.Gorm(), lock).Scopes(pg.Tenant(workspaceID)).Where("id IN (?, ?)", from, to).Order("id").Find(ctx)
		if err != nil {
			return err
		}
		if len(keys) != 2 {
			return fault.NotFound("API key")
		}
		domains, err := domainsOf(ctx, tx.Gorm(), workspaceID, from)
		if err != nil {
			return err
		}
		if _, err := gorm.G[domainRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("api_key_id = ?", to).Delete(ctx); err != nil {
			return err
		}
		if len(domains) > 0 {
			if err := addDomains(ctx, tx, apiKeyRow{ID: to, WorkspaceID: workspaceID}, domains); err != nil {
				return err
			}
		}
		return caller.Audit(to, "allowedDomains").write(ctx, tx)
	})
}

// Domains keeps the allowed domains of keys and checks pages against them.
type Domains struct{ db *pg.DB }

// NewDomains makes the store.
func NewDomains(db *pg.DB) *Domains { return &Domains{db: db} }

// List returns the allowed domains of a key in order of adding.
func (s *Domains) List(ctx context.Context, workspaceID, keyID string) ([]string, error) {
	domains, err := domainsOf(ctx, s.db.Gorm, workspaceID, keyID)
	return domains, pg.Translate(err)
}

// Add adds domains in their normal form to the list of the calling key. Those that it
// has, or that were named before, are skipped. Error: RESOURCE_EXHAUSTED (domain-quota).
func (s *Domains) Add(ctx context.Context, workspaceID string, caller Caller, domains []string) (added, skipped []string, err error) {
	err = s.change(ctx, workspaceID, caller, func(tx *pg.Tx, key apiKeyRow, have []string) error {
		added, skipped = taken(domains, func(name string) bool { return !slices.Contains(have, name) })
		switch {
		case len(added) == 0:
			return nil
		case len(have)+len(added) > MaxDomains:
			return fault.ResourceExhausted("domain-quota", "the key would have more allowed domains than it may", 0)
		default:
			return addDomains(ctx, tx, key, added)
		}
	})
	return added, skipped, err
}

// Remove takes domains in their normal form from the list of the calling key. Those that
// it has not are skipped.
func (s *Domains) Remove(ctx context.Context, workspaceID string, caller Caller, domains []string) (removed, skipped []string, err error) {
	err = s.change(ctx, workspaceID, caller, func(tx *pg.Tx, key apiKeyRow, have []string) error {
		removed, skipped = taken(domains, func(name string) bool { return slices.Contains(have, name) })
		_, err := gorm.G[domainRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).
			Where("api_key_id = ? AND domain IN ?", key.ID, removed).Delete(ctx)
		return err
	})
	return removed, skipped, err
}

// change runs fn with what the calling key has, whose row is held, so that changes of one
// list follow one another.
func (s *Domains) change(ctx context.Context, workspaceID string, caller Caller, fn func(tx *pg.Tx, key apiKeyRow, have []string) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		lock := clause.Locking{Strength: "NO KEY UPDATE"}
		key, err := takeKey(ctx, gorm.G[apiKeyRow](tx.Gorm(), lock).Scopes(pg.Tenant(workspaceID)).Where("id = ?", caller.APIKeyID))
		if err != nil {
			return err
		}
		have, err := domainsOf(ctx, tx.Gorm(), workspaceID, key.ID)
		if err != nil {
			return err
		}
		if err := fn(tx, key, have); err != nil {
			return err
		}
		return caller.Audit(key.ID, "allowedDomains").write(ctx, tx)
	})
}

// taken divides names in their order into those that are wanted, each once, and all others.
func taken(names []string, wanted func(string) bool) (some, others []string) {
	for _, name := range names {
		if wanted(name) && !slices.Contains(some, name) {
			some = append(some, name)
		} else {
			others = append(others, name)
		}
	}
	return some, others
}

// Allowed reports whether a key's list has the host of a page, itself or by a
// wildcard above it. No key stands for every key of the workspace.
func (s *Domains) Allowed(ctx context.Context, workspaceID, apiKeyID, host string) (bool, error) {
	normal, err := domain.Normalise(host)
	if err != nil {
		return false, nil //nolint:nilerr // a host that cannot be listed is in no list
	}
	entries := []string{normal}
	// The label "www." belongs to the page's name and is below a wildcard.
	if full, err := domain.ASCII(host); err == nil {
		_, above, _ := strings.Cut(full, ".")
		for parent := range domain.Parents(above) {
			entries = append(entries, "*."+parent)
		}
	}
	found, err := gorm.G[domainRow](s.db.Gorm).Scopes(pg.Tenant(workspaceID)).
		Where("(? = '' OR api_key_id = ?) AND domain IN ?", apiKeyID, apiKeyID, entries).Count(ctx, "*")
	return found > 0, pg.Translate(err)
}

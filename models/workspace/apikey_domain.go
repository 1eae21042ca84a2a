package workspace

import (
	"context"
	"strings"

	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/domain"
	"github.com/redline-svc/redline/models/internal/pg"
)

// addDomains adds domains that the key does not have yet, in their order.
func addDomains(ctx context.Context, tx *pg.Tx, key apiKeyRow, domains []string) error {
	rows := make([]domainRow, len(domains))
	for i, name := range domains {
		rows[i] = domainRow{WorkspaceID: key.WorkspaceID, APIKeyID: key.ID, Domain: name}
	}
	return gorm.G[domainRow](tx.Gorm()).CreateInBatches(ctx, &rows, len(rows))
}

// domainsOf gives the allowed domains of a key in order of adding.
func domainsOf(ctx context.Context, tx *pg.Tx, key apiKeyRow) ([]string, error) {
	rows, err := gorm.G[domainRow](tx.Gorm()).Scopes(pg.Tenant(key.WorkspaceID)).
		Where("api_key_id = ?", key.ID).Order("position").Find(ctx)
	domains := make([]string, len(rows))
	for i, row := range rows {
		domains[i] = row.Domain
	}
	return domains, err
}

// Domains checks pages against the allowed domains of keys.
type Domains struct{ db *pg.DB }

// NewDomains makes the store.
func NewDomains(db *pg.DB) *Domains { return &Domains{db: db} }

// Allowed gives whether a key's list has the host of a page, itself or by a
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

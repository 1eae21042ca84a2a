package models

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// domainRow is an allowed domain of a key, in its normal form.
type domainRow struct {
	WorkspaceID string `gorm:"primaryKey"`
	APIKeyID    string `gorm:"primaryKey"`
	Domain      string `gorm:"primaryKey"`
	// Position is the order of adding, given by the database.
	Position int64     `gorm:"->"`
	AddedAt  time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (domainRow) TableName() string { return "api_key_domains" }

// addDomains adds domains that the key does not have yet, in their order.
func addDomains(ctx context.Context, tx *gorm.DB, key apiKeyRow, domains []string) error {
	rows := make([]domainRow, len(domains))
	for i, domain := range domains {
		rows[i] = domainRow{WorkspaceID: key.WorkspaceID, APIKeyID: key.ID, Domain: domain}
	}
	return gorm.G[domainRow](tx).CreateInBatches(ctx, &rows, len(rows))
}

// domainsOf gives the allowed domains of a key in order of adding.
func domainsOf(ctx context.Context, tx *gorm.DB, key apiKeyRow) ([]string, error) {
	rows, err := gorm.G[domainRow](tx).Scopes(tenant(key.WorkspaceID)).
		Where("api_key_id = ?", key.ID).Order("position").Find(ctx)
	domains := make([]string, len(rows))
	for i, row := range rows {
		domains[i] = row.Domain
	}
	return domains, err
}

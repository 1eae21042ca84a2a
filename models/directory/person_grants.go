package directory

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// PersonGrant is what a person was granted: the organization, or a folder or document of it.
type PersonGrant struct {
	Type, ID, Role string
	// ExpiresAt is nil for a grant without an end.
	ExpiresAt *time.Time
}

// PersonGrantPosition is where a page of grants ended: at when one was made, by what it is on, and the key of that.
type PersonGrantPosition struct {
	At   time.Time `json:"t"`
	Rank int       `json:"r"`
	Key  int64     `json:"k"`
}

// PersonGrantPage is a page of grants, newest first.
type PersonGrantPage = list.Page[PersonGrant, PersonGrantPosition]

var newestGrant = list.Descending("p.granted_at", "p.rank", "p.key")

// grantsOf are the unexpired grants of the person $2 in the organization $1.
const grantsOf = `
SELECT p.granted_at, p.rank, p.key, p.type, p.id, p.role, p.expires_at FROM (
    SELECT CASE WHEN g.document_key IS NOT NULL THEN 2 WHEN g.folder_key IS NOT NULL THEN 1 ELSE 0 END AS rank,
           coalesce(g.document_key, g.folder_key, 0) AS key,
           CASE WHEN g.document_key IS NOT NULL THEN 'document' WHEN g.folder_key IS NOT NULL THEN 'folder' ELSE 'organization' END AS type,
           CASE WHEN g.document_key IS NOT NULL THEN d.document_id WHEN g.folder_key IS NOT NULL THEN f.folder_id ELSE o.organization_id END AS id,
           g.role, g.expires_at, g.granted_at
    FROM grants g JOIN organizations o ON o.key = g.organization_key
    LEFT JOIN folders f ON f.key = g.folder_key LEFT JOIN documents d ON d.key = g.document_key
    WHERE g.organization_key = $1 AND g.user_id = $2 AND ` + Unexpired + `) p
WHERE p.id IS NOT NULL`

// GrantsOf reads a page of what a person was granted in an organization, as it holds now.
func GrantsOf(ctx context.Context, tx *pg.Tx, organization int64, userID string, after *PersonGrantPosition, size int) (*PersonGrantPage, error) {
	q := &pg.Conditions{Args: []any{organization, userID}}
	if after != nil {
		newestGrant.After(q, after.At, after.Rank, after.Key)
	}
	rows, err := tx.Query(ctx, newestGrant.First(q, grantsOf, size), q.Args...)
	if err != nil {
		return nil, err
	}
	var found list.Found[PersonGrant, PersonGrantPosition]
	err = found.Collect(func(row pgx.CollectableRow) (g PersonGrant, at PersonGrantPosition, err error) {
		return g, at, row.Scan(&at.At, &at.Rank, &at.Key, &g.Type, &g.ID, &g.Role, &g.ExpiresAt)
	})(rows)
	found.Cut(size)
	return found.Page(), err
}

package directory

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// MaxOrganization bounds an organization as JSON, in bytes, after a merge too.
const MaxOrganization = 8 << 10

// Organizations stores organizations.
type Organizations struct{ db *pg.DB }

// NewOrganizations makes the store.
func NewOrganizations(db *pg.DB) *Organizations { return &Organizations{db: db} }

func organizationItem(workspaceID string) func(string) string {
	return func(id string) string { return secret.DerivedID(workspaceID, "organization", id) }
}

// insertOrganizations makes those that are not there, in the order of their ids, so
// that two calls wait for one another instead of each other.
const insertOrganizations = `
INSERT INTO organizations (workspace_id, organization_id, name, access, extra)
SELECT $1, n.id, n.name, n.access, n.extra::json FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS n (id, name, access, extra)
ORDER BY n.id COLLATE "C"
ON CONFLICT (workspace_id, organization_id) WHERE organization_id IS NOT NULL DO NOTHING RETURNING organization_id`

// createOrganizations makes the organizations that are not there and returns the ids
// of those. Every organization is made here.
func createOrganizations(ctx context.Context, tx *pg.Tx, workspaceID string, all []Properties) (map[string]bool, error) {
	c := newColumns(all)
	return idsOf(ctx, tx, insertOrganizations, workspaceID, c.ids, c.names, c.access, c.extras)
}

// Add makes organizations; one that is there stays as it is and has the entry
// already-exists. No id is among them twice.
func (s *Organizations) Add(ctx context.Context, workspaceID string, all []Properties) ([]Entry, error) {
	var created map[string]bool
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
		created, err = createOrganizations(ctx, tx, workspaceID, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	return EntriesOf(idsOfProperties(all), created, CodeAlreadyExists, organizationItem(workspaceID)), nil
}

// OrganizationView is an organization as read. Access is nil where none is set;
// Extra are the caller's own keys as a JSON object, empty without any.
type OrganizationView struct {
	ID, Name             string
	Access               *string
	CreatedAt, UpdatedAt time.Time
	Disabled             bool
	Extra                []byte
}

// OrganizationPosition is where a page of organizations ended.
type OrganizationPosition = list.Position

// OrganizationPage is a page of organizations, newest first.
type OrganizationPage = list.Page[OrganizationView, OrganizationPosition]

var newestOrganization = list.Descending("o.created_at", "o.organization_id")

// organizationBytes is about how large an organization is in an answer, beside what
// its members are called.
const organizationBytes = `200 + octet_length(p.organization_id) + octet_length(p.name) + coalesce(octet_length(p.extra::text), 0)`

// Get reads organizations: all, or those of the ids that are there.
func (s *Organizations) Get(ctx context.Context, workspaceID string, ids []string, after *OrganizationPosition, size int) (*OrganizationPage, error) {
	q := pg.NewConditions(workspaceID)
	q.And("o.organization_id IS NOT NULL")
	if len(ids) > 0 {
		q.And("o.organization_id = ANY(%s)", ids)
	}
	if after != nil {
		newestOrganization.After(q, after.Values()...)
	}
	page := newestOrganization.First(q, `SELECT o.organization_id, o.name, o.access, o.created_at, o.updated_at, o.disabled, o.extra
FROM organizations o WHERE o.workspace_id = $1`, size)
	query := newestOrganization.Fit(q, page, organizationBytes, size)
	rows, err := s.db.Pool.Query(ctx, query, q.Args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var found list.Found[OrganizationView, OrganizationPosition]
	err = found.Collect(func(row pgx.CollectableRow) (OrganizationView, OrganizationPosition, error) {
		var v OrganizationView
		err := row.Scan(&v.ID, &v.Name, &v.Access, &v.CreatedAt, &v.UpdatedAt, &v.Disabled, &v.Extra, &found.Count, nil, nil)
		return v, list.PositionOf(v.CreatedAt, v.ID), err
	})(rows)
	if err != nil {
		return nil, pg.Translate(err)
	}
	return found.Page(), nil
}

// lockOrganizations holds off other changes of the organizations and of the people
// and folders in them.
const lockOrganizations = `
SELECT key, organization_id, name, access, extra FROM organizations
WHERE workspace_id = $1 AND organization_id = ANY($2) ORDER BY key FOR NO KEY UPDATE`

const updateOrganizations = `
UPDATE organizations o SET name = n.name, access = n.access, extra = n.extra::json, updated_at = clock_timestamp()
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS n (key, name, access, extra) WHERE o.key = n.key`

// Update merges what is sent into the organizations that are there; the others have
// the entry not-found. Error: INVALID_ARGUMENT when one would become too large.
func (s *Organizations) Update(ctx context.Context, workspaceID string, changes []Properties) ([]Entry, error) {
	var held heldThings
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
		if held, err = lockThings(ctx, tx, lockOrganizations, workspaceID, idsOfProperties(changes)); err != nil {
			return err
		}
		keys, c, err := held.merge(changes, "organizations", MaxOrganization)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, updateOrganizations, keys, c.names, c.access, c.extras)
		return err
	})
	if err != nil {
		return nil, err
	}
	return EntriesOf(idsOfProperties(changes), held, CodeNotFound, organizationItem(workspaceID)), nil
}

// Delete takes the ids from organizations: nobody finds them any more, nor anything
// in them, which is found through them alone. So it costs the same whatever they
// hold; a job removes that. What is not there has the entry not-found.
func (s *Organizations) Delete(ctx context.Context, workspaceID string, ids []string) ([]Entry, error) {
	var held heldThings
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
		if held, err = lockThings(ctx, tx, lockOrganizations, workspaceID, ids); err != nil || len(held) == 0 {
			return err
		}
		if _, err = tx.Exec(ctx, `UPDATE organizations SET organization_id = NULL WHERE key = ANY($1)`, held.keys()); err != nil {
			return err
		}
		if err := subject.RemoveOrganizations(ctx, tx, workspaceID, held.ids()); err != nil {
			return err
		}
		return QueueRemoval(ctx, tx, workspaceID, Removal{Organizations: held.keys()})
	})
	if err != nil {
		return nil, err
	}
	return EntriesOf(ids, held, CodeNotFound, organizationItem(workspaceID)), nil
}

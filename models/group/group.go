package group

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Groups stores the user groups of organizations and who is in them: members of the
// organization only. All that changes them holds the row of their organization, so
// nobody is put into a group who leaves at that moment.
type Groups struct{ db *pg.DB }

// New makes the store.
func New(db *pg.DB) *Groups { return &Groups{db} }

// Group is a user group as sent.
type Group struct{ ID, Name string }

func itemOf(workspaceID, organizationID string) func(string) string {
	return func(id string) string { return secret.DerivedID(workspaceID, "group", organizationID, id) }
}

// upsertGroups makes groups and renames those that are there.
const upsertGroups = `
INSERT INTO user_groups (workspace_id, organization_key, group_id, name)
SELECT $1, $2, n.id, n.name FROM unnest($3::text[], $4::text[]) AS n (id, name)
ON CONFLICT (organization_key, group_id) WHERE group_id IS NOT NULL DO UPDATE SET name = excluded.name RETURNING group_id`

// Add makes groups and renames those that are there; of one that is named twice the
// last name counts. Error: NOT_FOUND of an organization that may not be made.
func (s *Groups) Add(ctx context.Context, workspaceID string, c directory.Container, groups []Group) ([]directory.Entry, error) {
	names, ids := map[string]string{}, make([]string, len(groups))
	for i, g := range groups {
		names[g.ID], ids[i] = g.Name, g.ID
	}
	distinct := pg.Distinct(ids)
	last := make([]string, len(distinct))
	for i, id := range distinct {
		last[i] = names[id]
	}
	var made map[string]bool
	err := s.inOrganization(ctx, workspaceID, c, func(tx *pg.Tx, organization int64) (err error) {
		made, err = idsOf(ctx, tx, upsertGroups, workspaceID, organization, distinct, last)
		return err
	})
	if err != nil {
		return nil, err
	}
	return directory.EntriesOf(distinct, made, directory.CodeNotFound, itemOf(workspaceID, c.OrganizationID)), nil
}

// View is a group as read.
type View struct {
	ID, Name  string
	Users     int64
	CreatedAt time.Time
}

// Position is where a page of groups ended.
type Position = list.Position

// Page is a page of groups, newest first.
type Page = list.Page[View, Position]

var newestGroup = list.Descending("u.created_at", "u.group_id")

// readGroups counts as users of a group whose membership of the organization is not
// over. Those of whom it is are looked up by themselves, since they are few.
const readGroups = `
SELECT u.group_id, u.name, u.created_at, (SELECT count(*) FROM user_group_members m WHERE m.group_key = u.key) - (
    SELECT count(*) FROM grants g JOIN user_group_members m ON m.group_key = u.key AND m.user_id = g.user_id
    WHERE g.organization_key = u.organization_key AND g.folder_key IS NULL AND g.document_key IS NULL AND g.expires_at <= clock_timestamp())
FROM user_groups u WHERE u.workspace_id = $1`

// Get reads groups of an organization: all, or those of the ids that are there.
func (s *Groups) Get(ctx context.Context, workspaceID, organizationID string, ids []string, after *Position, size int) (*Page, error) {
	q := pg.NewConditions(workspaceID)
	q.And("u.group_id IS NOT NULL")
	q.And("u.organization_key = "+directory.OrganizationOf, organizationID)
	if len(ids) > 0 {
		q.And("u.group_id = ANY(%s)", ids)
	}
	if after != nil {
		newestGroup.After(q, after.Values()...)
	}
	var found list.Found[View, Position]
	b := &pgx.Batch{}
	b.Queue(newestGroup.First(q, readGroups, size), q.Args...).
		Query(found.Collect(func(row pgx.CollectableRow) (View, Position, error) {
			var v View
			err := row.Scan(&v.ID, &v.Name, &v.CreatedAt, &v.Users)
			return v, list.PositionOf(v.CreatedAt, v.ID), err
		}))
	if err := s.db.Pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, pg.Translate(err)
	}
	found.Cut(size)
	return found.Page(), nil
}

// freeGroups takes the ids of groups, so nobody finds them any more.
const freeGroups = `
WITH gone AS (
    SELECT key, group_id FROM user_groups WHERE organization_key = $1 AND group_id = ANY($2) ORDER BY key FOR NO KEY UPDATE
)
UPDATE user_groups u SET group_id = NULL FROM gone WHERE u.key = gone.key RETURNING gone.group_id`

// Delete removes groups; who is in them stays in the organization. What is not there
// has the entry not-found. Error: NOT_FOUND of the organization.
func (s *Groups) Delete(ctx context.Context, workspaceID, organizationID string, ids []string) ([]directory.Entry, error) {
	var gone map[string]bool
	err := s.inOrganization(ctx, workspaceID, directory.Container{OrganizationID: organizationID}, func(tx *pg.Tx, organization int64) (err error) {
		if gone, err = idsOf(ctx, tx, freeGroups, organization, ids); err != nil {
			return err
		}
		return directory.QueueRemoval(ctx, tx, workspaceID, directory.Removal{Groups: len(gone)})
	})
	if err != nil {
		return nil, err
	}
	return directory.EntriesOf(ids, gone, directory.CodeNotFound, itemOf(workspaceID, organizationID)), nil
}

// inOrganization runs a change of groups while it holds the row of their organization.
func (s *Groups) inOrganization(ctx context.Context, workspaceID string, c directory.Container, change func(tx *pg.Tx, organization int64) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		organization, err := c.OpenOrganization(ctx, tx, workspaceID, directory.LockPeople)
		if err != nil {
			return err
		}
		return change(tx, organization)
	})
}

// idsOf runs a statement that returns ids and returns these as a set.
func idsOf(ctx context.Context, tx *pg.Tx, statement string, args ...any) (map[string]bool, error) {
	rows, err := tx.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		ids[id] = true
		return nil
	})
	return ids, err
}

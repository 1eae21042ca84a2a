package directory

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Folders stores the folders of organizations. All that changes them holds the row
// of their organization, so two changes cannot make a circle between them.
type Folders struct{ db *pg.DB }

// NewFolders makes the store.
func NewFolders(db *pg.DB) *Folders { return &Folders{db} }

// MaxFolderDepth is how many folders may stand in one another.
const MaxFolderDepth = 20

// CodeCycle is that of an entry which changed nothing because a folder would stand in
// itself or too deep.
const CodeCycle = "cycle"

// NewFolder is a folder that a caller adds. Without a Name it has its id for one;
// ParentID is empty at the top, Access where it inherits.
type NewFolder struct {
	FolderID         string
	Name             *string
	ParentID, Access string
}

// FolderChange is what a caller sends of a folder. A Name that is nil leaves the
// name, an empty one is replaced by the id. ParentID counts only where Moves is
// set, and is empty for the top.
type FolderChange struct {
	FolderID string
	Name     *string
	Moves    bool
	ParentID string
}

// addFolder adds one folder and gives the code of its entry. The parent may have been
// added by a statement before it.
const addFolder = `
WITH RECURSIVE parent AS (
    SELECT key, parent_key FROM folders WHERE organization_key = $2 AND folder_id = $5
), above (key, parent_key) AS (
    SELECT key, parent_key FROM parent
    UNION ALL
    SELECT f.key, f.parent_key FROM above a JOIN folders f ON f.key = a.parent_key
), outcome AS (
    SELECT CASE WHEN EXISTS (SELECT FROM folders WHERE organization_key = $2 AND folder_id = $3) THEN 'already-exists'
                WHEN $5 <> '' AND NOT EXISTS (SELECT FROM parent) THEN 'not-found'
                WHEN (SELECT count(*) FROM above) >= $7 THEN 'cycle'
                ELSE '' END AS code
), added AS (
    INSERT INTO folders (workspace_id, organization_key, folder_id, name, parent_key, access, default_access)
    SELECT $1, $2, $3, coalesce(nullif($4, ''), $3), (SELECT key FROM parent), $6, w.default_access
    FROM outcome JOIN workspaces w ON w.id = $1 WHERE outcome.code = ''
)
SELECT code FROM outcome`

// Add adds folders one after the other: a parent may be an earlier one. Error:
// NOT_FOUND of an organization that may not be made.
func (s *Folders) Add(ctx context.Context, workspaceID string, c Container, folders []NewFolder) ([]Entry, error) {
	entries := make([]Entry, len(folders))
	err := s.inOrganization(ctx, workspaceID, c, func(tx *pg.Tx, organization int64) error {
		b := &pgx.Batch{}
		for i, f := range folders {
			b.Queue(addFolder, workspaceID, organization, f.FolderID, f.Name, f.ParentID, pg.Optional(f.Access), MaxFolderDepth).
				QueryRow(noteCode(&entries[i], workspaceID, c.OrganizationID, f.FolderID))
		}
		return tx.SendBatch(ctx, b).Close()
	})
	return entries, err
}

// changeFolder changes one folder and gives the code of its entry. What stands below
// the folder counts for its depth. That is looked at only where the folder comes to stand deeper, and no further than the first one that is too deep.
const changeFolder = `
WITH RECURSIVE moved AS (
    SELECT key, parent_key FROM folders WHERE organization_key = $1 AND folder_id = $2
), parent AS (
    SELECT key, parent_key FROM folders WHERE organization_key = $1 AND folder_id = $5
), above (key, parent_key) AS (
    SELECT key, parent_key FROM parent
    UNION ALL
    SELECT f.key, f.parent_key FROM above a JOIN folders f ON f.key = a.parent_key
), former (parent_key) AS (
    SELECT parent_key FROM moved
    UNION ALL
    SELECT f.parent_key FROM former p JOIN folders f ON f.key = p.parent_key
), below (key, level) AS (
    SELECT key, (SELECT count(*) FROM above) + 1 FROM moved WHERE $4 AND (SELECT count(*) FROM above) >= (SELECT count(*) FROM former)
    UNION ALL
    SELECT f.key, b.level + 1 FROM below b JOIN folders f ON f.parent_key = b.key WHERE f.folder_id IS NOT NULL
), outcome AS (
    SELECT CASE WHEN NOT EXISTS (SELECT FROM moved) OR ($5 <> '' AND NOT EXISTS (SELECT FROM parent)) THEN 'not-found'
                WHEN EXISTS (SELECT FROM above JOIN moved USING (key)) THEN 'cycle'
                WHEN EXISTS (SELECT FROM below WHERE level > $6) THEN 'cycle'
                ELSE '' END AS code
), changed AS (
    UPDATE folders f SET name = coalesce(nullif($3, ''), CASE WHEN $3 = '' THEN f.folder_id ELSE f.name END),
        parent_key = CASE WHEN $4 THEN (SELECT key FROM parent) ELSE f.parent_key END, updated_at = clock_timestamp()
    FROM moved, outcome WHERE f.key = moved.key AND outcome.code = ''
)
SELECT code FROM outcome`

// Update changes folders one after the other. Error: NOT_FOUND of the organization.
func (s *Folders) Update(ctx context.Context, workspaceID, organizationID string, changes []FolderChange) ([]Entry, error) {
	entries := make([]Entry, len(changes))
	err := s.inOrganization(ctx, workspaceID, Container{OrganizationID: organizationID}, func(tx *pg.Tx, organization int64) error {
		b := &pgx.Batch{}
		for i, f := range changes {
			b.Queue(changeFolder, organization, f.FolderID, f.Name, f.Moves, f.ParentID, MaxFolderDepth).
				QueryRow(noteCode(&entries[i], workspaceID, organizationID, f.FolderID))
		}
		return tx.SendBatch(ctx, b).Close()
	})
	return entries, err
}

// inOrganization runs a change of folders while it holds the row of their
// organization.
func (s *Folders) inOrganization(ctx context.Context, workspaceID string, c Container, change func(tx *pg.Tx, organization int64) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		organization, err := c.OpenOrganization(ctx, tx, workspaceID, LockPeople)
		if err != nil {
			return err
		}
		return change(tx, organization)
	})
}

// noteCode makes the entry of a folder of the code that a statement gives.
func noteCode(into *Entry, workspaceID, organizationID, folderID string) func(pgx.Row) error {
	return func(row pgx.Row) error {
		*into = Entry{ID: folderID, ItemID: folderItem(workspaceID, organizationID)(folderID)}
		return row.Scan(&into.Code)
	}
}

func folderItem(workspaceID, organizationID string) func(string) string {
	return func(id string) string { return secret.DerivedID(workspaceID, "folder", organizationID, id) }
}

// SetAccess sets what decides about access to folders and what stands in them; an
// empty access lets them inherit. The entries are of the distinct ids. Error:
// NOT_FOUND of the organization.
func (s *Folders) SetAccess(ctx context.Context, workspaceID, organizationID string, folderIDs []string, access string) ([]Entry, error) {
	var found map[string]bool
	err := s.inOrganization(ctx, workspaceID, Container{OrganizationID: organizationID}, func(tx *pg.Tx, organization int64) (err error) {
		found, err = idsOf(ctx, tx, `
UPDATE folders SET access = $3, updated_at = clock_timestamp() WHERE organization_key = $1 AND folder_id = ANY($2) RETURNING folder_id`,
			organization, folderIDs, pg.Optional(access))
		return err
	})
	if err != nil {
		return nil, err
	}
	return EntriesOf(folderIDs, found, CodeNotFound, folderItem(workspaceID, organizationID)), nil
}

package activity

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Activities stores and reads activities.
type Activities struct{ db *pg.DB }

// New makes the store.
func New(db *pg.DB) *Activities { return &Activities{db} }

// Add stores records of an organization or a document, all or none, and returns an entry for
// each; ids are made where there are none. Errors: NOT_FOUND of organization, document;
// ALREADY_EXISTS; FAILED_PRECONDITION (activities-disabled, access-disabled).
func (s *Activities) Add(ctx context.Context, workspaceID string, c directory.Container, records []Record) ([]directory.Entry, error) {
	records = slices.Clone(records)
	entries := make([]directory.Entry, len(records))
	for i := range records {
		if records[i].ID == "" {
			records[i].ID = id.New(id.Activity)
		}
		entries[i] = directory.Entry{ID: records[i].ID, ItemID: records[i].ID}
	}
	return entries, s.db.InTx(ctx, func(tx *pg.Tx) error {
		settings, err := ReadSettings(ctx, tx, workspaceID, "")
		if err != nil {
			return err
		}
		if !settings.Enabled {
			return disabled()
		}
		organization, err := c.OpenOrganization(ctx, tx, workspaceID, directory.LockStay)
		if err != nil {
			return err
		}
		scope, err := c.EnterRest(ctx, tx, workspaceID, organization)
		if err != nil {
			return err
		}
		now, err := link(ctx, tx, workspaceID, scope, records)
		if err != nil {
			return err
		}
		return storeFree(ctx, tx, workspaceID, scope, now, records)
	})
}

// What is in deleted documents and organizations nobody finds any more: it waits for its
// removal, and its ids are free. Of the others the ids are in use.
const (
	deleteUnfound = `
DELETE FROM activities WHERE workspace_id = $1 AND id = ANY(ARRAY(
    SELECT r.id FROM activities r JOIN organizations o ON o.key = r.organization_key LEFT JOIN documents d ON d.key = r.document_key
    WHERE r.workspace_id = $1 AND r.id = ANY($2) AND (o.organization_id IS NULL OR r.document_key <> 0 AND d.document_id IS NULL)
    ORDER BY r.id FOR UPDATE OF r))`
	usedIDs = `SELECT id FROM activities WHERE workspace_id = $1 AND id = ANY($2)`
)

// storeFree stores records all of whose ids must be free, now or once a removal has ended.
func storeFree(ctx context.Context, tx *pg.Tx, workspaceID string, in directory.Scope, now time.Time, records []Record) error {
	for {
		stored, err := Store(ctx, tx, workspaceID, in, now, records)
		if err != nil || len(stored) == len(records) {
			return err
		}
		records = slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return slices.Contains(stored, r.ID) })
		missed := make([]string, len(records))
		for i, r := range records {
			missed[i] = r.ID
		}
		refused := fault.AlreadyExists("", "an id of an activity is in use in the workspace")
		b := &pgx.Batch{}
		b.Queue(deleteUnfound, workspaceID, missed)
		b.Queue(usedIDs, workspaceID, missed).Query(func(rows pgx.Rows) (err error) {
			refused.Details.ActivityIDs, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		if len(refused.Details.ActivityIDs) > 0 {
			return refused
		}
	}
}

// The annotations with some ids in a document, or anywhere in an organization ($3 the
// document, 0 for any; $4 the organization). Those that are there are held against deletion; of those
// that were deleted and have records the newest of each id is meant.
const (
	holdAnnotations = `
SELECT a.annotation_id, a.key FROM annotations a JOIN documents d ON d.key = a.document_key
WHERE a.workspace_id = $1 AND a.annotation_id = ANY($2) AND d.organization_key = $4 AND $3::bigint IN (0, d.key)
ORDER BY a.key FOR KEY SHARE OF a`
	findDeleted = `
SELECT a.annotation_id, max(a.annotation_key) FROM deleted_annotations a JOIN documents d ON d.key = a.document_key
WHERE a.workspace_id = $1 AND a.annotation_id = ANY($2) AND d.organization_key = $4 AND $3::bigint IN (0, d.key) GROUP BY a.annotation_id`
)

// link finds the annotations that the records are about, and returns the time.
func link(ctx context.Context, tx *pg.Tx, workspaceID string, in directory.Scope, records []Record) (now time.Time, err error) {
	var targets []string
	for _, r := range records {
		targets = append(targets, r.TargetID)
	}
	var document int64
	if in.Document != nil {
		document = *in.Document
	}
	keys := map[string]int64{}
	collect := func(rows pgx.Rows) error {
		var target string
		var key int64
		_, err := pgx.ForEachRow(rows, []any{&target, &key}, func() error {
			keys[target] = max(keys[target], key)
			return nil
		})
		return err
	}
	b := &pgx.Batch{}
	b.Queue(holdAnnotations, workspaceID, targets, document, in.Organization).Query(collect)
	b.Queue(findDeleted, workspaceID, targets, document, in.Organization).Query(collect)
	b.Queue(`SELECT clock_timestamp()`).QueryRow(func(row pgx.Row) error { return row.Scan(&now) })
	err = tx.SendBatch(ctx, b).Close()
	for i := range records {
		records[i].AnnotationKey = keys[records[i].TargetID]
	}
	return now, err
}

package directory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/subject"
)

// Migrations gives documents other ids. A request reserves the new id and queues a
// job; the job's one transaction is the switch. Whatever belongs to a document refers
// to a key, so the switch changes a few rows, and neither waits for those who write
// into the document nor makes them wait.
type Migrations struct{ db *pg.DB }

// NewMigrations makes the store.
func NewMigrations(db *pg.DB) *Migrations { return &Migrations{db} }

// Pair is a document of an organization and the id that it shall have.
type Pair struct{ OrganizationID, DocumentID, NewDocumentID string }

// reasonInMigration is why no document is made with a reserved id.
const reasonInMigration = "migration-in-progress"

// Migrate promises a migration and gives its id; that of the open one for a pair which
// is on its way. Errors: NOT_FOUND of organization or document, with the migration's id
// where this pair was migrated within a day; ALREADY_EXISTS; ABORTED while the document
// is on its way to another id or another one is on its way to the new id.
func (m *Migrations) Migrate(ctx context.Context, workspaceID string, p Pair) (migrationID string, err error) {
	err = m.db.InTx(ctx, func(tx *pg.Tx) error {
		organization, err := Container{OrganizationID: p.OrganizationID}.OpenOrganization(ctx, tx, workspaceID, LockStay)
		if err != nil {
			return err
		}
		document, err := lockDocument(ctx, tx, organization, p.DocumentID)
		if err != nil {
			return missingPair(ctx, tx, organization, p, err)
		}
		var to string
		err = tx.QueryRow(ctx, `SELECT id, new_document_id FROM document_migrations WHERE document_key = $1 AND open`, document).Scan(&migrationID, &to)
		switch {
		case pg.IsNoRow(err):
			migrationID = id.New(id.Migration)
			return accept(ctx, tx, migrationRow{
				ID: migrationID, WorkspaceID: workspaceID, OrganizationKey: organization, DocumentKey: document,
				DocumentID: p.DocumentID, NewDocumentID: p.NewDocumentID,
			})
		case err == nil && to != p.NewDocumentID:
			return fault.Aborted("", "the document is being migrated to another id")
		default:
			return err
		}
	})
	return migrationID, err
}

// lockDocument holds off other migrations, moves and the deletion of a document, but
// nobody who writes into it.
func lockDocument(ctx context.Context, tx *pg.Tx, organization int64, documentID string) (key int64, err error) {
	err = tx.QueryRow(ctx, `SELECT key FROM documents WHERE organization_key = $1 AND document_id = $2 FOR NO KEY UPDATE`,
		organization, documentID).Scan(&key)
	return key, err
}

// missingPair is the answer for a document that is not there. Who asks again for a
// pair that was migrated within a day finds its migration.
func missingPair(ctx context.Context, tx *pg.Tx, organization int64, p Pair, err error) error {
	if !pg.IsNoRow(err) {
		return err
	}
	missing := fault.NotFoundResource("document", p.DocumentID)
	err = tx.QueryRow(ctx, `SELECT m.id FROM document_migrations m JOIN jobs j ON j.id = m.id
WHERE m.organization_key = $1 AND m.document_id = $2 AND m.new_document_id = $3 AND j.ended_at IS NOT NULL AND j.error_code IS NULL
  AND j.ended_at > clock_timestamp() - interval '24 hours' ORDER BY j.ended_at DESC LIMIT 1`,
		organization, p.DocumentID, p.NewDocumentID).Scan(&missing.Details.MigrationID)
	if err != nil && !pg.IsNoRow(err) {
		return err
	}
	return missing
}

// accept reserves the new id and queues the job.
func accept(ctx context.Context, tx *pg.Tx, row migrationRow) error {
	var hidden []string
	err := tx.Send(ctx, func(b *pgx.Batch) {
		b.Queue(lockIDs, row.OrganizationKey, []string{row.NewDocumentID})
		b.Queue(freeHidden, row.OrganizationKey, []string{row.NewDocumentID}).Query(collectInto(&hidden))
	})
	if err == nil {
		err = removeSubjects(ctx, tx, row.WorkspaceID, organizationOfKey, row.OrganizationKey, hidden, subject.RemoveDocuments)
	}
	if err != nil {
		return err
	}
	var exists, reserved bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM documents WHERE organization_key = $1 AND document_id = $2),
       EXISTS (SELECT 1 FROM document_migrations WHERE organization_key = $1 AND new_document_id = $2 AND open)`,
		row.OrganizationKey, row.NewDocumentID).Scan(&exists, &reserved)
	switch {
	case err != nil:
		return err
	case exists:
		return fault.AlreadyExists("", "a document with the new id exists")
	case reserved:
		return reservedID("")
	}
	if err := job.Queue(ctx, tx, job.Job{WorkspaceID: row.WorkspaceID, ID: row.ID, Kind: job.Migration, Input: []byte("{}")}); err != nil {
		return err
	}
	return gorm.G[migrationRow](tx.Gorm()).Create(ctx, &row)
}

func reservedID(reason string) error {
	return fault.Aborted(reason, "another document is being migrated to this id")
}

// lockIDs makes those follow one another who want to make a document with an id and
// who want to reserve it: each sees afterwards what the other has committed. $1 is the
// key of the organization, $2 the ids.
const lockIDs = `
SELECT pg_advisory_xact_lock(hashtextextended(n.id, $1::bigint)) FROM (SELECT id FROM unnest($2::text[]) i (id) ORDER BY id COLLATE "C") n`

// Switch carries out a migration: before its commit everything is found under the old
// id, afterwards under the new one. It ends the job in the same transaction; one that
// has ended stays as it is.
func (m *Migrations) Switch(ctx context.Context, j *job.Job) error {
	return m.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err := gorm.G[migrationRow](tx.Gorm()).Where("id = ? AND open", j.ID).Take(ctx)
		if pg.IsNoRow(err) { // ended, or gone with its organization
			return job.End(ctx, tx, j.ID, &job.Failure{Code: string(fault.StatusNotFound), Message: "the organization was deleted"})
		}
		if err != nil {
			return err
		}
		why, err := change(ctx, tx, at)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE document_migrations SET open = false WHERE id = $1`, j.ID); err != nil {
			return err
		}
		return job.End(ctx, tx, j.ID, why)
	})
}

// change gives the document its new id, unless it or its organization was deleted
// meanwhile: that is why the migration fails.
func change(ctx context.Context, tx *pg.Tx, at migrationRow) (*job.Failure, error) {
	var organizationID *string
	err := tx.QueryRow(ctx, `SELECT organization_id FROM organizations WHERE key = $1 `+LockStay, at.OrganizationKey).Scan(&organizationID)
	if err != nil {
		return nil, fmt.Errorf("the organization of a migration: %w", err)
	}
	if organizationID == nil {
		return &job.Failure{Code: string(fault.StatusNotFound), Message: "the organization was deleted"}, nil
	}
	changed, err := tx.Exec(ctx, `UPDATE documents SET document_id = $2 WHERE key = $1`, at.DocumentKey, at.NewDocumentID)
	if err != nil {
		return nil, err
	}
	if changed.RowsAffected() == 0 {
		return &job.Failure{Code: string(fault.StatusNotFound), Message: "the document was deleted"}, nil
	}
	return nil, subject.Rename(ctx, tx, at.WorkspaceID, *organizationID, at.DocumentID, at.NewDocumentID)
}

// Migration is how a migration stands.
type Migration struct {
	DocumentID, NewDocumentID string
	job.Status
}

// Status returns how a migration of the organization stands. Error: NOT_FOUND.
func (m *Migrations) Status(ctx context.Context, workspaceID, organizationID, migrationID string) (*Migration, error) {
	var found *Migration
	var status *job.Status
	err := m.db.ReadBatch(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT m.document_id, m.new_document_id FROM document_migrations m JOIN organizations o ON o.key = m.organization_key
WHERE m.id = $3 AND o.workspace_id = $1 AND o.organization_id = $2`, workspaceID, organizationID, migrationID).Query(func(rows pgx.Rows) error {
			var at Migration
			_, err := pgx.ForEachRow(rows, []any{&at.DocumentID, &at.NewDocumentID}, func() error {
				found = &at
				return nil
			})
			return err
		})
		job.StatusOf(b, workspaceID, migrationID, &status)
	})
	if err != nil {
		return nil, err
	}
	if found == nil || status == nil {
		return nil, fault.NotFoundResource("migration", migrationID)
	}
	found.Status = *status
	return found, nil
}

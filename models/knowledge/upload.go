package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/workspace"
)

const (
	// uploadSlots is how many addresses of a workspace are outstanding at once.
	uploadSlots = 50
	// UploadLife is how long an address takes a file, uploadKept how much longer
	// a file waits to be ingested.
	UploadLife = 15 * time.Minute
	uploadKept = 60 * time.Minute
	// uploadKnown is how long an expired address is still distinguished from one
	// that never was; as long as messages are kept.
	uploadKnown = 90 * 24 * time.Hour
)

// Upload is an address for a file.
type Upload struct {
	WorkspaceID string
	// Path is the random part of the file's reference.
	Path                       string
	MimeType, FileName         string
	Size                       int64
	OrganizationID, DocumentID string
	// Stray says that what OrganizationID or DocumentID named is removed: the ids mean
	// something else now.
	Stray bool
	// State is issued, uploaded or ingested.
	State     string
	ExpiresAt time.Time
	// Expired says that expires_at has passed, by the clock of Postgres.
	Expired bool
	// Kept says that an uploaded file is still there.
	Kept     bool
	BlobKey  string
	SHA256   []byte
	SourceID string
	// closed says that the workspace is suspended.
	closed bool
}

// slotTaken is the condition on an upload that takes a slot; $2 is uploadKept.
const slotTaken = `(state = 'issued' AND expires_at > clock_timestamp() OR state = 'uploaded' AND expires_at + $2::interval > clock_timestamp())`

// countSlots counts the slots of a workspace that are taken, and gives in how many
// seconds the first of them becomes free by itself. It skips uploads that ended
// long ago by now(), which is never later than the clock and which an index scan
// can use. SQL by hand: count and wait are of one instant, in one trip.
const countSlots = `
SELECT count(*), coalesce(extract(epoch FROM min(CASE state WHEN 'issued' THEN expires_at ELSE expires_at + $2::interval END) - clock_timestamp()), 0)::float8
FROM uploads WHERE workspace_id = $1 AND state <> 'ingested' AND expires_at > now() - $2::interval AND ` + slotTaken

// insertUpload is SQL by hand: the end of an address is counted from the clock of
// Postgres, to the millisecond, and given back in the same trip.
const insertUpload = `
INSERT INTO uploads (workspace_id, path, token_hash, mime_type, file_name, file_size, organization_key, document_key, state, expires_at)
SELECT $1, $4, $5, $6, $7, $8, o.organization_key, o.document_key, 'issued', date_trunc('milliseconds', clock_timestamp()) + $9::interval
FROM (` + subject.Open + `) o RETURNING expires_at`

// IssueUpload takes a slot, one call of a workspace at a time: the advisory lock has
// no row, and is taken by hand. tokenHash finds the address again. Errors:
// RESOURCE_EXHAUSTED (upload-slots).
func (k *Knowledge) IssueUpload(ctx context.Context, u Upload, tokenHash []byte) (time.Time, error) {
	var expires time.Time
	err := k.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('uploads/' || $1, 0))`, u.WorkspaceID); err != nil {
			return err
		}
		var taken int
		var next float64
		if err := tx.QueryRow(ctx, countSlots, u.WorkspaceID, uploadKept).Scan(&taken, &next); err != nil {
			return err
		}
		if taken >= uploadSlots {
			return fault.ResourceExhausted("upload-slots", "as many uploads as allowed are outstanding; ingest one or wait until one expires",
				max(time.Duration(next*float64(time.Second)), 1))
		}
		return tx.QueryRow(ctx, insertUpload, u.WorkspaceID, pg.Optional(u.OrganizationID), pg.Optional(u.DocumentID),
			u.Path, tokenHash, u.MimeType, u.FileName, u.Size, UploadLife).Scan(&expires)
	})
	return expires, err
}

// readUpload compares with the clock of Postgres, and reads whether the workspace is
// suspended in the same trip: SQL by hand.
var readUpload = `SELECT workspace_id, path, mime_type, file_name, file_size, coalesce(` + subject.ID("organization_key") + `, ''),
       coalesce(` + subject.ID("document_key") + `, ''), NOT (` + subject.Shown("organization_key", "document_key") + `), state,
       expires_at, expires_at <= clock_timestamp(), expires_at + $1::interval > clock_timestamp(), coalesce(blob_key, ''), sha256, coalesce(source_id, ''),
       (SELECT w.suspended_at IS NOT NULL FROM workspaces w WHERE w.id = workspace_id)
FROM uploads WHERE `

func scanUpload(row pgx.Row) (*Upload, error) {
	u := &Upload{}
	err := row.Scan(&u.WorkspaceID, &u.Path, &u.MimeType, &u.FileName, &u.Size, &u.OrganizationID, &u.DocumentID, &u.Stray, &u.State,
		&u.ExpiresAt, &u.Expired, &u.Kept, &u.BlobKey, &u.SHA256, &u.SourceID, &u.closed)
	return u, err
}

// UploadByToken finds an address by its token, under any of the hashes that
// the keys give. Errors: NOT_FOUND; PERMISSION_DENIED while the workspace is
// suspended.
func (k *Knowledge) UploadByToken(ctx context.Context, tokenHashes [][]byte) (*Upload, error) {
	u, err := scanUpload(k.db.Pool.QueryRow(ctx, readUpload+`token_hash = ANY($2)`, uploadKept, tokenHashes))
	if pg.IsNoRow(err) {
		return nil, fault.NotFound("upload")
	}
	if err != nil {
		return nil, pg.Translate(err)
	}
	return u, stillOpen(u.closed)
}

// stillOpen refuses the signed addresses of a workspace that an operator has
// suspended: they carry no credentials that would be looked at.
func stillOpen(closed bool) error {
	if closed {
		return workspace.Suspended()
	}
	return nil
}

func uploadAt(orm *gorm.DB, workspaceID, path string) gorm.ChainInterface[uploadRow] {
	return gorm.G[uploadRow](orm).Scopes(pg.Tenant(workspaceID)).Where("path = ?", path)
}

// turnLife is how long a PUT has the turn of its address, unless it asks for it again: as
// long as others wait for one whose process has died.
const turnLife = 15 * time.Second

// takeTurn gives the address to a PUT, unless another one has it. SQL by hand: it compares
// with the clock of Postgres and reads the state in the same trip.
const takeTurn = `
WITH taken AS (
    UPDATE uploads SET put_by = $3, put_until = clock_timestamp() + $4::interval
    WHERE workspace_id = $1 AND path = $2 AND state = 'issued' AND (put_by = $3 OR coalesce(put_until <= clock_timestamp(), true))
    RETURNING true
)
SELECT EXISTS (SELECT FROM taken), state = 'issued' FROM uploads WHERE workspace_id = $1 AND path = $2`

// TakeTurn gives the address to a PUT, which has a name of its own, or lets it have the
// address for longer: one at a time has it. waits says that the address still takes a file,
// so that one which was not given it may ask again.
func (k *Knowledge) TakeTurn(ctx context.Context, u *Upload, put string) (taken, waits bool, err error) {
	err = k.db.Pool.QueryRow(ctx, takeTurn, u.WorkspaceID, u.Path, put, turnLife).Scan(&taken, &waits)
	return taken, waits, pg.Translate(err)
}

// EndTurn frees the address for the next PUT.
func (k *Knowledge) EndTurn(ctx context.Context, u *Upload, put string) error {
	_, err := uploadAt(k.db.Gorm, u.WorkspaceID, u.Path).Where("put_by = ?", put).Update(ctx, "put_until", nil)
	return pg.Translate(err)
}

// FinishUpload records the file of an address, unless another one came first
// (false).
func (k *Knowledge) FinishUpload(ctx context.Context, u *Upload, blobKey string, sha256 []byte) (bool, error) {
	won := false
	err := k.db.InTx(ctx, func(tx *pg.Tx) error {
		found, err := uploadAt(tx.Gorm(), u.WorkspaceID, u.Path).Where("state = 'issued'").
			Set(clause.Assignments(map[string]any{"state": "uploaded", "blob_key": blobKey, "sha256": sha256})).Update(ctx)
		if won = found == 1; err != nil || !won {
			return err
		}
		return ClaimFile(ctx, tx, UnclaimedFile{u.WorkspaceID, blobKey})
	})
	return won && err == nil, err
}

// UploadByRef finds an upload by the path of its reference. Error: NOT_FOUND
// (unknown-file-ref).
func (k *Knowledge) UploadByRef(ctx context.Context, workspaceID, path string) (*Upload, error) {
	u, err := scanUpload(k.db.Pool.QueryRow(ctx, readUpload+`workspace_id = $2 AND path = $3`, uploadKept, workspaceID, path))
	return u, unknownRef(err)
}

func unknownRef(err error) error {
	if pg.IsNoRow(err) {
		missing := fault.NotFound("file under this reference")
		missing.Reason = "unknown-file-ref"
		return missing
	}
	return pg.Translate(err)
}

// AcceptUpload commits the source of an uploaded file; ready checks the upload
// once it is locked. The bytes stay where they are, unless another source that
// holds them is given instead: then no row needs the file, and it is unclaimed.
func (k *Knowledge) AcceptUpload(ctx context.Context, workspaceID, path string, ready func(*Upload) error, n NewSource) (Accepted, error) {
	var done Accepted
	err := k.db.InTx(ctx, func(tx *pg.Tx) error {
		u, err := scanUpload(tx.QueryRow(ctx, readUpload+`workspace_id = $2 AND path = $3 FOR UPDATE`, uploadKept, workspaceID, path))
		if err != nil {
			return unknownRef(err)
		}
		if err := ready(u); err != nil {
			return err
		}
		n.File = SourceFile{Name: u.FileName, MimeType: u.MimeType, Size: u.Size, SHA256: u.SHA256, BlobKey: u.BlobKey}
		if done, err = accept(ctx, tx, workspaceID, n); err != nil {
			return err
		}
		_, err = uploadAt(tx.Gorm(), workspaceID, path).
			Set(clause.Assignments(map[string]any{"state": "ingested", "source_id": done.SourceID})).Update(ctx)
		if err != nil || !done.Reused {
			return err
		}
		return AbandonFile(ctx, tx, UnclaimedFile{workspaceID, u.BlobKey})
	})
	return done, err
}

// ExpiredUpload is an address that nobody can use any more, with the file that
// it leaves.
type ExpiredUpload struct{ WorkspaceID, Path, BlobKey string }

// ExpiredUploads returns up to limit of them, the oldest first.
func (k *Knowledge) ExpiredUploads(ctx context.Context, limit int) ([]ExpiredUpload, error) {
	var expired []ExpiredUpload
	err := gorm.G[uploadRow](k.db.Gorm).Select("workspace_id, path, blob_key").
		Where("state = 'uploaded' AND blob_key IS NOT NULL AND expires_at < now() - make_interval(secs => ?)", uploadKept.Seconds()).
		Order("expires_at").Limit(limit).Scan(ctx, &expired)
	return expired, pg.Translate(err)
}

// DropUpload notes that the file of an expired address is gone once remove has
// removed it; the address itself stays known. It holds the address meanwhile: an
// ingest that found it in time is either committed before, then its file stays,
// or finds it expired.
func (k *Knowledge) DropUpload(ctx context.Context, u ExpiredUpload, remove func() error) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		found, err := uploadAt(tx.Gorm(), u.WorkspaceID, u.Path).Where("state = 'uploaded' AND blob_key = ?", u.BlobKey).
			Set(clause.Assignments(map[string]any{"blob_key": nil, "sha256": nil})).Update(ctx)
		if err != nil || found == 0 {
			return err
		}
		return remove()
	})
}

// ForgetUploads removes up to limit addresses that ended long ago and have no
// file. One that was ingested stays. SQL by hand: GORM's deletes have no limit.
func (k *Knowledge) ForgetUploads(ctx context.Context, limit int) error {
	_, err := k.db.Pool.Exec(ctx, `DELETE FROM uploads WHERE ctid = ANY(ARRAY(
	SELECT ctid FROM uploads WHERE state <> 'ingested' AND blob_key IS NULL AND expires_at < now() - $2::interval LIMIT $1))`, limit, uploadKnown)
	return pg.Translate(err)
}

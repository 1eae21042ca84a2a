package knowledge

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// MaxSources is how many sources a workspace holds.
const MaxSources = 10_000

// Knowledge are the sources of knowledge, their versions, chunks and rules.
type Knowledge struct {
	db      *pg.DB
	serving servingCache
}

// New makes the store.
func New(db *pg.DB) *Knowledge {
	return &Knowledge{db: db}
}

// VersionKey names a version within its workspace.
func VersionKey(sourceID string, version int) string { return sourceID + "/" + strconv.Itoa(version) }

// VersionOf reads a VersionKey; of a text that is none the version is 0, which
// no source has.
func VersionOf(key string) (sourceID string, version int) {
	sourceID, number, _ := strings.Cut(key, "/")
	version, _ = strconv.Atoi(number)
	return sourceID, version
}

// SourceFile is what a version is made of.
type SourceFile struct {
	Name, MimeType string
	Size           int64
	SHA256         []byte
	// BlobKey is where its bytes are kept.
	BlobKey string
}

// NewSource is what a caller brings in. Empty ids mean no scope.
type NewSource struct {
	// ID is made by the caller, since the file is kept under it first.
	ID                         string
	Type                       string // inline or upload
	OrganizationID, DocumentID string
	File                       SourceFile
	// Reuse returns the source that holds the same bytes instead of a second one.
	Reuse bool

	// scope are the subjects of its ids.
	scope subject.Keys
}

// Accepted names the source that holds the bytes. Reused marks one that was there
// before.
type Accepted struct {
	SourceID string
	Reused   bool
}

// Accept commits a source with its first version; its run starts from the row.
// Errors: RESOURCE_EXHAUSTED (source-quota).
func (k *Knowledge) Accept(ctx context.Context, workspaceID string, n NewSource) (Accepted, error) {
	var done Accepted
	err := k.db.InTx(ctx, func(tx *pg.Tx) error {
		var err error
		if done, err = accept(ctx, tx, workspaceID, n); err != nil || done.Reused {
			return err
		}
		return ClaimFile(ctx, tx, UnclaimedFile{workspaceID, n.File.BlobKey})
	})
	return done, err
}

// lockSources lets one at a time of a workspace pass. The advisory lock has no row,
// and is taken by hand.
const lockSources = `SELECT pg_advisory_xact_lock(hashtextextended('knowledge/' || $1, 0))`

// What shows a source s, and a version v by its source: nobody sees one that was
// removed, or whose organization or document was.
var (
	VisibleSource   = `NOT s.removed AND ` + subject.Shown("s.organization_key", "s.document_key")
	OfVisibleSource = `(SELECT ` + VisibleSource + ` FROM sources s WHERE s.workspace_id = v.workspace_id AND s.id = v.source_id)`
)

// holdsBytes says that the version v is the live or the only one of its source s.
const holdsBytes = `(s.live = v.version OR s.live IS NULL AND s.newest = v.version AND v.state <> 'failed')`

// sameBytes finds the oldest source of a scope that still holds bytes as its
// live or only version. A scope is the same that shows the same ids. SQL by hand: a
// join, in one trip under the lock.
var sameBytes = `
SELECT s.id FROM source_versions v JOIN sources s ON s.workspace_id = v.workspace_id AND s.id = v.source_id
WHERE v.workspace_id = $1 AND v.sha256 = $2 AND ` + subject.ID("s.organization_key") + ` IS NOT DISTINCT FROM $3
      AND ` + subject.ID("s.document_key") + ` IS NOT DISTINCT FROM $4 AND ` + VisibleSource + `
      AND ` + holdsBytes + `
ORDER BY s.created_at, s.id LIMIT 1`

// countSources takes the time with the count, after the lock, in one trip.
const countSources = `
SELECT (SELECT count(*) FROM sources WHERE workspace_id = $1 AND NOT removed) - (SELECT count(*) FROM stray_sources($1)), clock_timestamp()`

func accept(ctx context.Context, tx *pg.Tx, workspaceID string, n NewSource) (Accepted, error) {
	// One at a time for a workspace: the quota and the reuse of bytes are exact, and the
	// scope is found after those who hide what is removed, or is seen by them.
	organization, document := pg.Optional(n.OrganizationID), pg.Optional(n.DocumentID)
	b := &pgx.Batch{}
	b.Queue(lockSources, workspaceID)
	n.scope.Queue(b, workspaceID, n.OrganizationID, n.DocumentID)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return Accepted{}, err
	}
	var same *string
	err := tx.QueryRow(ctx, sameBytes, workspaceID, n.File.SHA256, organization, document).Scan(&same)
	switch {
	case err != nil && !pg.IsNoRow(err):
		return Accepted{}, err
	case same != nil && n.Reuse:
		return Accepted{SourceID: *same, Reused: true}, nil
	}
	var count int
	var now time.Time
	err = tx.QueryRow(ctx, countSources, workspaceID).Scan(&count, &now)
	switch {
	case err != nil:
		return Accepted{}, err
	case count >= MaxSources:
		return Accepted{}, fault.ResourceExhausted("source-quota", "the workspace holds as many sources as it may", 0)
	}
	queueVersion(tx, VersionRef{workspaceID, n.ID, 1})
	return Accepted{SourceID: n.ID}, n.insert(ctx, tx, workspaceID, now.Truncate(time.Millisecond), same)
}

// insert stores the source and its first version; same is the source that has the
// same bytes, if any.
func (n NewSource) insert(ctx context.Context, tx *pg.Tx, workspaceID string, now time.Time, same *string) error {
	err := gorm.G[sourceRow](tx.Gorm()).Create(ctx, &sourceRow{
		WorkspaceID: workspaceID, ID: n.ID, SourceType: n.Type, CreatedAt: now, Newest: 1,
		OrganizationKey: n.scope.Organization, DocumentKey: n.scope.Document,
	})
	if err != nil {
		return err
	}
	return gorm.G[versionRow](tx.Gorm()).Create(ctx, &versionRow{
		WorkspaceID: workspaceID, SourceID: n.ID, Version: 1, State: "accepted", Stage: StageQueued,
		StartedAt: now, UpdatedAt: now,
		FileName: n.File.Name, MimeType: n.File.MimeType, FileSize: n.File.Size, SHA256: n.File.SHA256, OriginalKey: n.File.BlobKey, DedupOf: same,
	})
}

// NewSourceID makes the id of a source.
func NewSourceID() string { return id.New(id.Source) }

// SourceStatus is what callers see of the newest version of a source.
type SourceStatus struct {
	SourceID, MimeType, FileName string
	State, Stage                 string
	StartedAt, UpdatedAt         time.Time
	Version                      int
	LiveVersion                  *int
	ChunkCount, RuleCount        int
	ChunksDone                   int
	FailureReason                *string
	FailureMessage               *string
	DedupOf                      *string
	Metadata                     []byte
}

// dedupOf is the source that has the same bytes as the version v and is older.
const dedupOf = `(SELECT o.id FROM sources o WHERE o.workspace_id = v.workspace_id AND o.id = v.dedup_of)`

// readStatus counts the embedded chunks only while the version is being embedded:
// the status is asked for often, and a count reads all chunks. SQL by hand: source,
// version and count in one trip.
var readStatus = `
SELECT v.mime_type, v.file_name, v.state, v.stage, v.started_at, v.updated_at, v.version, s.live, v.chunk_count, v.rule_count,
       CASE WHEN v.done > $3 THEN v.chunk_count WHEN v.done < $3 THEN 0 ELSE
            (SELECT count(*) FROM chunks c WHERE c.workspace_id = v.workspace_id AND c.source_id = v.source_id
                    AND c.version = v.version AND c.text_hash IS NOT NULL) END,
       v.failure_reason, v.failure_message, ` + dedupOf + `, v.metadata
FROM sources s JOIN source_versions v ON v.workspace_id = s.workspace_id AND v.source_id = s.id AND v.version = s.newest
WHERE s.workspace_id = $1 AND s.id = $2 AND ` + VisibleSource

// Status reads how a source's newest version is going. Error: NOT_FOUND.
func (k *Knowledge) Status(ctx context.Context, workspaceID, sourceID string) (*SourceStatus, error) {
	s := &SourceStatus{SourceID: sourceID}
	err := k.db.Pool.QueryRow(ctx, readStatus, workspaceID, sourceID, stageNumbers[StageEmbedding]).Scan(&s.MimeType, &s.FileName, &s.State, &s.Stage, &s.StartedAt,
		&s.UpdatedAt, &s.Version, &s.LiveVersion, &s.ChunkCount, &s.RuleCount, &s.ChunksDone, &s.FailureReason, &s.FailureMessage,
		&s.DedupOf, &s.Metadata)
	if pg.IsNoRow(err) {
		return nil, UnknownSource()
	}
	return s, pg.Translate(err)
}

// UnknownSource is the answer to an id that no source of the workspace has.
func UnknownSource() error {
	missing := fault.NotFound("source")
	missing.Reason = "unknown-source"
	return missing
}

// Stored says where a version's files are kept.
type Stored struct {
	FileName, MimeType        string
	OriginalKey, CanonicalKey string
}

// Stored finds the files of a version that has not gone, with its workspace in one
// trip. Errors: NOT_FOUND; PERMISSION_DENIED while the workspace is suspended.
func (k *Knowledge) Stored(ctx context.Context, workspaceID, sourceID string, version int) (Stored, error) {
	var s Stored
	var closed bool
	err := k.db.Pool.QueryRow(ctx, `SELECT v.file_name, v.mime_type, v.original_key, coalesce(v.canonical_key, ''), w.suspended_at IS NOT NULL
FROM source_versions v JOIN workspaces w ON w.id = v.workspace_id
     JOIN sources s ON s.workspace_id = v.workspace_id AND s.id = v.source_id
WHERE v.workspace_id = $1 AND v.source_id = $2 AND v.version = $3 AND v.state = 'live' AND `+VisibleSource, workspaceID, sourceID, version).
		Scan(&s.FileName, &s.MimeType, &s.OriginalKey, &s.CanonicalKey, &closed)
	if pg.IsNoRow(err) {
		return Stored{}, UnknownSource()
	}
	if err != nil {
		return Stored{}, pg.Translate(err)
	}
	return s, stillOpen(closed)
}

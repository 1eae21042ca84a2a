package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// TypeMarkdown is the type of what replaces the content of a source.
const TypeMarkdown = "text/markdown"

// drawnStages is how many stages are finished where chunks and rules are stored: those
// before StageEmbedding.
const drawnStages = 3

// Update is what replaces the content of a source, with all that is drawn from it.
type Update struct {
	SourceID string
	// Expected is the newest version that the caller knows; nil for any.
	Expected *int
	// Size and SHA256 are those of the content, which is kept under OriginalKey.
	Size        int64
	SHA256      []byte
	OriginalKey string
	// CanonicalKey is where its canonical markdown is kept, OriginalKey where
	// both are the same.
	CanonicalKey string
	Chunks       []StoredChunk
	Rules        []StoredRule
	// Metadata is what the version says of its rules, a JSON object.
	Metadata []byte
}

// Updated is what an update has made: the version, and which rules it has and the
// version before had not, the other way round, each in its own order and wording, and
// how many both have.
type Updated struct {
	Version        int
	Added, Removed []string
	Unchanged      int
}

// newestVersion is what an update, or a retry, has to know of the newest version. done is
// how many of its stages are finished, makers what made their output.
type newestVersion struct {
	version, done           int
	state, fileName, makers string
	// retries is how often it was made again by the converter retryConverter.
	retries, retryConverter int
	// now is the time by the clock of Postgres.
	now time.Time
}

// Update commits the next version of a source as far as its rules; its run goes on from
// there. A version before it that is still in work is retired. Errors: those of
// CheckUpdate.
func (k *Knowledge) Update(ctx context.Context, workspaceID string, u Update) (Updated, error) {
	var done Updated
	err := k.db.InTx(ctx, func(tx *pg.Tx) error {
		before := VersionRef{WorkspaceID: workspaceID, SourceID: u.SourceID}
		if err := lockSource(ctx, tx, before); err != nil {
			return err
		}
		newest, err := readNewest(ctx, tx, before)
		if err != nil {
			return err
		}
		if err := newest.accepts(u.Expected); err != nil {
			return err
		}
		before.Version = newest.version
		done, err = u.store(ctx, tx, before, newest)
		return err
	})
	return done, err
}

// CheckUpdate looks whether a source can be updated now, without keeping anybody from
// changing that. Errors: NOT_FOUND (unknown-source); ABORTED (ingest-in-progress);
// FAILED_PRECONDITION (version-conflict).
func (k *Knowledge) CheckUpdate(ctx context.Context, workspaceID, sourceID string, expected *int) error {
	newest, err := readNewest(ctx, k.db.Pool, VersionRef{WorkspaceID: workspaceID, SourceID: sourceID})
	if err != nil {
		return pg.Translate(err)
	}
	return newest.accepts(expected)
}

// rowQuerier reads a row, in a transaction or not.
type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// readNewest is a statement of its own behind the lock of the source, so that it sees
// what was committed before that was given. SQL by hand: a join, with the clock.
func readNewest(ctx context.Context, from rowQuerier, v VersionRef) (newest newestVersion, err error) {
	err = from.QueryRow(ctx, `
SELECT v.version, v.done, v.state, v.file_name, v.makers, v.retries, v.retry_converter, clock_timestamp()
FROM sources s JOIN source_versions v ON v.workspace_id = s.workspace_id AND v.source_id = s.id AND v.version = s.newest
WHERE s.workspace_id = $1 AND s.id = $2 AND `+VisibleSource, v.WorkspaceID, v.SourceID).
		Scan(&newest.version, &newest.done, &newest.state, &newest.fileName, &newest.makers, &newest.retries, &newest.retryConverter, &newest.now)
	if pg.IsNoRow(err) {
		return newest, UnknownSource()
	}
	return newest, err
}

// accepts reports why no update can follow the version now.
func (n newestVersion) accepts(expected *int) error {
	if n.version == 1 && (n.state == "accepted" || n.state == "staging") {
		return fault.Aborted("ingest-in-progress", "the source is being brought in for the first time")
	}
	if expected != nil && *expected != n.version {
		conflict := fault.FailedPrecondition("version-conflict", "the source has another version than the one expected")
		conflict.Details.Version = n.version
		return conflict
	}
	return nil
}

// store stores the version that follows another one, whose source is locked.
func (u Update) store(ctx context.Context, tx *pg.Tx, before VersionRef, newest newestVersion) (Updated, error) {
	old, err := gorm.G[ruleRow](tx.Gorm()).Select("identity, id, content").Scopes(before.only).Order("ordinal").Find(ctx)
	if err != nil {
		return Updated{}, err
	}
	if err := supersede(ctx, tx, before); err != nil {
		return Updated{}, err
	}
	next := before
	next.Version++
	if err := u.insert(ctx, tx, next, newest); err != nil {
		return Updated{}, err
	}
	for _, drawn := range []drawnRows{chunkRows(u.Chunks), ruleRows(keepIDs(u.Rules, idsOf(old)))} {
		if err := drawn.write(ctx, tx, next, nil); err != nil {
			return Updated{}, err
		}
	}
	for _, key := range []string{u.OriginalKey, u.CanonicalKey} {
		if err := ClaimFile(ctx, tx, UnclaimedFile{before.WorkspaceID, key}); err != nil {
			return Updated{}, err
		}
	}
	if newest.unseen() {
		old = nil
	}
	return compared(next.Version, old, u.Rules), nil
}

// unseen reports whether nobody was ever told of the rules of the version: those of a
// first ingestion are read once it is live, those of an update are in its answer.
func (n newestVersion) unseen() bool { return n.version == 1 && n.state == "failed" }

// supersede retires the versions of a source up to one that can never become live any
// more: those in work, and those that failed and can be tried again no longer.
func supersede(ctx context.Context, tx *pg.Tx, newest VersionRef) error {
	return retire(ctx, tx, newest, newest.Version, "accepted", "staging", "failed")
}

// insert stores the version and notes it as the newest one.
func (u Update) insert(ctx context.Context, tx *pg.Tx, v VersionRef, before newestVersion) error {
	queueVersion(tx, v)
	now := before.now.Truncate(time.Millisecond)
	err := gorm.G[versionRow](tx.Gorm()).Create(ctx, &versionRow{
		WorkspaceID: v.WorkspaceID, SourceID: v.SourceID, Version: v.Version, State: "accepted", Stage: StageQueued,
		Done: drawnStages, StartedAt: now, UpdatedAt: now,
		FileName: before.fileName, MimeType: TypeMarkdown, FileSize: u.Size, SHA256: u.SHA256, OriginalKey: u.OriginalKey,
		CanonicalKey: &u.CanonicalKey, Metadata: u.Metadata, Makers: CurrentMakers().String(),
		ChunkCount: len(u.Chunks), RuleCount: len(u.Rules),
	})
	if err != nil {
		return err
	}
	_, err = gorm.G[sourceRow](tx.Gorm()).Scopes(pg.Tenant(v.WorkspaceID)).Where("id = ?", v.SourceID).Update(ctx, "newest", v.Version)
	return err
}

// compared is the difference between the rules of two versions, by what they say.
func compared(version int, old []ruleRow, rules []StoredRule) Updated {
	done := Updated{Version: version, Added: []string{}, Removed: []string{}}
	before, after := make(map[string]bool, len(old)), make(map[string]bool, len(rules))
	for _, rule := range old {
		before[string(rule.Identity)] = true
	}
	for _, rule := range rules {
		after[string(rule.Identity)] = true
		if before[string(rule.Identity)] {
			done.Unchanged++
		} else {
			done.Added = append(done.Added, rule.Content)
		}
	}
	for _, rule := range old {
		if !after[string(rule.Identity)] {
			done.Removed = append(done.Removed, rule.Content)
		}
	}
	return done
}

// Settled reports whether a version of a source is live or a later one is, or none will
// become live: the newest one failed, or the source is gone. SQL by hand: one trip, asked
// for often by those who wait.
func (k *Knowledge) Settled(ctx context.Context, v VersionRef) (bool, error) {
	waiting := false
	err := k.db.Pool.QueryRow(ctx, `
SELECT NOT s.removed AND coalesce(s.live, 0) < $3 AND v.state IN ('accepted', 'staging')
FROM sources s JOIN source_versions v ON v.workspace_id = s.workspace_id AND v.source_id = s.id AND v.version = s.newest
WHERE s.workspace_id = $1 AND s.id = $2`, v.WorkspaceID, v.SourceID, v.Version).Scan(&waiting)
	if pg.IsNoRow(err) {
		err = nil
	}
	return !waiting, pg.Translate(err)
}

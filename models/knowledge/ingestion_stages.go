package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/queue"
)

// Stages of a version's ingestion, in their order.
const (
	StageQueued     = "queued"
	StageConverting = "converting"
	StageChunking   = "chunking"
	StageRules      = "extracting-rules"
	StageEmbedding  = "embedding"
	StageIndexing   = "indexing"
	StageCompleted  = "completed"
)

// stageNumbers give how many stages are finished when one begins: the value of the
// column done.
var stageNumbers = map[string]int{StageConverting: 0, StageChunking: 1, StageRules: 2, StageEmbedding: 3, StageIndexing: 4, StageCompleted: 5}

const (
	// indexingVersions is how many versions of a workspace are being indexed at once. A version whose indexing
	// is finished holds no slot: it only waits for the transaction that ends it. If
	// it held one, others would be refused, and try again seconds later, while
	// nothing is being indexed.
	indexingVersions = 16
)

// VersionRef names a version of a source.
type VersionRef struct {
	WorkspaceID, SourceID string
	Version               int
}

// only limits a statement of GORM to the version.
func (v VersionRef) only(s *gorm.Statement) {
	pg.Tenant(v.WorkspaceID)(s)
	s.Where("source_id = ? AND version = ?", v.SourceID, v.Version)
}

// StageInput is a version at the beginning of a stage.
type StageInput struct {
	MimeType                  string
	OriginalKey, CanonicalKey string
	// Indexed says that the index may hold objects of it from an earlier try.
	Indexed bool
	// Ended says that the version has ended or is gone, or that its workspace is stopped: then it waits
	// in the queue. Beyond says that the stage is finished. Either way there is nothing to do.
	Ended, Beyond bool
}

// goesOn is the condition on a version v that is in work, and may be worked on.
const goesOn = `v.state IN ('accepted', 'staging') AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = v.workspace_id AND w.stopped_at IS NOT NULL)`

// beginStage enters a stage, unless the version has ended or is beyond it; one that was accepted is
// in work from then on. SQL by
// hand: one trip gives the row, and whether it was indexed before.
const beginStage = `
UPDATE source_versions v SET state = 'staging', stage = $4, updated_at = clock_timestamp(), indexed = v.indexed OR $6
FROM source_versions b
WHERE v.workspace_id = $1 AND v.source_id = $2 AND v.version = $3 AND v.done = $5 AND ` + goesOn + `
      AND b.workspace_id = $1 AND b.source_id = $2 AND b.version = $3
RETURNING v.mime_type, v.original_key, coalesce(v.canonical_key, ''), b.indexed`

// BeginStage enters a stage, if there is something to do in it. Errors:
// RESOURCE_EXHAUSTED while other versions of the workspace take all slots for
// indexing.
func (k *Knowledge) BeginStage(ctx context.Context, v VersionRef, stage string) (StageInput, error) {
	var in StageInput
	err := k.db.InTx(ctx, func(tx *pg.Tx) error {
		if stage == StageIndexing {
			if err := enterIndexing(ctx, tx, v); err != nil {
				return err
			}
		}
		err := tx.QueryRow(ctx, beginStage, v.WorkspaceID, v.SourceID, v.Version, stage, stageNumbers[stage], stage == StageIndexing).
			Scan(&in.MimeType, &in.OriginalKey, &in.CanonicalKey, &in.Indexed)
		if !pg.IsNoRow(err) {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM source_versions v WHERE v.workspace_id = $1 AND v.source_id = $2 AND v.version = $3 AND `+goesOn+`)`,
			v.WorkspaceID, v.SourceID, v.Version).Scan(&in.Beyond)
		in.Ended = !in.Beyond
		return err
	})
	return in, err
}

// InWork reports whether a version has not ended yet, and keeps it locked in the queue: whoever
// works on it asks now and then.
func (k *Knowledge) InWork(ctx context.Context, v VersionRef) (inWork bool, err error) {
	b := &pgx.Batch{}
	b.Queue(`SELECT EXISTS (SELECT 1 FROM source_versions
WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND state IN ('accepted', 'staging'))`, v.WorkspaceID, v.SourceID, v.Version).
		QueryRow(func(row pgx.Row) error { return row.Scan(&inWork) })
	queue.Extend(b, queue.Versions, v.key())
	return inWork, pg.Translate(k.db.Pool.SendBatch(ctx, b).Close())
}

// enterIndexing takes a slot for indexing, and notes that the index is used.
func enterIndexing(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	if err := reserveIndexing(ctx, tx, v); err != nil {
		return err
	}
	return noteUseIn(ctx, tx, v.WorkspaceID)
}

// reserveIndexing takes a slot for indexing. The advisory lock, which has no row and
// is taken by hand, makes the versions of a workspace count one after another.
func reserveIndexing(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('indexing/' || $1, 0))`, v.WorkspaceID); err != nil {
		return err
	}
	others, err := gorm.G[versionRow](tx.Gorm()).Scopes(pg.Tenant(v.WorkspaceID)).
		Where("state = 'staging' AND stage = 'indexing' AND done = ?", stageNumbers[StageIndexing]).
		Where("(source_id, version) <> (?, ?)", v.SourceID, v.Version).Count(ctx, "*")
	if err == nil && others >= indexingVersions {
		err = fault.ResourceExhausted("indexing-slots", "the workspace indexes as many versions as it may", time.Second)
	}
	return err
}

// inStage is the version while it is in work and a stage of it is not finished.
func inStage(tx *pg.Tx, v VersionRef, stage string) gorm.ChainInterface[versionRow] {
	return gorm.G[versionRow](tx.Gorm()).Scopes(v.only).Where("state = 'staging' AND done = ?", stageNumbers[stage])
}

// finishStage notes that a stage is finished.
func finishStage(ctx context.Context, tx *pg.Tx, v VersionRef, stage string) error {
	_, err := inStage(tx, v, stage).
		Set(clause.Assignments(map[string]any{"done": stageNumbers[stage] + 1, "updated_at": pg.Clock})).Update(ctx)
	return err
}

// MarkIndexed notes that the indexing is finished: a generation holds all objects.
func (k *Knowledge) MarkIndexed(ctx context.Context, v VersionRef, generationID string) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, insertCopy, v.WorkspaceID, v.SourceID, v.Version, generationID); err != nil {
			return err
		}
		return finishStage(ctx, tx, v, StageIndexing)
	})
}

// FinishStage notes that a stage which writes no rows is finished.
func (k *Knowledge) FinishStage(ctx context.Context, v VersionRef, stage string) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error { return finishStage(ctx, tx, v, stage) })
}

// Converted records what the conversion gave.
func (k *Knowledge) Converted(ctx context.Context, v VersionRef, canonicalKey string, metadata []byte) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		_, err := inStage(tx, v, StageConverting).Set(clause.Assignments(map[string]any{
			"canonical_key": canonicalKey, "metadata": withMetadata(metadata),
		})).Update(ctx)
		if err != nil {
			return err
		}
		return finishStage(ctx, tx, v, StageConverting)
	})
}

// withMetadata is a version's metadata with more of it.
func withMetadata(more []byte) clause.Expr { return gorm.Expr("metadata || ?", more) }

// StoredChunk is a chunk as a row.
type StoredChunk struct {
	Path, Content string
	Tokens        int
}

// StoreChunks writes all chunks of a version, in their order.
func (k *Knowledge) StoreChunks(ctx context.Context, v VersionRef, chunks []StoredChunk, makers string) error {
	return k.replaceRows(ctx, v, StageChunking, chunkRows(chunks), map[string]any{"chunk_count": len(chunks), "makers": makers})
}

// StoredRule is a rule as a row; an empty Category means none.
type StoredRule struct {
	ID, Content, Category string
	Identity              []byte
}

// StoreRules writes all rules of a version. A rule that the version before had
// keeps its id.
func (k *Knowledge) StoreRules(ctx context.Context, v VersionRef, rules []StoredRule, metadata []byte) error {
	known, err := k.ruleIDs(ctx, v)
	if err != nil {
		return err
	}
	return k.replaceRows(ctx, v, StageRules, ruleRows(keepIDs(rules, known)), map[string]any{"rule_count": len(rules), "metadata": withMetadata(metadata)})
}

// ruleIDs returns the ids of the rules of the version before, by what they say.
func (k *Knowledge) ruleIDs(ctx context.Context, v VersionRef) (map[string]string, error) {
	v.Version--
	rules, err := gorm.G[ruleRow](k.db.Gorm).Select("identity, id").Scopes(v.only).Find(ctx)
	return idsOf(rules), pg.Translate(err)
}

// replaceRows writes the rows of a stage in one transaction, after it has deleted
// those of an earlier try, and what is noted of them at the version. The version is
// locked, so of two tries at once only one does it.
func (k *Knowledge) replaceRows(ctx context.Context, v VersionRef, stage string, drawn drawnRows, noted map[string]any) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		hold := clause.Locking{Strength: clause.LockingStrengthUpdate}
		held, err := gorm.G[versionRow](tx.Gorm(), hold).Select("done").Scopes(v.only).Where("state = 'staging'").Take(ctx)
		if pg.IsNoRow(err) || err == nil && int(held.Done) != stageNumbers[stage] {
			return nil
		}
		if err != nil {
			return err
		}
		if err := drawn.replace(ctx, tx, v); err != nil {
			return err
		}
		if _, err := gorm.G[versionRow](tx.Gorm()).Scopes(v.only).Set(clause.Assignments(noted)).Update(ctx); err != nil {
			return err
		}
		return finishStage(ctx, tx, v, stage)
	})
}

// Complete makes a version live and retires the one before it, in one step.
func (k *Knowledge) Complete(ctx context.Context, v VersionRef) error {
	return k.end(ctx, v, ending{state: "live", stage: StageCompleted})
}

// Fail ends a version with a reason. What the index has of it stays invisible and
// is removed later.
func (k *Knowledge) Fail(ctx context.Context, v VersionRef, reason, message string) error {
	return k.end(ctx, v, ending{state: "failed", stage: "failed", reason: &reason, message: &message})
}

// ending is how a version's work ends: live, or failed with a reason.
type ending struct {
	state, stage    string
	reason, message *string
}

// endVersion ends a version in work only, and reports whether it did; the version
// becomes live only when all stages before the last one are finished.
func endVersion(ctx context.Context, tx *pg.Tx, v VersionRef, e ending) (bool, error) {
	row := gorm.G[versionRow](tx.Gorm()).Scopes(v.only).Where("state = 'staging'")
	set := map[string]any{
		"state": e.state, "stage": e.stage, "failure_reason": e.reason, "failure_message": e.message,
		"updated_at": pg.Clock,
	}
	if last := stageNumbers[StageCompleted]; e.state == "live" {
		row = row.Where("done = ?", last)
		set["done"], set["completed_at"] = last+1, pg.Clock
	}
	ended, err := row.Set(clause.Assignments(set)).Update(ctx)
	if ended > 0 {
		unqueue(tx, v)
	}
	return ended > 0, err
}

// end ends the work on a version; nothing else does. One that has ended already
// stays as it is. All that follows from the end is committed with it.
func (k *Knowledge) end(ctx context.Context, v VersionRef, e ending) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		return endIn(ctx, tx, v, e)
	})
}

func endIn(ctx context.Context, tx *pg.Tx, v VersionRef, e ending) error {
	if err := lockSource(ctx, tx, v); err != nil {
		return err
	}
	if e.state == "live" {
		if moved, err := takenBack(ctx, tx, v); err != nil || moved {
			return err
		}
	}
	if ended, err := endVersion(ctx, tx, v, e); err != nil || !ended {
		return err
	}
	if e.state == "live" {
		if err := goLive(ctx, tx, v); err != nil {
			return err
		}
	}
	return publishIngest(ctx, tx, v)
}

// lockOne locks a source so that rows which refer to it can still be written: who holds a
// version and writes it twice has the reference looked at again, while who holds the source
// may be waiting for that version.
const lockOne = `SELECT FROM sources WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE`

func lockSource(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	_, err := tx.Exec(ctx, lockOne, v.WorkspaceID, v.SourceID)
	return err
}

// goLive retires what the version replaces.
func goLive(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	b := &pgx.Batch{}
	b.Queue(countLive, v.WorkspaceID)
	tx.SendLast(b) // versions of other sources wait for it
	if err := retire(ctx, tx, v, v.Version-1, "live", "accepted", "staging"); err != nil {
		return err
	}
	_, err := gorm.G[sourceRow](tx.Gorm()).Scopes(pg.Tenant(v.WorkspaceID)).Where("id = ?", v.SourceID).Update(ctx, "live", v.Version)
	return err
}

// countLive is by hand, since it inserts or counts.
const countLive = `
INSERT INTO index_uses AS u (workspace_id, used_at, went_live) VALUES ($1, clock_timestamp(), 1)
ON CONFLICT (workspace_id) DO UPDATE SET went_live = u.went_live + 1`

// retireVersions is by hand, since it returns what it changes.
const retireVersions = `
UPDATE source_versions SET state = 'retired', updated_at = clock_timestamp()
WHERE workspace_id = $1 AND source_id = $2 AND version <= $3 AND state = ANY ($4) RETURNING version`

// retire retires the versions of the source of v up to a number that are in one of the states.
func retire(ctx context.Context, tx *pg.Tx, v VersionRef, upTo int, states ...string) error {
	rows, err := tx.Query(ctx, retireVersions, v.WorkspaceID, v.SourceID, upTo, states)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, []any{&v.Version}, func() error {
		unqueue(tx, v)
		return nil
	})
	return err
}

// hiddenVersions is by hand for what it has in common with removed.
const hiddenVersions = `
SELECT v.workspace_id, v.source_id, v.version FROM source_versions v JOIN sources s ON s.workspace_id = v.workspace_id AND s.id = v.source_id
WHERE v.indexed AND v.state IN ('failed', 'retired') AND ` + endedLong + ` LIMIT $1`

// HiddenVersions returns up to limit versions of which the index may hold objects
// although they failed or were retired some time ago (endedFor, deletedFor).
func (k *Knowledge) HiddenVersions(ctx context.Context, limit int) ([]VersionRef, error) {
	rows, err := k.db.Pool.Query(ctx, hiddenVersions, limit, endedFor, deletedFor)
	if err != nil {
		return nil, pg.Translate(err)
	}
	hidden, err := pgx.CollectRows(rows, pgx.RowToStructByPos[VersionRef])
	return hidden, pg.Translate(err)
}

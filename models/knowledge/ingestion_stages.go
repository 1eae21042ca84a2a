package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/nudge"
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
	// WorkingVersions is how many versions of a workspace are in work at once,
	// indexingVersions how many of them are being indexed. A version whose indexing
	// is finished holds no slot: it only waits for the transaction that ends it. If
	// it held one, others would be refused, and try again seconds later, while
	// nothing is being indexed.
	WorkingVersions, indexingVersions = 64, 16
	// driveAgain is when a version in work is offered to the engine again; for
	// one that has a run, that changes nothing.
	driveAgain = 30 * time.Second
)

// VersionRef names a version of a source.
type VersionRef struct {
	WorkspaceID, SourceID string
	Version               int
}

// claimVersions claims what is due: versions in work first, then the oldest
// accepted ones of each workspace in turn, up to WorkingVersions. The statements
// here are SQL by hand: many rows each, or under the lock of source before version.
const claimVersions = `
WITH due AS (
    SELECT workspace_id, source_id, version, state, started_at,
           row_number() OVER (PARTITION BY workspace_id, state ORDER BY started_at, source_id) AS rank,
           (SELECT count(*) FROM source_versions w WHERE w.workspace_id = v.workspace_id AND w.state = 'staging') AS working
    FROM source_versions v WHERE drive_after <= clock_timestamp()
), chosen AS (
    SELECT workspace_id, source_id, version FROM due WHERE state = 'staging' OR rank + working <= $2
    ORDER BY (state = 'staging') DESC, rank, started_at LIMIT $1
), locked AS (
    SELECT v.workspace_id, v.source_id, v.version FROM source_versions v JOIN chosen USING (workspace_id, source_id, version)
    FOR UPDATE OF v SKIP LOCKED
)
UPDATE source_versions v SET drive_after = clock_timestamp() + $3::interval, state = 'staging' FROM locked
WHERE v.workspace_id = locked.workspace_id AND v.source_id = locked.source_id AND v.version = locked.version
      AND v.state IN ('accepted', 'staging') AND v.drive_after <= clock_timestamp()
RETURNING v.workspace_id, v.source_id, v.version`

// ClaimVersions claims up to limit versions for which the engine is to be asked
// for a run. They are due again after half a minute, until they have ended.
func (k *Knowledge) ClaimVersions(ctx context.Context, limit int) ([]VersionRef, error) {
	rows, err := k.db.Pool.Query(ctx, claimVersions, limit, WorkingVersions, driveAgain)
	if err != nil {
		return nil, pg.Translate(err)
	}
	claimed, err := pgx.CollectRows(rows, pgx.RowToStructByPos[VersionRef])
	return claimed, pg.Translate(err)
}

// VersionBack makes a claimed version due at once: the engine did not take it.
func (k *Knowledge) VersionBack(ctx context.Context, v VersionRef) error {
	_, err := k.db.Pool.Exec(ctx, `UPDATE source_versions SET drive_after = clock_timestamp()
WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND drive_after IS NOT NULL`, v.WorkspaceID, v.SourceID, v.Version)
	return pg.Translate(err)
}

// StageInput is a version at the beginning of a stage.
type StageInput struct {
	MimeType                  string
	OriginalKey, CanonicalKey string
	// InStage is how long the stage has been tried.
	InStage time.Duration
	// Indexed says that the index may hold objects of it from an earlier try.
	Indexed bool
	// Ended says that the version has ended or is gone, Beyond that the stage is
	// finished. Either way there is nothing to do.
	Ended, Beyond bool
}

// beginStage enters a stage, unless the version has ended or is beyond it.
const beginStage = `
UPDATE source_versions v SET stage = $4, updated_at = clock_timestamp(), indexed = v.indexed OR $6,
       stage_since = CASE WHEN v.stage = $4 THEN v.stage_since ELSE clock_timestamp() END
FROM source_versions b
WHERE v.workspace_id = $1 AND v.source_id = $2 AND v.version = $3 AND v.state = 'staging' AND v.done = $5
      AND b.workspace_id = $1 AND b.source_id = $2 AND b.version = $3
RETURNING v.mime_type, v.original_key, coalesce(v.canonical_key, ''), clock_timestamp() - v.stage_since, b.indexed`

// BeginStage enters a stage, if there is something to do in it. Errors:
// RESOURCE_EXHAUSTED while other versions of the workspace take all slots for
// indexing.
func (k *Knowledge) BeginStage(ctx context.Context, v VersionRef, stage string) (StageInput, error) {
	var in StageInput
	err := k.db.InTx(ctx, func(tx *pg.Tx) error {
		if stage == StageIndexing {
			if err := reserveIndexing(ctx, tx, v); err != nil {
				return err
			}
		}
		err := tx.QueryRow(ctx, beginStage, v.WorkspaceID, v.SourceID, v.Version, stage, stageNumbers[stage], stage == StageIndexing).
			Scan(&in.MimeType, &in.OriginalKey, &in.CanonicalKey, &in.InStage, &in.Indexed)
		if !pg.IsNoRow(err) {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT done FROM source_versions WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND state = 'staging'`,
			v.WorkspaceID, v.SourceID, v.Version).Scan(new(int))
		in.Ended, in.Beyond = pg.IsNoRow(err), err == nil
		if in.Ended {
			return nil
		}
		return err
	})
	return in, err
}

// InWork reports whether a version has not ended yet.
func (k *Knowledge) InWork(ctx context.Context, v VersionRef) (bool, error) {
	var inWork bool
	err := k.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM source_versions
WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND state = 'staging')`, v.WorkspaceID, v.SourceID, v.Version).Scan(&inWork)
	return inWork, pg.Translate(err)
}

// reserveIndexing takes a slot for indexing. The lock makes the versions of a
// workspace count one after another.
func reserveIndexing(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('indexing/' || $1, 0))`, v.WorkspaceID); err != nil {
		return err
	}
	var others int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM source_versions
WHERE workspace_id = $1 AND state = 'staging' AND stage = 'indexing' AND done = $4 AND (source_id, version) <> ($2, $3)`,
		v.WorkspaceID, v.SourceID, v.Version, stageNumbers[StageIndexing]).Scan(&others)
	if err == nil && others >= indexingVersions {
		err = fault.Exhausted("indexing-slots", "the workspace indexes as many versions as it may", time.Second)
	}
	return err
}

// endStage notes that a stage is finished; $4 is its number.
const endStage = `
UPDATE source_versions SET done = $4 + 1, updated_at = clock_timestamp()
WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND state = 'staging' AND done = $4`

func finishStage(ctx context.Context, tx *pg.Tx, v VersionRef, stage string) error {
	_, err := tx.Exec(ctx, endStage, v.WorkspaceID, v.SourceID, v.Version, stageNumbers[stage])
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
func (k *Knowledge) Converted(ctx context.Context, v VersionRef, canonicalKey string, hash, metadata []byte) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE source_versions SET canonical_key = $4, canonical_hash = $5, metadata = metadata || $6
WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND state = 'staging' AND done = $7`,
			v.WorkspaceID, v.SourceID, v.Version, canonicalKey, hash, metadata, stageNumbers[StageConverting])
		if err != nil {
			return err
		}
		return finishStage(ctx, tx, v, StageConverting)
	})
}

// StoredChunk is a chunk as a row.
type StoredChunk struct {
	Path, Content string
	Tokens        int
}

// StoreChunks writes all chunks of a version, in their order.
func (k *Knowledge) StoreChunks(ctx context.Context, v VersionRef, chunks []StoredChunk, makers string) error {
	return k.replaceRows(ctx, v, StageChunking, "chunks", []string{"path", "content", "tokens"}, len(chunks),
		func(i int) []any { return []any{chunks[i].Path, chunks[i].Content, chunks[i].Tokens} },
		`UPDATE source_versions SET chunk_count = $4, makers = $5 WHERE workspace_id = $1 AND source_id = $2 AND version = $3`, makers)
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
	return k.replaceRows(ctx, v, StageRules, "rules", []string{"id", "content", "category", "identity"}, len(rules),
		func(i int) []any {
			r := rules[i]
			if before, ok := known[string(r.Identity)]; ok {
				r.ID = before
			}
			return []any{r.ID, r.Content, pg.Optional(r.Category), r.Identity}
		},
		`UPDATE source_versions SET rule_count = $4, metadata = metadata || $5 WHERE workspace_id = $1 AND source_id = $2 AND version = $3`, metadata)
}

func (k *Knowledge) ruleIDs(ctx context.Context, v VersionRef) (map[string]string, error) {
	rows, err := k.db.Pool.Query(ctx, `SELECT identity, id FROM rules WHERE workspace_id = $1 AND source_id = $2 AND version = $3 - 1`,
		v.WorkspaceID, v.SourceID, v.Version)
	if err != nil {
		return nil, pg.Translate(err)
	}
	known := map[string]string{}
	var identity []byte
	var id string
	_, err = pgx.ForEachRow(rows, []any{&identity, &id}, func() error {
		known[string(identity)] = id
		return nil
	})
	return known, pg.Translate(err)
}

// replaceRows writes the rows of a stage in one transaction, after it has deleted
// those of an earlier try. The version is locked, so of two tries at once only one
// does it.
func (k *Knowledge) replaceRows(ctx context.Context, v VersionRef, stage, table string, columns []string, count int,
	row func(int) []any, note string, noted any,
) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		var done int
		err := tx.QueryRow(ctx, `SELECT done FROM source_versions WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND state = 'staging' FOR UPDATE`,
			v.WorkspaceID, v.SourceID, v.Version).Scan(&done)
		if pg.IsNoRow(err) || err == nil && done != stageNumbers[stage] {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE workspace_id = $1 AND source_id = $2 AND version = $3`, v.WorkspaceID, v.SourceID, v.Version); err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{table}, append([]string{"workspace_id", "source_id", "version", "ordinal"}, columns...),
			pgx.CopyFromSlice(count, func(i int) ([]any, error) {
				return append([]any{v.WorkspaceID, v.SourceID, v.Version, i}, row(i)...), nil
			}))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, note, v.WorkspaceID, v.SourceID, v.Version, count, noted); err != nil {
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

// endVersion ends a version in work only; it becomes live only when all stages
// before the last one, whose number is $8, are finished.
const endVersion = `
UPDATE source_versions SET state = $4, stage = $5, failure_reason = $6, failure_message = $7, drive_after = NULL, updated_at = clock_timestamp(),
       done = CASE WHEN $4 = 'live' THEN $8 + 1 ELSE done END, completed_at = CASE WHEN $4 = 'live' THEN clock_timestamp() END
WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND state = 'staging' AND ($4 <> 'live' OR done = $8)`

// end ends the work on a version; nothing else does. One that has ended already
// stays as it is. All that follows from the end is committed with it.
func (k *Knowledge) end(ctx context.Context, v VersionRef, e ending) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		tx.WakeAll(nudge.Versions) // its slot is free for another version, or it is to be indexed again
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
	tag, err := tx.Exec(ctx, endVersion, v.WorkspaceID, v.SourceID, v.Version, e.state, e.stage, e.reason, e.message,
		stageNumbers[StageCompleted])
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if e.state == "live" {
		if err := goLive(ctx, tx, v); err != nil {
			return err
		}
	}
	return publishIngest(ctx, tx, v)
}

func lockSource(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	_, err := tx.Exec(ctx, `SELECT 1 FROM sources WHERE workspace_id = $1 AND id = $2 FOR UPDATE`, v.WorkspaceID, v.SourceID)
	return err
}

// goLive retires what the version replaces.
func goLive(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	_, err := tx.Exec(ctx, `UPDATE source_versions SET state = 'retired', drive_after = NULL, updated_at = clock_timestamp()
WHERE workspace_id = $1 AND source_id = $2 AND version < $3 AND state IN ('live', 'accepted', 'staging')`, v.WorkspaceID, v.SourceID, v.Version)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE sources SET live = $3 WHERE workspace_id = $1 AND id = $2`, v.WorkspaceID, v.SourceID, v.Version)
	return err
}

// HiddenVersions gives up to limit versions of which the index may hold objects
// although they failed or were retired more than a minute ago: no search that saw
// them lasts so long.
func (k *Knowledge) HiddenVersions(ctx context.Context, limit int) ([]VersionRef, error) {
	rows, err := k.db.Pool.Query(ctx, `SELECT workspace_id, source_id, version FROM source_versions
WHERE indexed AND state IN ('failed', 'retired') AND updated_at < clock_timestamp() - interval '60 seconds' LIMIT $1`, limit)
	if err != nil {
		return nil, pg.Translate(err)
	}
	hidden, err := pgx.CollectRows(rows, pgx.RowToStructByPos[VersionRef])
	return hidden, pg.Translate(err)
}

// Purged notes that the index holds nothing of a version any more.
func (k *Knowledge) Purged(ctx context.Context, v VersionRef) error {
	_, err := k.db.Pool.Exec(ctx, `WITH gone AS (UPDATE source_versions SET indexed = false
      WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND state IN ('failed', 'retired') RETURNING workspace_id, source_id, version)
DELETE FROM index_copies c USING gone WHERE c.workspace_id = gone.workspace_id AND c.source_id = gone.source_id AND c.version = gone.version`,
		v.WorkspaceID, v.SourceID, v.Version)
	return pg.Translate(err)
}

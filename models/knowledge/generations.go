package knowledge

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/vector"
)

// Generation is a set of collections in the index with the vectors of one model.
type Generation struct {
	ID string
	// Suffix ends the names of its collections.
	Suffix string
	// Identity of the model, and its vector of the probe sentence.
	Identity string
	Probe    []float32
	// Model is the name under which its vectors are kept in rows.
	Model string
}

const (
	stateBuilding = "building"
	stateServing  = "serving"
	// generationKept is for how long it is remembered which generation serves.
	// Whoever finds that another one does asks again.
	generationKept = 5 * time.Second
	// dropAfter is how long a generation is kept after it has served: no search
	// lasts so long.
	dropAfter = 60 * time.Second
)

// servingCache keeps the serving generation for a moment.
type servingCache struct {
	mu    sync.Mutex
	known *Generation
	until time.Time
}

func (row generationRow) view() Generation {
	return Generation{ID: row.ID, Suffix: row.Suffix, Identity: row.Identity, Probe: vector.FromBytes(row.Probe), Model: row.Model}
}

func generationsOf(ctx context.Context, query gorm.ChainInterface[generationRow]) ([]Generation, error) {
	rows, err := query.Find(ctx)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found := make([]Generation, len(rows))
	for i, row := range rows {
		found[i] = row.view()
	}
	return found, nil
}

// generation returns the one in a state; nil when there is none.
func (k *Knowledge) generation(ctx context.Context, state string) (*Generation, error) {
	found, err := generationsOf(ctx, gorm.G[generationRow](k.db.Gorm).Where("state = ?", state))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Serving returns the generation that searches read, nil before there is one. The
// answer may be up to generationKept old; fresh reads the rows.
func (k *Knowledge) Serving(ctx context.Context, fresh bool) (*Generation, error) {
	k.serving.mu.Lock()
	known, until := k.serving.known, k.serving.until
	k.serving.mu.Unlock()
	if known != nil && !fresh && time.Now().Before(until) {
		return known, nil
	}
	found, err := k.generation(ctx, stateServing)
	if err == nil {
		k.serving.mu.Lock()
		k.serving.known, k.serving.until = found, time.Now().Add(generationKept)
		k.serving.mu.Unlock()
	}
	return found, err
}

func newGeneration(identity string, probe []float32, model string) Generation {
	made := id.New(id.Generation)
	return Generation{ID: made, Suffix: "_" + made[len(id.Generation)+1:], Identity: identity, Probe: probe, Model: model}
}

func (k *Knowledge) addGeneration(ctx context.Context, g Generation, state string) error {
	row := generationRow{ID: g.ID, Suffix: g.Suffix, State: state, Identity: g.Identity, Probe: vector.Bytes(g.Probe), Model: g.Model}
	return pg.Translate(gorm.G[generationRow](k.db.Gorm, clause.OnConflict{DoNothing: true}).Create(ctx, &row))
}

// FirstGeneration returns the serving generation; while there is none it makes an
// empty one for the model.
func (k *Knowledge) FirstGeneration(ctx context.Context, identity string, probe []float32) (*Generation, error) {
	if err := k.addGeneration(ctx, newGeneration(identity, probe, identity), stateServing); err != nil {
		return nil, err
	}
	return k.Serving(ctx, true)
}

// Building returns the generation that is being built, nil when there is none.
func (k *Knowledge) Building(ctx context.Context) (*Generation, error) {
	return k.generation(ctx, stateBuilding)
}

// Build begins a generation for a model, or goes on with the one that was begun
// for it. A generation begun for another model is retired.
func (k *Knowledge) Build(ctx context.Context, identity string, probe []float32, model string) (*Generation, error) {
	open, err := k.Building(ctx)
	if err != nil || open != nil && open.Model == model {
		return open, err
	}
	if open != nil {
		if err := retireGeneration(ctx, k.db.Gorm, stateBuilding); err != nil {
			return nil, pg.Translate(err)
		}
	}
	if err := k.addGeneration(ctx, newGeneration(identity, probe, model), stateBuilding); err != nil {
		return nil, err
	}
	return k.Building(ctx)
}

func retireGeneration(ctx context.Context, orm *gorm.DB, state string) error {
	_, err := gorm.G[generationRow](orm).Where("state = ?", state).
		Set(clause.Assignments(map[string]any{"state": "retired", "retired_at": pg.Clock})).Update(ctx)
	return err
}

// judgmentsNotCopied finds judgments that the generation which is being built lacks.
const judgmentsNotCopied = `SELECT 1 FROM judgment_index WHERE indexed AND building IS DISTINCT FROM $1`

// notCopied finds live versions that are not completely in a generation. It, and
// what counts them, goes over versions and copies in one statement, by hand.
const notCopied = ` FROM source_versions v WHERE v.state = 'live' AND NOT EXISTS (SELECT 1 FROM index_copies c WHERE c.workspace_id = v.workspace_id
      AND c.source_id = v.source_id AND c.version = v.version AND c.generation_id = $1)`

// Uncopied returns up to limit live versions that a generation lacks.
func (k *Knowledge) Uncopied(ctx context.Context, generationID string, limit int) ([]VersionRef, error) {
	rows, err := k.db.Pool.Query(ctx, `SELECT v.workspace_id, v.source_id, v.version`+notCopied+` ORDER BY v.workspace_id, v.source_id LIMIT $2`, generationID, limit)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[VersionRef])
	return found, pg.Translate(err)
}

// LiveVersions counts the live versions, and of how many of them a generation
// holds everything.
func (k *Knowledge) LiveVersions(ctx context.Context, generationID string) (live, copied int, err error) {
	err = k.db.Pool.QueryRow(ctx, `SELECT count(*), count(c.source_id) FROM source_versions v LEFT JOIN index_copies c
ON c.workspace_id = v.workspace_id AND c.source_id = v.source_id AND c.version = v.version AND c.generation_id = $1 WHERE v.state = 'live'`, generationID).Scan(&live, &copied)
	return live, copied, pg.Translate(err)
}

// insertCopy makes no copy of a version that is gone: it takes the key from the
// version's row, in the same statement.
const insertCopy = `INSERT INTO index_copies (workspace_id, source_id, version, generation_id)
SELECT workspace_id, source_id, version, $4 FROM source_versions WHERE workspace_id = $1 AND source_id = $2 AND version = $3
ON CONFLICT DO NOTHING`

// Copied notes that a generation holds all objects of a version. If the version
// has ended meanwhile, it is marked to be removed from the index once more.
func (k *Knowledge) Copied(ctx context.Context, v VersionRef, generationID string) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, insertCopy, v.WorkspaceID, v.SourceID, v.Version, generationID); err != nil {
			return err
		}
		if err := noteUseIn(ctx, tx, v.WorkspaceID); err != nil {
			return err
		}
		_, err := gorm.G[versionRow](tx.Gorm()).Scopes(v.only).Where("state IN ('failed', 'retired')").
			Set(clause.Assignments(map[string]any{"indexed": true, "updated_at": pg.Clock})).Update(ctx)
		return err
	})
}

// Present reports whether a version is live, and whether it has a row at all.
func (k *Knowledge) Present(ctx context.Context, v VersionRef) (live, there bool, err error) {
	rows, err := gorm.G[versionRow](k.db.Gorm).Select("state").Scopes(v.only).Find(ctx)
	if err != nil || len(rows) == 0 {
		return false, false, pg.Translate(err)
	}
	return rows[0].State == "live", true, nil
}

// Switch makes the generation that is being built the serving one; it returns false
// when the generation still lacks a live version or a judgment. A version that is about to
// become live waits for the switch and sees it.
func (k *Knowledge) Switch(ctx context.Context, generationID string) (done bool, err error) {
	err = k.db.InTx(ctx, func(tx *pg.Tx) error {
		hold := clause.Locking{Strength: clause.LockingStrengthUpdate}
		if _, err := gorm.G[generationRow](tx.Gorm(), hold).Select("id").Where("state = 'serving'").Find(ctx); err != nil {
			return err
		}
		var lacks bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1`+notCopied+`) OR EXISTS (`+judgmentsNotCopied+`)`, generationID).Scan(&lacks); err != nil || lacks {
			return err
		}
		if err := retireGeneration(ctx, tx.Gorm(), stateServing); err != nil {
			return err
		}
		switched, err := gorm.G[generationRow](tx.Gorm()).Where("id = ? AND state = 'building'", generationID).Update(ctx, "state", stateServing)
		done = switched == 1
		return err
	})
	return done && err == nil, err
}

// takeBack sends a version that is about to become live through embedding and
// indexing once more, unless the serving generation holds all of it. The lock
// keeps that generation the serving one until the version has ended. SQL by hand:
// lock, look and change are one statement.
const takeBack = `
WITH serving AS (SELECT id FROM index_generations WHERE state = 'serving' FOR SHARE)
UPDATE source_versions v SET done = $4, stage = $5, updated_at = clock_timestamp()
WHERE v.workspace_id = $1 AND v.source_id = $2 AND v.version = $3 AND v.state = 'staging' AND v.done = $6
      AND NOT EXISTS (SELECT 1 FROM index_copies c, serving g WHERE c.workspace_id = $1 AND c.source_id = $2 AND c.version = $3 AND c.generation_id = g.id)`

func takenBack(ctx context.Context, tx *pg.Tx, v VersionRef) (bool, error) {
	tag, err := tx.Exec(ctx, takeBack, v.WorkspaceID, v.SourceID, v.Version, stageNumbers[StageEmbedding], StageEmbedding,
		stageNumbers[StageCompleted])
	if tag.RowsAffected() > 0 { // its run has seen the last stage and ends, so it is to have another one at once
		unqueue(tx, v)
		queueVersion(tx, v)
	}
	return tag.RowsAffected() > 0, err
}

// Standing returns the generations that are in use: the serving one and the one that
// is being built.
func (k *Knowledge) Standing(ctx context.Context) ([]Generation, error) {
	return generationsOf(ctx, gorm.G[generationRow](k.db.Gorm).Where("state <> 'retired'"))
}

// Dropped returns the generations that have served no search for a minute.
func (k *Knowledge) Dropped(ctx context.Context) ([]Generation, error) {
	return generationsOf(ctx, gorm.G[generationRow](k.db.Gorm).
		Where("state = 'retired' AND retired_at < clock_timestamp() - make_interval(secs => ?)", dropAfter.Seconds()))
}

// forgetBatch is how many vectors one statement removes.
const forgetBatch = 5000

// Forget removes a generation whose collections are gone, and the vectors of
// its model where no other generation needs them. Those go by hand, a limited
// number with each statement, so that none holds locks for long.
func (k *Knowledge) Forget(ctx context.Context, g Generation) error {
	for {
		tag, err := k.db.Pool.Exec(ctx, `DELETE FROM vectors WHERE ctid IN (SELECT ctid FROM vectors WHERE model = $2
      AND NOT EXISTS (SELECT 1 FROM index_generations WHERE id <> $1 AND model = $2) LIMIT $3)`, g.ID, g.Model, forgetBatch)
		if err != nil {
			return pg.Translate(err)
		}
		if tag.RowsAffected() < forgetBatch {
			break
		}
	}
	_, err := gorm.G[generationRow](k.db.Gorm).Where("id = ? AND state = 'retired'", g.ID).Delete(ctx)
	return pg.Translate(err)
}

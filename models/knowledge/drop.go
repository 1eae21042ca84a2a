package knowledge

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// What a version leaves, some rows at a time, and then itself and its source, if it
// was the last one. SQL by hand: GORM's deletes have no limit.
const (
	dropChunks = `
DELETE FROM chunks WHERE ctid = ANY (ARRAY(SELECT ctid FROM chunks WHERE workspace_id = $1 AND source_id = $2 AND version = $3 LIMIT $4))
RETURNING coalesce(text_hash, ''::bytea)`
	dropRules = `
DELETE FROM rules WHERE ctid = ANY (ARRAY(SELECT ctid FROM rules WHERE workspace_id = $1 AND source_id = $2 AND version = $3 LIMIT $4))
RETURNING coalesce(text_hash, ''::bytea)`
	// A version that has come into the index again stays until it is out of it.
	dropVersion = `DELETE FROM source_versions WHERE workspace_id = $1 AND source_id = $2 AND version = $3 AND NOT (indexed AND state IN ('failed', 'retired'))`
	dropSource  = `
DELETE FROM sources s WHERE s.workspace_id = $1 AND s.id = $2 AND s.removed
       AND NOT EXISTS (SELECT FROM source_versions v WHERE v.workspace_id = s.workspace_id AND v.source_id = s.id)`
)

// The vectors of some texts. Those of a retired generation's model go with it.
const vectorsOfTexts = `FROM vectors v WHERE v.workspace_id = $1 AND v.text_hash = ANY($2)
      AND v.model = ANY (ARRAY(SELECT g.model FROM index_generations g WHERE g.state <> 'retired'))`

// Vectors are locked before it is asked who uses them, by a statement of its own:
// whoever names one in a row holds it (StoreVectors) until that row can be seen.
const (
	lockVectors = `SELECT ` + vectorsOfTexts + ` ORDER BY v.model, v.text_hash FOR UPDATE`
	dropVectors = `DELETE ` + vectorsOfTexts + `
      AND NOT EXISTS (SELECT FROM chunks r WHERE r.workspace_id = $1 AND r.text_hash = v.text_hash)
      AND NOT EXISTS (SELECT FROM rules r WHERE r.workspace_id = $1 AND r.text_hash = v.text_hash)`
)

// DropVersion removes the rows of a version whose files are gone, the vectors that no
// other row uses, and its source with the last version of it. Of a version that a copy
// has brought into the index meanwhile the row stays, until it has been purged once more.
func (k *Knowledge) DropVersion(ctx context.Context, v VersionRef) error {
	for _, statement := range []string{dropChunks, dropRules} {
		for dropped := removeBatch; dropped == removeBatch; {
			var err error
			if dropped, err = k.dropBatch(ctx, v, statement); err != nil {
				return err
			}
		}
	}
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, dropVersion, v.WorkspaceID, v.SourceID, v.Version); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, dropSource, v.WorkspaceID, v.SourceID)
		return err
	})
}

// dropBatch removes rows of a version with the vectors that they were the last to use.
func (k *Knowledge) dropBatch(ctx context.Context, v VersionRef, statement string) (dropped int, err error) {
	err = k.db.InTx(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, statement, v.WorkspaceID, v.SourceID, v.Version, removeBatch)
		if err != nil {
			return err
		}
		texts, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if dropped = len(texts); err != nil || dropped == 0 {
			return err
		}
		return dropUnnamed(ctx, tx, v.WorkspaceID, texts)
	})
	return dropped, err
}

// dropUnnamed removes those vectors of some texts that no row names any more.
func dropUnnamed(ctx context.Context, tx *pg.Tx, workspaceID string, texts [][]byte) error {
	b := &pgx.Batch{}
	b.Queue(lockVectors, workspaceID, texts)
	b.Queue(dropVectors, workspaceID, texts)
	return tx.SendBatch(ctx, b).Close()
}

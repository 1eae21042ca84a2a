package judgment

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// uncopied finds judgments of which the serving generation has everything and the one
// that is being built does not, behind a key. SQL by hand, as what reads them.
const uncopied = `SELECT key FROM judgment_index WHERE indexed AND building IS DISTINCT FROM $1 AND key > $2 ORDER BY key LIMIT $3`

// Uncopied returns up to limit judgments that the generation which is being built lacks,
// behind a key, with their vectors by a model, and the last key that it looked at, 0 where
// none are left.
func (s *Judgments) Uncopied(ctx context.Context, generationID, model string, after int64, limit int) (found []Pending, last int64, err error) {
	rows, err := s.db.Pool.Query(ctx, uncopied, generationID, after, limit)
	if err != nil {
		return nil, 0, pg.Translate(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(keys) == 0 {
		return nil, 0, pg.Translate(err)
	}
	found, _, err = s.read(ctx, pgx.NamedArgs{"model": model, "keys": keys, "workspaces": []string{}, "records": []string{}})
	return found, keys[len(keys)-1], err
}

// copied leaves out what has changed meanwhile: it is brought in again, or removed.
const copied = `
UPDATE judgment_index i SET building = $3 FROM unnest($1::bigint[], $2::int[]) AS n (key, revision)
WHERE i.key = n.key AND i.revision = n.revision AND i.indexed`

// Copied notes that the generation which is being built has these judgments.
func (s *Judgments) Copied(ctx context.Context, generationID string, of []Pending) error {
	keys, revisions := refs(of)
	b := &pgx.Batch{}
	b.Queue(lockIndex, keys)
	b.Queue(copied, keys, revisions, generationID)
	return pg.Translate(s.db.Pool.SendBatch(ctx, b).Close())
}

// Held returns up to limit keys of judgments of a workspace behind one, of which the index
// should have everything (true) or may have something (false).
func (s *Judgments) Held(ctx context.Context, workspaceID string, after int64, limit int) (keys []int64, whole map[int64]bool, err error) {
	rows, err := s.db.Pool.Query(ctx, `SELECT key, indexed FROM judgment_index WHERE workspace_id = $1 AND key > $2 ORDER BY key LIMIT $3`,
		workspaceID, after, limit)
	if err != nil {
		return nil, nil, pg.Translate(err)
	}
	whole = map[int64]bool{}
	var key int64
	var all bool
	_, err = pgx.ForEachRow(rows, []any{&key, &all}, func() error {
		keys, whole[key] = append(keys, key), all
		return nil
	})
	return keys, whole, pg.Translate(err)
}

// lost finds judgments of $1 that the index should have and has not.
const lost = `UPDATE judgment_index i SET indexed = false FROM judgments j
WHERE i.key = ANY (ARRAY(SELECT key FROM judgment_index WHERE key = ANY ($1) AND indexed ORDER BY key FOR UPDATE)) AND j.key = i.key
RETURNING j.workspace_id, j.record_id`

// IndexAgain queues judgments to be brought into the index that it has lost, by their keys.
func (s *Judgments) IndexAgain(ctx context.Context, keys []int64) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, lost, keys)
		if err != nil {
			return err
		}
		var workspaceID, recordID string
		_, err = pgx.ForEachRow(rows, []any{&workspaceID, &recordID}, func() error {
			bringIn(tx, workspaceID, recordID)
			return nil
		})
		return err
	})
}

// IndexedWorkspaces returns the workspaces that have judgments in the index.
func (s *Judgments) IndexedWorkspaces(ctx context.Context) ([]string, error) {
	rows, err := s.db.Pool.Query(ctx, `SELECT DISTINCT workspace_id FROM judgment_index ORDER BY 1`)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return found, pg.Translate(err)
}

// forgetBatch is how many vectors one statement removes.
const forgetBatch = 5000

// forgetVectors passes over the vectors of a model that another generation needs.
const forgetVectors = `
WITH batch AS MATERIALIZED (
    SELECT key FROM judgment_vectors
    WHERE model = $2 AND key > $3 AND NOT EXISTS (SELECT FROM index_generations WHERE id <> $1 AND model = $2) ORDER BY key LIMIT $4 FOR UPDATE
), gone AS (DELETE FROM judgment_vectors v USING batch b WHERE v.key = b.key AND v.model = $2)
SELECT coalesce(max(key), 0) FROM batch`

// ForgetVectors removes the vectors by the model of a generation whose collections are gone,
// where no other generation needs them. SQL by hand: no statement holds locks for long.
func (s *Judgments) ForgetVectors(ctx context.Context, generationID, model string) error {
	for last := int64(0); ; {
		if err := s.db.Pool.QueryRow(ctx, forgetVectors, generationID, model, last, forgetBatch).Scan(&last); err != nil || last == 0 {
			return pg.Translate(err)
		}
	}
}

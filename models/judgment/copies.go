package judgment

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// uncopied finds judgments of which the serving generation has everything and the one
// that is being built does not, behind a key. SQL by hand, as what reads them.
const uncopied = `
SELECT workspace_id, key, revision, true FROM judgment_index
WHERE due IS NULL AND building IS DISTINCT FROM $1 AND key > $2 ORDER BY key LIMIT $3`

// Uncopied returns up to limit judgments that the generation which is being built lacks,
// behind a key, with their vectors by a model.
func (s *Judgments) Uncopied(ctx context.Context, generationID, model string, after int64, limit int) ([]Owed, error) {
	rows, err := s.db.Pool.Query(ctx, uncopied, generationID, after, limit)
	if err != nil {
		return nil, pg.Translate(err)
	}
	owed, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Owed, error) {
		var o Owed
		return o, row.Scan(&o.WorkspaceID, &o.Key, &o.Revision, &o.Again)
	})
	if err != nil || len(owed) == 0 {
		return nil, pg.Translate(err)
	}
	_, err = s.read(ctx, model, owed)
	return owed, pg.Translate(err)
}

// copied leaves out what has changed meanwhile: it is brought in anew, or removed.
const copied = `
UPDATE judgment_index i SET building = $3 FROM unnest($1::bigint[], $2::int[]) AS n (key, revision)
WHERE i.key = n.key AND i.revision = n.revision AND i.due IS NULL`

// Copied notes that the generation which is being built has these judgments.
func (s *Judgments) Copied(ctx context.Context, generationID string, of []Owed) error {
	return s.settle(ctx, of, func(_ *pg.Tx, b *pgx.Batch, keys []int64, revisions []int) {
		b.Queue(copied, keys, revisions, generationID)
	})
}

// Held returns up to limit keys of judgments of a workspace behind one, of which the index
// should have everything (true) or may have something (false).
func (s *Judgments) Held(ctx context.Context, workspaceID string, after int64, limit int) (keys []int64, whole map[int64]bool, err error) {
	rows, err := s.db.Pool.Query(ctx, `SELECT key, due IS NULL FROM judgment_index WHERE workspace_id = $1 AND key > $2 ORDER BY key LIMIT $3`,
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

// Owe owes judgments to the index once more, which may have some of each.
func (s *Judgments) Owe(ctx context.Context, keys []int64) error {
	_, err := s.db.Pool.Exec(ctx, `UPDATE judgment_index SET due = clock_timestamp(), owed_at = clock_timestamp(), tries = tries + 1
WHERE key = ANY (ARRAY(SELECT key FROM judgment_index WHERE key = ANY ($1) AND due IS NULL ORDER BY key FOR UPDATE))`, keys)
	return pg.Translate(err)
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

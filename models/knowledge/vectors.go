package knowledge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/vector"
)

// tables of the corpora, the column that names an item in the index, and what
// is embedded above the content.
var corpusTables = map[vector.Corpus]struct{ table, item, path string }{
	vector.Chunks: {"chunks", "ordinal::text", "path"},
	vector.Rules:  {"rules", "id", "coalesce(category, '')"},
}

// Unembedded is a row whose text has no vector yet.
type Unembedded struct {
	Ordinal int
	// Path is the heading path of a chunk, the category of a rule.
	Path, Content string
	// Hash names the text where another model has embedded it, else it is empty.
	Hash []byte
}

// vectorOfRow finds the vector of a row's text by its key. A subquery for each row
// cannot be planned another way; as a join it was, for a workspace whose first
// vectors these are and of which statistics know nothing, and read all of them for
// every row.
const vectorOfRow = `(SELECT e.%s FROM vectors e WHERE e.workspace_id = $1 AND e.model = $4 AND e.text_hash = r.text_hash)`

// unembedded is by hand for the plan that vectorOfRow has, as is vectorPage.
var unembedded = `
SELECT r.ordinal, %[2]s, r.content, coalesce(r.text_hash, ''::bytea) FROM %[1]s r
WHERE r.workspace_id = $1 AND r.source_id = $2 AND r.version = $3 AND r.ordinal >= $5
      AND ` + fmt.Sprintf(vectorOfRow, "text_hash") + ` IS NULL
ORDER BY r.ordinal LIMIT $6`

// Unembedded returns up to limit rows of a version, from an ordinal on, whose
// texts have no vector of a model.
func (k *Knowledge) Unembedded(ctx context.Context, v VersionRef, model string, corpus vector.Corpus, from, limit int) ([]Unembedded, error) {
	t := corpusTables[corpus]
	rows, err := k.db.Pool.Query(ctx, fmt.Sprintf(unembedded, t.table, t.path), v.WorkspaceID, v.SourceID, v.Version, model, from, limit)
	if err != nil {
		return nil, pg.Translate(err)
	}
	texts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Unembedded, error) {
		var u Unembedded
		err := row.Scan(&u.Ordinal, &u.Path, &u.Content, &u.Hash)
		return u, err
	})
	return texts, pg.Translate(err)
}

// KnownVectors returns which texts have a vector of that model. SQL by hand, with the
// hashes as an array: the text is the same for any number of them and is prepared
// once.
func (k *Knowledge) KnownVectors(ctx context.Context, workspaceID, model string, hashes [][]byte) (map[string]bool, error) {
	rows, err := k.db.Pool.Query(ctx, `SELECT text_hash FROM vectors WHERE workspace_id = $1 AND model = $2 AND text_hash = ANY($3)`,
		workspaceID, model, hashes)
	if err != nil {
		return nil, pg.Translate(err)
	}
	known := map[string]bool{}
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&hash}, func() error {
		known[string(hash)] = true
		return nil
	})
	return known, pg.Translate(err)
}

// Embedded is a row and the vector of its text; Vector is nil where it was
// known.
type Embedded struct {
	Ordinal int
	Hash    []byte
	Vector  []float32
}

// storeVectors writes vectors in the order of their hashes: two versions with the
// same texts would otherwise deadlock. One that is there is written over, which locks it:
// left alone it could be removed, with the last version that named it, before holdVectors.
const storeVectors = `
INSERT INTO vectors (workspace_id, model, text_hash, vector)
SELECT $1, $2, n.hash, n.vector FROM unnest($3::bytea[], $4::bytea[]) AS n (hash, vector) ORDER BY n.hash
ON CONFLICT (workspace_id, model, text_hash) DO UPDATE SET vector = excluded.vector`

// nameVectors finds the rows by their range too, so that the plan uses the index
// whatever statistics say of a new source.
const nameVectors = `
UPDATE %s r SET text_hash = n.hash FROM unnest($4::int[], $5::bytea[]) AS n (ordinal, hash)
WHERE r.workspace_id = $1 AND r.source_id = $2 AND r.version = $3 AND r.ordinal = n.ordinal AND r.ordinal BETWEEN $6 AND $7`

// holdVectors keeps vectors from being removed until rows that name them are stored.
const holdVectors = `
SELECT count(*) FROM (SELECT FROM vectors WHERE workspace_id = $1 AND model = $2 AND text_hash = ANY($3)
    ORDER BY text_hash FOR KEY SHARE) held`

// errVectorGone says that a vector which was there when it was asked for went with the
// last source that used it. The texts have to be embedded.
var errVectorGone = errors.New("the vector of a text was removed meanwhile")

// StoreVectors keeps vectors and names them in their rows, which are of one corpus.
// One that was known and is gone is an error: whoever repeats it makes the vector.
func (k *Knowledge) StoreVectors(ctx context.Context, v VersionRef, model string, corpus vector.Corpus, rows []Embedded) error {
	if len(rows) == 0 {
		return nil
	}
	var made, vectors, names [][]byte
	var ordinals []int
	texts := map[string]bool{}
	for _, r := range rows {
		if r.Vector != nil {
			made, vectors = append(made, r.Hash), append(vectors, vector.Bytes(r.Vector))
		}
		ordinals, names = append(ordinals, r.Ordinal), append(names, r.Hash)
		texts[string(r.Hash)] = true
	}
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		batch := &pgx.Batch{}
		if len(made) > 0 {
			batch.Queue(storeVectors, v.WorkspaceID, model, made, vectors)
		}
		batch.Queue(fmt.Sprintf(nameVectors, corpusTables[corpus].table), v.WorkspaceID, v.SourceID, v.Version, ordinals, names,
			slices.Min(ordinals), slices.Max(ordinals))
		batch.Queue(holdVectors, v.WorkspaceID, model, names).QueryRow(func(row pgx.Row) error {
			var held int
			if err := row.Scan(&held); err != nil || held == len(texts) {
				return err
			}
			return errVectorGone
		})
		return tx.SendBatch(ctx, batch).Close()
	})
}

// textOfRow is what a row is found by: the headings above, then the text.
const textOfRow = `%[3]s || E'\n' || r.content`

var vectorPage = `
SELECT r.ordinal, r.%[2]s, ` + textOfRow + `, ` + fmt.Sprintf(vectorOfRow, "vector") + ` FROM %[1]s r
WHERE r.workspace_id = $1 AND r.source_id = $2 AND r.version = $3 AND r.ordinal >= $5 ORDER BY r.ordinal LIMIT $6`

// errNoVector says that the vector of a text was removed between its embedding and
// its indexing, because the model of the index changed.
var errNoVector = errors.New("a text has no vector of this model")

// VectorPage returns up to limit objects of a version from an ordinal on, with
// the ordinal of the next page, -1 after the last one.
func (k *Knowledge) VectorPage(ctx context.Context, v VersionRef, model string, corpus vector.Corpus, from, limit int) ([]vector.Object, int, error) {
	t := corpusTables[corpus]
	rows, err := k.db.Pool.Query(ctx, fmt.Sprintf(vectorPage, t.table, t.item, t.path), v.WorkspaceID, v.SourceID, v.Version, model, from, limit)
	if err != nil {
		return nil, -1, pg.Translate(err)
	}
	next := -1
	objects, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (vector.Object, error) {
		o := vector.Object{Source: v.SourceID, Version: VersionKey(v.SourceID, v.Version)}
		var raw []byte
		err := row.Scan(&next, &o.Item, &o.Text, &raw)
		if err == nil && raw == nil {
			err = errNoVector
		}
		o.Vector = vector.FromBytes(raw)
		return o, err
	})
	if len(objects) < limit {
		return objects, -1, pg.Translate(err)
	}
	return objects, next + 1, pg.Translate(err)
}

// CountRows returns how many rows of a corpus a version has. SQL by hand: the corpus
// decides about the table.
func (k *Knowledge) CountRows(ctx context.Context, v VersionRef, corpus vector.Corpus) (int, error) {
	var count int
	err := k.db.Pool.QueryRow(ctx, `SELECT count(*) FROM `+corpusTables[corpus].table+` WHERE workspace_id = $1 AND source_id = $2 AND version = $3`,
		v.WorkspaceID, v.SourceID, v.Version).Scan(&count)
	return count, pg.Translate(err)
}

// ItemOrdinal reads the name of a chunk in the index.
func ItemOrdinal(item string) int {
	ordinal, err := strconv.Atoi(item)
	if err != nil {
		return -1
	}
	return ordinal
}

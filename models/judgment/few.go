package judgment

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/vector"
)

// fewest is how many judgments a filter may leave for a search to compare them itself: they
// come with what a search reads first anyway, so neither the index is asked nor the rows of
// its hits. Reading the vectors of more would take longer than asking the index.
const fewest = 10

// few are the judgments that a filter leaves, count of them, where these are all. Vectors
// are those that were made by the model of the index, as the index holds them.
type few struct {
	all     bool
	count   int64
	rows    hitRows
	vectors map[int64]Vectors
}

// nothing is the suffix of no generation.
const nothing = "?"

// readSurroundings finds the generation that serves and the judgments that the filter
// leaves if they are few, else subjects that were removed. One statement sees one state of
// all that.
func readSurroundings(where *pg.Conditions, contents bool) string {
	filter, most, removed := where.Text(), where.Value(fewest), where.Value(removedKnown)
	return `
WITH fitting AS MATERIALIZED (SELECT j.key FROM judgments j WHERE workspace_id = $1` + filter + ` LIMIT ` + most + ` + 1),
counted AS MATERIALIZED (SELECT count(*) AS count, count(*) <= ` + most + ` AS few FROM fitting)
SELECT coalesce(g.suffix, '` + nothing + `'), coalesce(g.model, ''), clock_timestamp(), few, count,
       CASE WHEN few THEN '{}' ELSE ARRAY(SELECT key FROM subjects WHERE workspace_id = $1 AND removed_at IS NOT NULL AND NOT judgments_gone
                                          ORDER BY removed_at LIMIT ` + removed + `) END,
       hit.*
FROM counted LEFT JOIN index_generations g ON g.state = 'serving'
LEFT JOIN LATERAL (
    SELECT ` + hitColumns(where.Value(contents)) + `, v.review, v.content AS of_content
    FROM judgments j JOIN judgment_index i ON i.key = j.key JOIN judgment_vectors v ON v.key = j.key AND v.model = g.model AND v.revision = i.revision
    WHERE few AND j.key = ANY (ARRAY(SELECT key FROM fitting))
) hit ON true`
}

// hitAt is the first column of a hit in a row of readSurroundings.
const hitAt = 6

// queue reads the surroundings.
func (a *surroundings) queue(b *pgx.Batch, q Near, where *pg.Conditions) {
	a.few.rows, a.few.vectors = hitRows{}, map[int64]Vectors{}
	statement := readSurroundings(where, q.Contents)
	b.Queue(statement, where.Args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := a.scan(rows, q.Shaped); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// scan reads a row, which has a hit where there are few of them, and any with vectors.
func (a *surroundings) scan(rows pgx.Rows, shaped func([]float32) []float32) error {
	var h Hit
	var at time.Time
	var review, content []byte
	hit := append(h.fields(&at), &review, &content)
	found := rows.RawValues()[hitAt] != nil
	if !found {
		clear(hit)
	}
	around := []any{&a.suffix, &a.model, &a.now, &a.few.all, &a.few.count, &a.removed}
	if err := rows.Scan(append(around, hit...)...); err != nil || !found {
		return err
	}
	h.CreatedAt = at.UnixMilli()
	a.few.rows[h.key], a.few.vectors[h.key] = h, Vectors{shaped(vector.FromBytes(review)), shaped(vector.FromBytes(content))}
	return nil
}

// nearby compares all of them.
func (f *few) nearby(q Near) *Nearby {
	lists := make([][]vector.JudgmentHit, len(q.Among))
	for i, kind := range q.Among {
		lists[i] = f.hits(kind, q)
	}
	found, _ := f.rows.nearest(lists, q.Limit, mostFound)
	return &Nearby{Hits: found, Total: f.count}
}

// hits are those that have a vector of a kind, as the index gives them.
func (f *few) hits(kind string, q Near) []vector.JudgmentHit {
	var hits []vector.JudgmentHit
	for key, v := range f.vectors {
		own := map[string][]float32{vector.Review: v.Review, vector.Content: v.Content}[kind]
		if own != nil {
			hits = append(hits, vector.JudgmentHit{Key: key, Distance: vector.Distance(q.Vector, own), Review: v.Review})
		}
	}
	return hits
}

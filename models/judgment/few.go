package judgment

import (
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

// fewest is how many judgments a filter may leave for a search to compare them itself: they
// come with what a search reads first anyway, so neither the index is asked nor the rows of
// its hits. Each brings a vector of 1.5 KB, so they are a handful; whether a larger number
// is worth it was not measured.
const fewest = 10

// few are the judgments that a filter leaves, where one of its conditions alone leaves few.
// Those with vectors of the model of the index are hits. As in the index, one that was
// edited is found by its old vectors until the new ones are there.
type few struct {
	all   bool
	count int64
	rows  hitRows
	hits  [][]vector.JudgmentHit
}

// nothing is the suffix of no generation.
const nothing = "?"

// readSurroundings finds the generation that serves, and the judgments that the filter
// leaves if they are few, else subjects that were removed. One statement sees one state of
// all that.
//
// Each condition that an index begins with is tried alone, and no more than a handful of
// its rows are read, which costs next to nothing where there are a million. The limits are
// queries, so that Postgres does not know them: expecting to find a handful at once, it
// would read the whole workspace for what is common elsewhere. OFFSET 0 keeps what is inside
// it apart, so that the keys are read once and lead to the rows.
func (q *Near) readSurroundings(workspaceID string, about subject.Narrow) (string, []any) {
	where := q.where(workspaceID, about)
	one := &pg.Conditions{Args: where.Args}
	q.ranges(one, about)
	where.Args = one.Args
	most, removed, contents := where.Value(fewest), where.Value(removedKnown), where.Value(q.Contents)
	return `
WITH handful AS MATERIALIZED (
    SELECT keys FROM (` + handfuls(one.Parts, most) + ` OFFSET 0) AS alone WHERE cardinality(keys) <= ` + most + ` LIMIT 1
)
SELECT coalesce(g.suffix, '` + nothing + `'), coalesce(g.model, ''), clock_timestamp(), keys IS NOT NULL,
       CASE WHEN keys IS NULL THEN ARRAY(SELECT key FROM subjects WHERE workspace_id = $1 AND removed_at IS NOT NULL AND NOT judgments_gone
                                         ORDER BY removed_at LIMIT ` + removed + `) END,
       hit.*
FROM (SELECT) AS always LEFT JOIN handful ON true LEFT JOIN index_generations g ON g.state = 'serving'
LEFT JOIN LATERAL (
    SELECT ` + hitColumns(contents) + `, ` + vectorColumns(q.Among) + `
    FROM (SELECT * FROM judgments WHERE key = ANY (keys) OFFSET 0) j
    LEFT JOIN judgment_vectors v ON v.key = j.key AND v.model = g.model
    WHERE j.workspace_id = $1` + where.Text() + `
) hit ON true`, where.Args
}

// handfuls are queries for the keys that each of the conditions leaves alone, one more than
// are few at most.
func handfuls(conditions []string, most string) string {
	if len(conditions) == 0 {
		conditions = []string{"true"}
	}
	queries := make([]string, len(conditions))
	for i, condition := range conditions {
		queries[i] = `SELECT ARRAY(SELECT key FROM judgments j WHERE j.workspace_id = $1 AND ` + condition + ` LIMIT (SELECT ` + most + `::int + 1)) AS keys`
	}
	return strings.Join(queries, " UNION ALL ")
}

// vectorColumns are the vectors that are compared.
func vectorColumns(among []string) string {
	columns := make([]string, len(among))
	for i, kind := range among {
		columns[i] = map[string]string{vector.Review: "v.review", vector.Content: "v.content"}[kind] + ` AS vector_of_` + kind
	}
	return strings.Join(columns, ", ")
}

// hitAt is the first column of a hit in a row of readSurroundings.
const hitAt = 5

// queue reads the surroundings by a statement that is planned once: it looks rows up by the
// beginnings of indexes, whatever the values.
func (a *surroundings) queue(b *pgx.Batch, workspaceID string, q *Near) {
	statement, values := q.readSurroundings(workspaceID, a.about)
	b.Queue(pg.ByKeys)
	b.Queue(statement, values...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := a.scan(rows, q); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if len(q.WithoutDocuments) > 0 {
		all := pg.NewConditions(workspaceID)
		all.And(subject.DocumentsOf, q.WithoutDocuments)
		b.Queue(all.Parts[0], all.Args...).Query(func(rows pgx.Rows) (err error) {
			a.apart, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			return err
		})
	}
}

// scan reads a row of readSurroundings, which has a judgment where there are few.
func (a *surroundings) scan(rows pgx.Rows, q *Near) error {
	var h Hit
	var at time.Time
	vectors := make([][]byte, len(q.Among))
	into := h.fields(&at)
	for i := range vectors {
		into = append(into, &vectors[i])
	}
	found := rows.RawValues()[hitAt] != nil
	if !found {
		clear(into)
	}
	around := []any{&a.suffix, &a.model, &a.now, &a.few.all, &a.removed}
	if err := rows.Scan(append(around, into...)...); err != nil || !found {
		return err
	}
	h.CreatedAt = at.UnixMilli()
	a.few.add(h, vectors, q)
	return nil
}

// add takes a judgment with its vectors of the kinds that are compared.
func (f *few) add(h Hit, stored [][]byte, q *Near) {
	f.count++
	f.rows[h.key] = h
	vectors := map[string][]float32{}
	for i, kind := range q.Among {
		if v := vector.FromBytes(stored[i]); v != nil {
			vectors[kind] = q.Shaped(v)
		}
	}
	for i, kind := range q.Among {
		if v := vectors[kind]; v != nil {
			f.hits[i] = append(f.hits[i], vector.JudgmentHit{Key: h.key, Distance: vector.Distance(q.Vector, v), Review: vectors[vector.Review]})
		}
	}
}

// nearby are the nearest of them.
func (f *few) nearby(q *Near) *Nearby {
	found, _ := f.rows.nearest(f.hits, q.Limit, mostFound)
	return &Nearby{Hits: found, Total: f.count}
}

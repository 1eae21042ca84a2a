package search

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// The rows of hits, in the snapshot, of live versions only, of sources whose scope is
// there. Each version is looked at once. LIMIT makes Postgres look up each row by its key;
// without it, as long as statistics know of few rows, it would read all of a workspace, and
// of versions those of all workspaces.
var (
	joinLive = `
CROSS JOIN LATERAL (
    SELECT source_id, version, completed_at FROM source_versions v
    WHERE workspace_id = $1 AND source_id = h.source_id AND version = h.version AND state = 'live' AND ` + knowledge.OfVisibleSource + `
    ORDER BY workspace_id, source_id, version LIMIT 1
) v`
	live = `
WITH live AS MATERIALIZED (
    SELECT v.* FROM (SELECT DISTINCT source_id, version FROM unnest($2::text[], $3::int[]) AS named (source_id, version)) h` + joinLive + `
)`
	joinChunks = live + `
SELECT h.at, h.source_id, '', c.content, NULL, h.version, h.ordinal, v.completed_at, ` + vectorIfFar + `
FROM unnest($2::text[], $3::int[], $4::int[], $5::bigint[], $6::bool[]) AS h (source_id, version, ordinal, at, far) JOIN live v USING (source_id, version)
CROSS JOIN LATERAL (
    SELECT content, text_hash FROM chunks WHERE workspace_id = $1 AND source_id = h.source_id AND version = h.version AND ordinal = h.ordinal
    ORDER BY workspace_id, source_id, version, ordinal LIMIT 1
) c`
	joinRules = live + `
SELECT h.at, h.source_id, h.id, c.content, c.category, h.version, c.ordinal, v.completed_at, ` + vectorIfFar + `
FROM unnest($2::text[], $3::int[], $4::text[], $5::bigint[], $6::bool[]) AS h (source_id, version, id, at, far) JOIN live v USING (source_id, version)
CROSS JOIN LATERAL (
    SELECT content, category, ordinal, text_hash FROM rules WHERE workspace_id = $1 AND source_id = h.source_id AND version = h.version AND id = h.id
    ORDER BY workspace_id, source_id, version, id LIMIT 1
) c`
)

// vectorIfFar is the vector of a text that was found by its words only.
const vectorIfFar = `CASE WHEN h.far THEN (SELECT e.vector FROM vectors e WHERE e.workspace_id = $1 AND e.model = $7 AND e.text_hash = c.text_hash) END`

// allNear are the hits of a search by meaning.
func allNear(hits []vector.Hit) []*candidate {
	all := make([]*candidate, len(hits))
	for i, hit := range hits {
		all[i] = &candidate{Hit: hit, near: true}
	}
	return all
}

// join queues the reading of the rows of hits.
func (s *searchSnapshot) join(b *pgx.Batch, corpus vector.Corpus, hits []*candidate) {
	if len(hits) == 0 {
		return
	}
	sources, versions, at := make([]string, len(hits)), make([]int, len(hits)), make([]int, len(hits))
	items, ordinals, far := make([]string, len(hits)), make([]int, len(hits)), make([]bool, len(hits))
	for i, hit := range hits {
		sources[i], versions[i] = knowledge.VersionOf(hit.Version)
		items[i], ordinals[i], at[i] = hit.Item, knowledge.ItemOrdinal(hit.Item), i
		far[i] = !hit.near && s.comparable()
	}
	query, names := joinChunks, any(ordinals)
	if corpus == vector.Rules {
		query, names = joinRules, items
	}
	b.Queue(query, s.workspaceID, sources, versions, names, at, far, s.model).Query(func(rows pgx.Rows) error {
		return s.take(rows, corpus, hits)
	})
}

// The newest items of live versions, of sources whose scope is there.
var (
	recentChunks = `
SELECT 0, c.source_id, '', c.content, NULL, c.version, c.ordinal, v.completed_at, NULL
FROM source_versions v JOIN chunks c ON c.workspace_id = v.workspace_id AND c.source_id = v.source_id AND c.version = v.version
WHERE v.workspace_id = $1 AND v.state = 'live' AND (NOT $2 OR v.source_id = ANY($3)) AND ` + knowledge.OfVisibleSource + `
ORDER BY v.completed_at DESC, v.source_id, c.ordinal LIMIT $4`
	recentRules = `
SELECT 0, r.source_id, r.id, r.content, r.category, r.version, r.ordinal, v.completed_at, NULL
FROM source_versions v JOIN rules r ON r.workspace_id = v.workspace_id AND r.source_id = v.source_id AND r.version = v.version
WHERE v.workspace_id = $1 AND v.state = 'live' AND (NOT $2 OR v.source_id = ANY($3)) AND ` + knowledge.OfVisibleSource + `
ORDER BY v.completed_at DESC, v.source_id, r.ordinal LIMIT $4`
)

func (s *searchSnapshot) recent(b *pgx.Batch, corpus vector.Corpus) {
	query := recentChunks
	if corpus == vector.Rules {
		query = recentRules
	}
	b.Queue(query, s.workspaceID, len(s.q.Sources) > 0, s.sources, s.q.Limit).Query(func(rows pgx.Rows) error {
		return s.take(rows, corpus, nil)
	})
}

// comparable reports whether there is a vector from which items have a distance.
func (s *searchSnapshot) comparable() bool { return s.q.Vector != nil && !s.found.Moved }

// scored is the score of a hit: its distance, which of one that was found by its words only
// is that of the stored vector; none where there is no vector to be distant from.
func (s *searchSnapshot) scored(hit *candidate, stored []byte) *float32 {
	switch {
	case !s.comparable():
		return nil
	case hit.near:
		return &hit.Distance
	case stored == nil:
		return nil
	default:
		far := vector.Distance(s.q.Vector, vector.FromBytes(stored))
		return &far
	}
}

// take adds the items of rows. at is the index of the row's hit; without hits
// items have no score.
func (s *searchSnapshot) take(rows pgx.Rows, corpus vector.Corpus, hits []*candidate) error {
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Item, error) {
		var at int
		var stored []byte
		item := Item{Corpus: corpus}
		err := row.Scan(&at, &item.SourceID, &item.RuleID, &item.Text, &item.Category, &item.version, &item.ordinal, &item.completed, &stored)
		if err == nil && hits != nil {
			hits[at].there = true
			item.Score, item.Fused = s.scored(hits[at], stored), hits[at].fused
		}
		return item, err
	})
	if s.kept != nil {
		items = slices.DeleteFunc(items, func(i Item) bool { return !s.kept[i.SourceID] })
	}
	s.found.Items = append(s.found.Items, items...)
	return err
}

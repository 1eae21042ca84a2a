package models

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// indexLimit is how long the index may take for an answer.
	indexLimit = 5 * time.Second
	// searchesAtOnce is how many searches of one call run side by side.
	searchesAtOnce = 8
	// widen is by how much a search asks for more when rows of its hits are gone.
	widen = 4
)

// VectorIndex finds the nearest objects (*vector.Index).
type VectorIndex interface {
	Nearest(ctx context.Context, p vector.Place, q vector.Query) ([]vector.Hit, error)
}

// KnowledgeQuery asks for items of live versions.
type KnowledgeQuery struct {
	// Vector of the question; nil when it could not be made. Model is the name
	// under which vectors of its kind are kept.
	Vector []float32
	Model  string
	// Sources narrow the search; empty for the whole workspace.
	Sources []string
	Limit   int
	Rules   bool
}

// KnowledgeItem is one that was found. Score is nil where the answer comes
// without the index.
type KnowledgeItem struct {
	Corpus           vector.Corpus
	SourceID, RuleID string
	Text             string
	Category         *string
	Score            *float32

	version   int
	ordinal   int
	completed time.Time
}

// KnowledgeFound are the items in their order. Degraded tells that a corpus was
// answered without the index, Moved that the index holds vectors of another kind
// than that of the question.
type KnowledgeFound struct {
	Items    []KnowledgeItem
	Degraded bool
	Moved    bool
}

// snapshot is what a search sees of the rows, from its begin to its end.
type snapshot struct {
	tx          pgx.Tx
	workspaceID string
	q           KnowledgeQuery
	// hidden are versions that the index holds and nobody may see; sources are
	// those of the query that are live.
	hidden  []string
	sources []string
	filled  map[vector.Corpus]bool
	// suffix is that of the collections that serve, model names their vectors.
	suffix, model string
}

// Search finds items by meaning, in one snapshot of the rows: a version that
// becomes live meanwhile is not seen, and the one that it replaces still is.
func (k *Knowledge) Search(ctx context.Context, workspaceID string, index VectorIndex, q KnowledgeQuery) (*KnowledgeFound, error) {
	tx, err := k.db.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, translate(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it wrote nothing
	s := &snapshot{tx: tx, workspaceID: workspaceID, q: q}
	if err := s.open(ctx); err != nil {
		return nil, translate(err)
	}
	found := &KnowledgeFound{Items: []KnowledgeItem{}, Moved: q.Vector != nil && q.Model != s.model}
	for _, corpus := range vector.Corpora {
		if corpus == vector.Rules && !q.Rules || !s.filled[corpus] {
			continue
		}
		items, degraded, err := s.corpus(ctx, index, corpus)
		if err != nil {
			return nil, translate(err)
		}
		found.Items = append(found.Items, items...)
		found.Degraded = found.Degraded || degraded
	}
	slices.SortStableFunc(found.Items, compareItems)
	found.Items = found.Items[:min(len(found.Items), q.Limit)]
	return found, nil
}

// compareItems is the order of an answer: scored ones by distance, then chunks
// before rules, the version completed later, the position, the id. Items
// without score come last, both corpora interleaved by recency.
func compareItems(a, b KnowledgeItem) int {
	if a.Score == nil || b.Score == nil {
		return cmp.Or(
			compareBool(a.Score == nil, b.Score == nil),
			b.completed.Compare(a.completed), cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.Corpus, b.Corpus),
			cmp.Compare(a.SourceID, b.SourceID), cmp.Compare(a.RuleID, b.RuleID),
		)
	}
	return cmp.Or(
		cmp.Compare(*a.Score, *b.Score), cmp.Compare(a.Corpus, b.Corpus), b.completed.Compare(a.completed),
		cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.SourceID, b.SourceID), cmp.Compare(a.RuleID, b.RuleID),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

const readSnapshot = `
SELECT ARRAY(SELECT source_id || '/' || version FROM source_versions WHERE workspace_id = $1 AND indexed AND state <> 'live'),
       ARRAY(SELECT id FROM sources WHERE workspace_id = $1 AND id = ANY($2) AND live IS NOT NULL),
       EXISTS (SELECT 1 FROM source_versions WHERE workspace_id = $1 AND state = 'live' AND chunk_count > 0),
       EXISTS (SELECT 1 FROM source_versions WHERE workspace_id = $1 AND state = 'live' AND rule_count > 0),
       coalesce((SELECT suffix FROM index_generations WHERE state = 'serving'), ''),
       coalesce((SELECT model FROM index_generations WHERE state = 'serving'), '')`

func (s *snapshot) open(ctx context.Context) error {
	var chunks, rules bool
	err := s.tx.QueryRow(ctx, readSnapshot, s.workspaceID, s.q.Sources).Scan(&s.hidden, &s.sources, &chunks, &rules, &s.suffix, &s.model)
	if len(s.q.Sources) > 0 && len(s.sources) == 0 {
		chunks, rules = false, false
	}
	s.filled = map[vector.Corpus]bool{vector.Chunks: chunks, vector.Rules: rules}
	return err
}

// corpus answers one corpus: by the index, or without it when there is no
// fitting vector or no answer in time.
func (s *snapshot) corpus(ctx context.Context, index VectorIndex, corpus vector.Corpus) (items []KnowledgeItem, degraded bool, err error) {
	if s.q.Vector != nil && s.q.Model == s.model {
		items, err = s.nearest(ctx, index, corpus)
		if err == nil || !fault.Is(err, fault.Unavailable) {
			return items, false, err
		}
	}
	items, err = s.recent(ctx, corpus)
	return items, true, err
}

// nearest asks the index and joins its hits with their rows. When rows are gone
// it asks for more, until there are enough or there is nothing left.
func (s *snapshot) nearest(ctx context.Context, index VectorIndex, corpus vector.Corpus) ([]KnowledgeItem, error) {
	own, cancel := context.WithTimeout(ctx, indexLimit)
	defer cancel()
	for limit := s.q.Limit; ; limit *= widen {
		hits, full, err := s.ask(own, index, corpus, limit)
		if err != nil {
			return nil, err
		}
		items, err := s.join(ctx, corpus, hits)
		if err != nil || !full || len(items) >= s.q.Limit {
			return items, err
		}
	}
}

// ask runs one search for each source, or one for all. full tells that there
// may be more.
func (s *snapshot) ask(ctx context.Context, index VectorIndex, corpus vector.Corpus, limit int) (hits []vector.Hit, full bool, err error) {
	filters := s.sources
	if len(s.q.Sources) == 0 {
		filters = []string{""}
	}
	parts := make([][]vector.Hit, len(filters))
	place := vector.Place{Suffix: s.suffix, Workspace: s.workspaceID, Corpus: corpus}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(searchesAtOnce)
	for i, source := range filters {
		group.Go(func() error {
			var err error
			parts[i], err = index.Nearest(ctx, place, vector.Query{Vector: s.q.Vector, Limit: limit, Source: source, Exclude: s.hidden})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, false, err
	}
	for _, part := range parts {
		full = full || len(part) == limit
		hits = append(hits, part...)
	}
	slices.SortFunc(hits, func(a, b vector.Hit) int { return cmp.Compare(a.Distance, b.Distance) })
	return hits, full, nil
}

// The rows of hits, in the snapshot: of live versions only.
const (
	joinChunks = `
SELECT h.at, c.source_id, '', c.content, NULL, c.version, c.ordinal, v.completed_at
FROM unnest($2::text[], $3::int[], $4::bigint[]) AS h (key, ordinal, at)
JOIN source_versions v ON v.workspace_id = $1 AND v.source_id = split_part(h.key, '/', 1) AND v.version = split_part(h.key, '/', 2)::int AND v.state = 'live'
JOIN chunks c ON c.workspace_id = $1 AND c.source_id = v.source_id AND c.version = v.version AND c.ordinal = h.ordinal`
	joinRules = `
SELECT h.at, r.source_id, r.id, r.content, r.category, r.version, r.ordinal, v.completed_at
FROM unnest($2::text[], $3::text[], $4::bigint[]) AS h (key, id, at)
JOIN source_versions v ON v.workspace_id = $1 AND v.source_id = split_part(h.key, '/', 1) AND v.version = split_part(h.key, '/', 2)::int AND v.state = 'live'
JOIN rules r ON r.workspace_id = $1 AND r.source_id = v.source_id AND r.version = v.version AND r.id = h.id`
)

func (s *snapshot) join(ctx context.Context, corpus vector.Corpus, hits []vector.Hit) ([]KnowledgeItem, error) {
	keys, items, ordinals, at := make([]string, len(hits)), make([]string, len(hits)), make([]int, len(hits)), make([]int, len(hits))
	for i, hit := range hits {
		keys[i], items[i], ordinals[i], at[i] = hit.Version, hit.Item, itemOrdinal(hit.Item), i
	}
	query, names := joinChunks, any(ordinals)
	if corpus == vector.Rules {
		query, names = joinRules, items
	}
	rows, err := s.tx.Query(ctx, query, s.workspaceID, keys, names, at)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (KnowledgeItem, error) {
		var place int
		item := KnowledgeItem{Corpus: corpus}
		err := row.Scan(&place, &item.SourceID, &item.RuleID, &item.Text, &item.Category, &item.version, &item.ordinal, &item.completed)
		if err == nil {
			item.Score = &hits[place].Distance
		}
		return item, err
	})
}

// The newest items of live versions.
const (
	recentChunks = `
SELECT c.source_id, '', c.content, NULL, c.version, c.ordinal, v.completed_at
FROM source_versions v JOIN chunks c ON c.workspace_id = v.workspace_id AND c.source_id = v.source_id AND c.version = v.version
WHERE v.workspace_id = $1 AND v.state = 'live' AND (NOT $2 OR v.source_id = ANY($3))
ORDER BY v.completed_at DESC, v.source_id, c.ordinal LIMIT $4`
	recentRules = `
SELECT r.source_id, r.id, r.content, r.category, r.version, r.ordinal, v.completed_at
FROM source_versions v JOIN rules r ON r.workspace_id = v.workspace_id AND r.source_id = v.source_id AND r.version = v.version
WHERE v.workspace_id = $1 AND v.state = 'live' AND (NOT $2 OR v.source_id = ANY($3))
ORDER BY v.completed_at DESC, v.source_id, r.ordinal LIMIT $4`
)

func (s *snapshot) recent(ctx context.Context, corpus vector.Corpus) ([]KnowledgeItem, error) {
	query := recentChunks
	if corpus == vector.Rules {
		query = recentRules
	}
	rows, err := s.tx.Query(ctx, query, s.workspaceID, len(s.q.Sources) > 0, s.sources, s.q.Limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (KnowledgeItem, error) {
		item := KnowledgeItem{Corpus: corpus}
		err := row.Scan(&item.SourceID, &item.RuleID, &item.Text, &item.Category, &item.version, &item.ordinal, &item.completed)
		return item, err
	})
}

package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// indexLimit is how long the index may take for an answer.
	indexLimit = 5 * time.Second
	// searchesAtOnce is how many searches of one call run side by side.
	searchesAtOnce = 8
	// spare is how many hits a search asks for beyond its limit, widen by how much it
	// asks for more when rows of its hits are gone, or when hits beyond the last one
	// may be as near as those that it gives: of equal ones, all must be known to give
	// the same again. widest is the most that is asked for because of equal ones, in all sources that
	// are named together, mostFound how many the index gives for one search.
	spare, widen, widest, mostFound = 10, 4, 2000, 10_000
	// hiddenKnown is how many hidden versions a search leaves out in the index, each by a
	// condition of its own; hits of others are left out with their rows.
	hiddenKnown = 50
)

// VectorIndex finds the nearest objects (*vector.Index).
type VectorIndex interface {
	Nearest(ctx context.Context, p vector.Partition, q vector.Query) ([]vector.Hit, error)
}

// Query asks for items of live versions.
type Query struct {
	// Vector of the question; nil when it could not be made. Model is the name
	// under which vectors of its kind are kept.
	Vector []float32
	Model  string
	// Sources narrow the search; empty for the whole workspace.
	Sources []string
	Limit   int
	Rules   bool

	// near is the question of Nearest, words that of Hybrid; nil for others.
	near  *Near
	words *byWords
}

// Item is one that was found. Score is nil where the answer comes
// without the index.
type Item struct {
	Corpus           vector.Corpus
	SourceID, RuleID string
	Text             string
	Category         *string
	Score            *float32
	// Fused is the score of both lists of Hybrid together; nil for an item that comes
	// from neither.
	Fused *float64

	version   int
	ordinal   int
	completed time.Time
}

// Found are the items in their order. Degraded says that a corpus was answered
// without the index, Moved that the index holds vectors of another model than that
// of the question. Of Hybrid, WithoutMeaning says that words alone answered for a corpus,
// WithoutWords that meaning alone did.
type Found struct {
	Items                        []Item
	Degraded                     bool
	Moved                        bool
	WithoutMeaning, WithoutWords bool
}

// searchSnapshot is what one try of a search sees of the rows.
type searchSnapshot struct {
	workspaceID string
	q           Query
	// hidden are some of the versions that the index holds and no search may find; sources are
	// those of the query that are live.
	hidden  []string
	sources []string
	// within are the sources in the scope of Near, up to one more than named. kept are
	// those of the hits that are in it; nil where all hits are.
	within []string
	kept   map[string]bool
	// chunks and rules say whether there are any.
	chunks, rules bool
	// suffix is that of the collections that serve, model names their vectors.
	suffix, model string
	// noted says that there is a young note of a use of the index, asked that this
	// search has used it, late that it had no time left to.
	noted, asked, late bool
	// wentLive is how many versions had gone live before the index was asked, overtaken that
	// one did until the rows of its hits were read: the index was not asked for that one, and
	// the one before is live no more.
	wentLive  int64
	overtaken bool

	found *Found
	// seen is up to which distance all hits are known; nil when all are.
	seen *float32
	// candidates are the hits of Hybrid, heard is up to which score by words all are known;
	// 0 when all are. short says that more have to be asked for.
	candidates []*candidate
	heard      float64
	short      bool
}

// Search finds items by meaning, as one snapshot of the rows has them: of a version that
// becomes live meanwhile and the one that it replaces exactly one is seen. A
// search that gets no slot is answered as if the index had not answered.
func (f *Searches) Search(ctx context.Context, workspaceID string, index VectorIndex, q Query) (*Found, error) {
	until := time.Now().Add(indexLimit)
	if q.Vector != nil && f.enter(ctx, workspaceID, until) {
		defer f.slots.Release(workspaceID, 1)
	} else {
		q.Vector = nil
	}
	return f.search(ctx, workspaceID, index, q, until)
}

// search asks the index until then. When rows of hits are gone it tries again
// and asks for more, until there are enough or there is nothing left.
func (f *Searches) search(ctx context.Context, workspaceID string, index VectorIndex, q Query, until time.Time) (*Found, error) {
	for limit := q.listed() + spare; ; {
		s := &searchSnapshot{workspaceID: workspaceID, q: q, found: &Found{Items: []Item{}}}
		err := f.try(ctx, s, index, limit, until)
		if s.asked && !s.noted {
			f.uses.NoteSearch(ctx, workspaceID)
		}
		switch {
		case err != nil:
			return nil, err
		case s.overtaken && !s.late:
		case s.settled(limit):
			s.found.Items = s.found.Items[:min(len(s.found.Items), q.Limit)]
			return s.found, nil
		default:
			limit = min(widen*limit, q.most())
		}
	}
}

// try asks the index once, between two reads of the rows: nobody holds a connection while
// the index is waited for.
func (f *Searches) try(ctx context.Context, s *searchSnapshot, index VectorIndex, limit int, until time.Time) error {
	if err := f.db.ReadBatch(ctx, s.open); err != nil {
		return err
	}
	s.late = !time.Now().Before(until)
	own, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	rows := &pgx.Batch{}
	if more, err := s.ask(own, rows, index, limit); err != nil || !more {
		return err
	}
	return f.db.ReadBatch(ctx, func(b *pgx.Batch) {
		s.compare(b)
		b.QueuedQueries = append(b.QueuedQueries, rows.QueuedQueries...)
	})
}

// settled brings the items into their order, unless more have to be asked for first.
func (s *searchSnapshot) settled(limit int) bool {
	if s.q.words != nil {
		return s.complete(limit)
	}
	slices.SortStableFunc(s.found.Items, compareItems)
	return !s.wantsMore(limit)
}

// wantsMore reports whether hits beyond those that the index gave may belong to the
// answer.
func (s *searchSnapshot) wantsMore(limit int) bool {
	items := s.found.Items
	switch {
	case s.seen == nil || limit == mostFound:
		return false
	case len(items) < s.q.Limit:
		return true
	default:
		last := items[s.q.Limit-1].Score
		return last != nil && *last >= *s.seen && limit*max(1, len(s.sources)) < widest
	}
}

// compareItems is the order of an answer: scored ones by distance, then chunks
// before rules, the version completed later, the position, the id. Items
// without score come last, both corpora interleaved by recency.
func compareItems(a, b Item) int {
	if a.Score == nil || b.Score == nil {
		return cmp.Or(
			compareBool(a.Score == nil, b.Score == nil),
			b.completed.Compare(a.completed), cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.Corpus, b.Corpus),
			cmp.Compare(a.SourceID, b.SourceID), cmp.Compare(a.RuleID, b.RuleID),
		)
	}
	return cmp.Or(cmp.Compare(*a.Score, *b.Score), compareEqual(a, b))
}

// compareEqual is the order of items with one score.
func compareEqual(a, b Item) int {
	return cmp.Or(
		cmp.Compare(a.Corpus, b.Corpus), b.completed.Compare(a.completed), cmp.Compare(a.ordinal, b.ordinal),
		cmp.Compare(a.SourceID, b.SourceID), cmp.Compare(a.RuleID, b.RuleID),
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

// readWentLive is how many versions of the workspace $1 went live.
const readWentLive = `coalesce((SELECT went_live FROM index_uses WHERE workspace_id = $1), 0)`

// compare reads whether a version went live since the rows were read.
func (s *searchSnapshot) compare(b *pgx.Batch) {
	b.Queue(`SELECT `+readWentLive+` <> $2`, s.workspaceID, s.wentLive).QueryRow(func(row pgx.Row) error { return row.Scan(&s.overtaken) })
}

// readSnapshot looks for the newest version that has items, not for any: the
// newest is found by an index, while for any Postgres reads the table from its
// beginning.
var readSnapshot = `
SELECT ARRAY(SELECT source_id || '/' || version FROM source_versions WHERE workspace_id = $1 AND indexed AND state <> 'live'
             UNION ALL SELECT v.source_id || '/' || v.version FROM stray_sources($1) s
             JOIN source_versions v ON v.workspace_id = $1 AND v.source_id = s.id AND v.indexed AND v.state = 'live' LIMIT $5),
       ARRAY(SELECT id FROM sources s WHERE workspace_id = $1 AND id = ANY($2) AND live IS NOT NULL AND ` + knowledge.VisibleSource + `),
       coalesce((SELECT true FROM source_versions WHERE workspace_id = $1 AND state = 'live' AND chunk_count > 0 ORDER BY completed_at DESC LIMIT 1), false),
       $3 AND coalesce((SELECT true FROM source_versions WHERE workspace_id = $1 AND state = 'live' AND rule_count > 0 ORDER BY completed_at DESC LIMIT 1), false),
       coalesce(g.suffix, ''), coalesce(g.model, ''),
       coalesce((SELECT NOT released AND used_at > clock_timestamp() - $4::interval FROM index_uses WHERE workspace_id = $1), false),
       ` + readWentLive + `
FROM (SELECT 1) one LEFT JOIN index_generations g ON g.state = 'serving'`

func (s *searchSnapshot) open(b *pgx.Batch) {
	b.Queue(readSnapshot, s.workspaceID, s.q.Sources, s.q.Rules, knowledge.NoteEvery, hiddenKnown).QueryRow(func(row pgx.Row) error {
		return row.Scan(&s.hidden, &s.sources, &s.chunks, &s.rules, &s.suffix, &s.model, &s.noted, &s.wentLive)
	})
	s.scope(b)
}

// ask searches the corpora that have items, and queues the reading of the rows:
// those of the hits, or, of a corpus without a fitting vector or an answer in
// time, the newest. It reports whether there are any to be read.
func (s *searchSnapshot) ask(ctx context.Context, b *pgx.Batch, index VectorIndex, limit int) (bool, error) {
	s.found.Moved = s.q.Vector != nil && s.q.Model != s.model
	if s.nobody() {
		return false, nil
	}
	filled := s.filled()
	if s.q.words != nil {
		err := s.askBoth(ctx, b, index, filled, limit)
		return len(filled) > 0 && !s.short, err
	}
	var answers map[vector.Corpus]answer
	if s.q.Vector != nil && !s.found.Moved {
		answers = s.nearest(ctx, index, filled, limit)
		s.asked = true
	}
	for _, corpus := range filled {
		switch got, asked := answers[corpus]; {
		case asked && got.err == nil:
			s.see(got.seen)
			s.keep(b, got.hits)
			s.join(b, corpus, allNear(got.hits))
		case asked && !fault.Is(got.err, fault.StatusUnavailable):
			return false, got.err
		default:
			s.without(b, corpus)
		}
	}
	return len(filled) > 0, nil
}

// nobody reports whether no source is left of those that were asked for.
func (s *searchSnapshot) nobody() bool {
	return len(s.q.Sources) > 0 && len(s.sources) == 0 || s.q.near.narrowed() && len(s.within) == 0
}

// without answers for a corpus that the index does not answer for.
func (s *searchSnapshot) without(b *pgx.Batch, corpus vector.Corpus) {
	s.found.Degraded = true
	if s.q.near == nil {
		s.recent(b, corpus)
	}
}

// filled are the corpora that have items, of those that were asked for.
func (s *searchSnapshot) filled() []vector.Corpus {
	has := map[vector.Corpus]bool{vector.Chunks: s.chunks, vector.Rules: s.rules}
	if s.q.near != nil {
		has[vector.Chunks] = has[vector.Chunks] && s.q.near.Corpus == vector.Chunks
	}
	return slices.DeleteFunc(slices.Clone(vector.Corpora), func(c vector.Corpus) bool { return !has[c] })
}

// answer is what the index gave of a corpus. seen is up to which distance these are
// all there are; nil when there are no more.
type answer struct {
	hits []vector.Hit
	seen *float32
	err  error
}

// see notes up to which distance a corpus is known.
func (s *searchSnapshot) see(seen *float32) { s.seen = nearer(s.seen, seen) }

// nearer is the smaller one of two distances; nil is beyond all.
func nearer(a, b *float32) *float32 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// nearest runs one search for each corpus and source, or for all sources.
func (s *searchSnapshot) nearest(ctx context.Context, index VectorIndex, filled []vector.Corpus, limit int) map[vector.Corpus]answer {
	filters := s.sources
	if len(s.q.Sources) == 0 {
		filters = []string{""}
	}
	parts := make([]answer, len(filled)*len(filters))
	var group errgroup.Group
	group.SetLimit(searchesAtOnce)
	for i := range parts {
		group.Go(func() error {
			partition := vector.Partition{Suffix: s.suffix, Workspace: s.workspaceID, Corpus: filled[i/len(filters)]}
			parts[i].hits, parts[i].err = index.Nearest(ctx, partition, vector.Query{
				Vector: s.q.Vector, Limit: limit, Source: filters[i%len(filters)], Sources: s.few(), Exclude: s.hidden,
			})
			if count := len(parts[i].hits); count == limit {
				parts[i].seen = &parts[i].hits[count-1].Distance
			}
			return nil
		})
	}
	_ = group.Wait() // each part keeps its own error
	answers := make(map[vector.Corpus]answer, len(filled))
	for i, corpus := range filled {
		answers[corpus] = together(parts[i*len(filters) : (i+1)*len(filters)])
	}
	return answers
}

// together is the answer of a corpus from those of its sources.
func together(parts []answer) answer {
	whole := parts[0]
	for _, part := range parts[1:] {
		whole.hits = append(whole.hits, part.hits...)
		whole.seen = nearer(whole.seen, part.seen)
		if whole.err == nil {
			whole.err = part.err
		}
	}
	slices.SortFunc(whole.hits, func(a, b vector.Hit) int { return cmp.Compare(a.Distance, b.Distance) })
	return whole
}

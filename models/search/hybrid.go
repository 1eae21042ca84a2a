package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/fuse"
	"github.com/redline-svc/redline/models/vector"
)

// KeywordIndex finds objects by their words as well (*vector.Index).
type KeywordIndex interface {
	VectorIndex
	Keywords(ctx context.Context, p vector.Partition, q vector.Query) ([]vector.Hit, error)
}

// byWords is what Hybrid asks besides, and of whom. seen is up to which score by words all
// hits are known; 0 when all are.
type byWords struct {
	text  string
	index KeywordIndex
	seen  float64
}

// Hybrid finds items by meaning and by words: the first of both lists are fused by their
// ranks. Each list goes over both corpora. Where one of the lists is missing the other one
// answers alone; where both are, the newest items do, which have no fused score and come last.
func (f *Searches) Hybrid(ctx context.Context, workspaceID string, index KeywordIndex, q Query, text string) (*Found, error) {
	until := time.Now().Add(indexLimit)
	q.words = &byWords{text: text, index: index}
	if !f.enter(ctx, until) {
		q.words.index, q.Vector = nil, nil // neither list is asked for
		return f.search(ctx, workspaceID, index, q, until)
	}
	defer f.slots.Release(1)
	return f.search(ctx, workspaceID, index, q, until)
}

// listed is how many items an answer is made of.
func (q Query) listed() int {
	if q.words != nil {
		return fuse.Listed
	}
	return q.Limit
}

// most is what is asked for at most. An answer by words comes with the vectors.
func (q Query) most() int {
	if q.words != nil {
		return widest
	}
	return mostFound
}

// askBoth asks for the lists of all corpora side by side, and queues the reading of the
// rows. A corpus without an answer gives its newest items.
func (s *searchSnapshot) askBoth(ctx context.Context, b *pgx.Batch, index VectorIndex, filled []vector.Corpus, limit int) error {
	s.asked = s.q.words.index != nil
	s.q.words.seen = 0
	var near map[vector.Corpus]answer
	words := make(map[vector.Corpus]answer, len(filled))
	var group errgroup.Group
	if s.q.Vector != nil && !s.found.Moved {
		group.Go(func() error {
			near = s.nearest(ctx, index, filled, limit)
			return nil
		})
	}
	if s.asked && len(vector.Words(s.q.words.text)) > 0 {
		s.keywords(ctx, filled, limit, words)
	}
	_ = group.Wait() // each list keeps its own error
	for _, corpus := range filled {
		if err := s.both(b, corpus, near, words, limit); err != nil {
			return err
		}
	}
	return nil
}

// keywords fills the lists by words, one after the other: beside them the vectors are
// searched, and there are hardly more cores than two.
func (s *searchSnapshot) keywords(ctx context.Context, filled []vector.Corpus, limit int, lists map[vector.Corpus]answer) {
	q := vector.Query{Text: s.q.words.text, Limit: limit, Sources: s.sources, Exclude: s.hidden}
	if !s.found.Moved {
		q.Vector = s.q.Vector
	}
	for _, corpus := range filled {
		hits, err := s.q.words.index.Keywords(ctx, vector.Partition{Suffix: s.suffix, Workspace: s.workspaceID, Corpus: corpus}, q)
		lists[corpus] = answer{hits: hits, err: err}
	}
}

// both joins the lists of a corpus.
func (s *searchSnapshot) both(b *pgx.Batch, corpus vector.Corpus, near, words map[vector.Corpus]answer, limit int) error {
	meant, searched := near[corpus]
	said, looked := words[corpus]
	for _, err := range []error{meant.err, said.err} {
		if err != nil && !fault.Is(err, fault.Unavailable) {
			return err
		}
	}
	byMeaning, byWord := searched && meant.err == nil, looked && said.err == nil
	if !byMeaning && !byWord {
		s.without(b, corpus)
		return nil
	}
	s.found.WithoutMeaning = s.found.WithoutMeaning || !byMeaning
	s.found.WithoutWords = s.found.WithoutWords || looked && !byWord
	if byMeaning {
		s.see(meant.seen)
	}
	if count := len(said.hits); byWord && count == limit {
		s.q.words.seen = max(s.q.words.seen, said.hits[count-1].Keyword)
	}
	s.join(b, corpus, merged(meant.hits, said.hits))
	return nil
}

// merged are the hits of both lists, each once, with their scores of both.
func merged(meant, said []vector.Hit) []vector.Hit {
	type name struct{ version, item string }
	at := make(map[name]int, len(meant))
	all := slices.Clone(meant)
	for i, hit := range meant {
		at[name{hit.Version, hit.Item}] = i
	}
	for _, hit := range said {
		if i, there := at[name{hit.Version, hit.Item}]; there {
			all[i].Keyword = hit.Keyword
			continue
		}
		all = append(all, hit)
	}
	return all
}

// fuse orders the items by both lists. It gives false where hits beyond those that are
// known may belong into a list.
func (s *searchSnapshot) fuse(limit int) bool {
	var near, said, rest []int
	for i, item := range s.found.Items {
		if item.Score != nil {
			near = append(near, i)
		}
		if item.keyword > 0 {
			said = append(said, i)
		}
		if item.Score == nil && item.keyword == 0 {
			rest = append(rest, i)
		}
	}
	near, said = s.list(near, compareItems), s.list(said, compareKeywords)
	if limit < widest && (s.lacksNear(near) || s.lacksSaid(said)) {
		return false
	}
	items := make([]Item, 0, len(near)+len(said)+len(rest))
	for i, score := range fuse.Ranks(near, said) {
		s.found.Items[i].Fused = &score
		items = append(items, s.found.Items[i])
	}
	for _, i := range rest {
		items = append(items, s.found.Items[i])
	}
	slices.SortFunc(items, compareFused)
	s.found.Items = items
	return true
}

// list are the first of some items.
func (s *searchSnapshot) list(of []int, compare func(a, b Item) int) []int {
	slices.SortFunc(of, func(a, b int) int { return compare(s.found.Items[a], s.found.Items[b]) })
	return of[:min(len(of), fuse.Listed)]
}

// lacksNear and lacksSaid tell that a list is short although there are more hits, or that
// hits which are not known may be equal to its last one.
func (s *searchSnapshot) lacksNear(list []int) bool {
	return s.seen != nil && (len(list) < fuse.Listed || *s.found.Items[list[len(list)-1]].Score >= *s.seen)
}

func (s *searchSnapshot) lacksSaid(list []int) bool {
	seen := s.q.words.seen
	return seen > 0 && (len(list) < fuse.Listed || s.found.Items[list[len(list)-1]].keyword <= seen)
}

// compareKeywords orders by the score of words; equal ones as items without a score.
func compareKeywords(a, b Item) int {
	return cmp.Or(cmp.Compare(b.keyword, a.keyword), compareEqual(a, b))
}

// compareFused is the order of Hybrid: the higher fused score, then the smaller distance;
// items that are in neither list come last, the newest first.
func compareFused(a, b Item) int {
	if a.Fused == nil || b.Fused == nil {
		return cmp.Or(compareBool(a.Fused == nil, b.Fused == nil), compareItems(a, b))
	}
	return cmp.Or(cmp.Compare(*b.Fused, *a.Fused), compareFound(a, b))
}

// compareFound orders equal fused scores: by distance, and by what remains where there is none.
func compareFound(a, b Item) int {
	if a.Score == nil && b.Score == nil {
		return compareKeywords(a, b)
	}
	return compareItems(a, b)
}

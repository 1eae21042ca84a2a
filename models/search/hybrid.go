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
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// KeywordIndex finds objects by their words as well (*vector.Index).
type KeywordIndex interface {
	VectorIndex
	Keywords(ctx context.Context, p vector.Partition, q vector.Query) ([]vector.Hit, error)
}

// byWords is what Hybrid asks besides, and of whom. It is the same for all tries of a search.
type byWords struct {
	text  string
	index KeywordIndex
	// gone are hits whose rows turned out to be gone. While none are, only the rows of
	// what is shown are read, and afterwards those of all hits.
	gone map[hitName]bool
}

// hitName is what distinguishes hits.
type hitName struct {
	corpus        vector.Corpus
	version, item string
}

// candidate is a hit of a list, or of both.
type candidate struct {
	vector.Hit

	corpus vector.Corpus
	// near says that it is a hit by meaning, whose distance is known.
	near bool
	// fused is its score where it is in a list of Hybrid.
	fused *float64
	// there says that its row was read.
	there bool
}

func (c *candidate) name() hitName { return hitName{c.corpus, c.Version, c.Item} }

// Hybrid finds items by meaning and by words: the first of both lists are fused by their
// ranks. Each list goes over both corpora. Where one of the lists is missing the other one
// answers alone; where both are, the newest items do, which have no fused score and come last.
func (f *Searches) Hybrid(ctx context.Context, workspaceID string, index KeywordIndex, q Query, text string) (*Found, error) {
	until := time.Now().Add(indexLimit)
	q.words = &byWords{text: text, index: index, gone: map[hitName]bool{}}
	if !f.enter(ctx, workspaceID, until) {
		q.words.index, q.Vector = nil, nil // neither list is asked for
		return f.search(ctx, workspaceID, index, q, until)
	}
	defer f.slots.Release(workspaceID, 1)
	return f.search(ctx, workspaceID, index, q, until)
}

// listed is how many items an answer is made of.
func (q Query) listed() int {
	if q.words != nil {
		return fuse.Listed
	}
	return q.Limit
}

// most is what is asked for at most.
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
	s.fuse(b, limit)
	return nil
}

// keywords fills the lists by words, one after the other: beside them the vectors are
// searched, and there are hardly more cores than two. Where words alone answer, whatever
// has one of them is better than nothing.
func (s *searchSnapshot) keywords(ctx context.Context, filled []vector.Corpus, limit int, lists map[vector.Corpus]answer) {
	q := vector.Query{Text: s.q.words.text, Any: !s.comparable(), Limit: limit, Sources: s.sources, Exclude: s.hidden}
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
		if err != nil && !fault.Is(err, fault.StatusUnavailable) {
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
		s.heard = max(s.heard, said.hits[count-1].Keyword)
	}
	s.merge(corpus, meant.hits, said.hits)
	return nil
}

// merge notes the hits of both lists, each once, with their scores of both.
func (s *searchSnapshot) merge(corpus vector.Corpus, meant, said []vector.Hit) {
	at := make(map[hitName]*candidate, len(meant)+len(said))
	for i, hit := range slices.Concat(meant, said) {
		c := &candidate{Hit: hit, corpus: corpus, near: i < len(meant)}
		switch known := at[c.name()]; {
		case known != nil:
			known.Keyword = hit.Keyword
		case !s.q.words.gone[c.name()]:
			at[c.name()] = c
			s.candidates = append(s.candidates, c)
		}
	}
}

// fuse scores the hits by both lists and queues the reading of the rows of those that are
// shown, and of a few more. Where hits beyond those that are known may belong into a list,
// more have to be asked for first.
func (s *searchSnapshot) fuse(b *pgx.Batch, limit int) {
	near := s.list(func(c *candidate) bool { return c.near }, compareNear)
	said := s.list(func(c *candidate) bool { return c.Keyword > 0 }, compareSaid)
	if s.short = limit < widest && (s.lacksNear(near) || s.lacksSaid(said)); s.short {
		return
	}
	var fused []*candidate
	for c, score := range fuse.Ranks(near, said) {
		c.fused = &score
		fused = append(fused, c)
	}
	slices.SortFunc(fused, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(*b.fused, *a.fused), compareBool(!a.near, !b.near), compareNear(a, b))
	})
	if len(s.q.words.gone) == 0 {
		fused = fused[:min(len(fused), s.q.Limit+spare)]
	}
	s.candidates = fused
	for _, corpus := range vector.Corpora {
		s.join(b, corpus, slices.DeleteFunc(slices.Clone(fused), func(c *candidate) bool { return c.corpus != corpus }))
	}
}

// list are the first of some hits.
func (s *searchSnapshot) list(of func(*candidate) bool, compare func(a, b *candidate) int) []*candidate {
	all := slices.DeleteFunc(slices.Clone(s.candidates), func(c *candidate) bool { return !of(c) })
	slices.SortFunc(all, compare)
	return all[:min(len(all), fuse.Listed)]
}

// lacksNear and lacksSaid tell that a list is short although there are more hits, or that
// hits which are not known may be equal to its last one.
func (s *searchSnapshot) lacksNear(list []*candidate) bool {
	return s.seen != nil && (len(list) < fuse.Listed || list[len(list)-1].Distance >= *s.seen)
}

func (s *searchSnapshot) lacksSaid(list []*candidate) bool {
	return s.heard > 0 && (len(list) < fuse.Listed || list[len(list)-1].Keyword <= s.heard)
}

// complete brings the items into their order. It returns false where the row of a hit is
// gone: then the lists are made again without it.
func (s *searchSnapshot) complete(limit int) bool {
	if s.short {
		return false
	}
	gone := len(s.q.words.gone)
	for _, c := range s.candidates {
		if !c.there {
			s.q.words.gone[c.name()] = true
		}
	}
	slices.SortFunc(s.found.Items, compareFused)
	return len(s.q.words.gone) == gone || limit == widest
}

// compareNear orders hits by distance, compareSaid by the score of words; equal ones as far
// as hits say, those of later sources first.
func compareNear(a, b *candidate) int {
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), compareHits(a, b))
}

func compareSaid(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.Keyword, a.Keyword), compareHits(a, b))
}

func compareHits(a, b *candidate) int {
	return cmp.Or(
		cmp.Compare(a.corpus, b.corpus), cmp.Compare(b.Source, a.Source), cmp.Compare(knowledge.ItemOrdinal(a.Item), knowledge.ItemOrdinal(b.Item)),
		cmp.Compare(a.Item, b.Item), cmp.Compare(a.Version, b.Version),
	)
}

// compareFused is the order of Hybrid: the higher fused score, then the smaller distance;
// items that are in neither list come last, the newest first.
func compareFused(a, b Item) int {
	if a.Fused == nil || b.Fused == nil {
		return cmp.Or(compareBool(a.Fused == nil, b.Fused == nil), compareItems(a, b))
	}
	return cmp.Or(cmp.Compare(*b.Fused, *a.Fused), compareItems(a, b))
}

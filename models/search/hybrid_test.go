package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/fuse"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

// spoken is an index that finds by words, too.
type spoken struct {
	*modelstest.Index

	said     map[vector.Corpus][]vector.Hit
	silent   map[vector.Corpus]error
	listened []vector.Query
}

func (x *spoken) Keywords(_ context.Context, p vector.Partition, q vector.Query) ([]vector.Hit, error) {
	x.Mu.Lock()
	defer x.Mu.Unlock()
	x.listened = append(x.listened, q)
	if err := x.silent[p.Corpus]; err != nil {
		return nil, err
	}
	all := slices.Clone(x.said[p.Corpus])
	slices.SortStableFunc(all, func(a, b vector.Hit) int { return int(1000 * (b.Keyword - a.Keyword)) })
	return all[:min(len(all), q.Limit)], nil
}

func saidHit(v knowledge.VersionRef, ordinal int, keyword float64) vector.Hit {
	hit := modelstest.ChunkHit(v, ordinal, 0)
	hit.Keyword = keyword
	return hit
}

// numbered are texts that are their ordinals.
func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	return texts
}

// hybrid returns the items of an answer with what they have of scores.
func hybrid(t *testing.T, l *modelstest.Library, x *spoken, q search.Query) (*search.Found, []string) {
	t.Helper()
	found, err := l.Hybrid(t.Context(), "ws_one", x, q, "harbour fee")
	require.NoError(t, err)
	var list []string
	for _, item := range found.Items {
		list = append(list, fmt.Sprintf("%s scored %t fused %t", item.Text, item.Score != nil, item.Fused != nil))
	}
	return found, list
}

func TestHybrid_BothListsAreFused(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", numbered(4)...)
	x := &spoken{
		Index: &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {modelstest.ChunkHit(v, 0, 0.1), modelstest.ChunkHit(v, 1, 0.2), modelstest.ChunkHit(v, 2, 0.3)}}},
		said:  map[vector.Corpus][]vector.Hit{vector.Chunks: {saidHit(v, 3, 7), saidHit(v, 2, 5)}},
	}
	require.NoError(t, l.StoreVectors(t.Context(), v, "m1", vector.Chunks, []knowledge.Embedded{{Ordinal: 3, Hash: modelstest.BytesOf(3), Vector: []float32{0.1}}}))
	q := modelstest.Question
	q.Limit = 10
	found, list := hybrid(t, l, x, q)
	require.Equal(t, []string{"2 scored true fused true", "0 scored true fused true", "3 scored true fused true", "1 scored true fused true"}, list)
	want := fuse.Ranks([]int{0, 1, 2}, []int{3, 2})
	for i, item := range []int{2, 0, 3, 1} {
		require.InDelta(t, want[item], *found.Items[i].Fused, 1e-12, "of equal ones the nearer comes first")
	}
	require.InDelta(t, 0.9, *found.Items[2].Score, 1e-6, "the distance of what was found by words is that of its vector")
	require.False(t, found.Degraded || found.WithoutMeaning || found.WithoutWords)
	require.Equal(t, vector.Query{Text: "harbour fee", Limit: 110, Sources: []string{}, Exclude: []string{}}, x.listened[0])
	q.Limit = 1
	_, list = hybrid(t, l, x, q)
	require.Len(t, list, 1)
}

func TestHybrid_TheOrderIsTheSameEachTime(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", numbered(150)...)
	x := &spoken{Index: &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{}}, said: map[vector.Corpus][]vector.Hit{}}
	for i := range 150 {
		x.Hits[vector.Chunks] = append(x.Hits[vector.Chunks], modelstest.ChunkHit(v, i, 0.5))
		x.said[vector.Chunks] = append(x.said[vector.Chunks], saidHit(v, i, 3))
	}
	q := modelstest.Question
	q.Limit = 50
	var first []string
	for range 10 {
		shuffled := func() {
			for _, hits := range []map[vector.Corpus][]vector.Hit{x.Hits, x.said} {
				rand.Shuffle(150, func(i, j int) { h := hits[vector.Chunks]; h[i], h[j] = h[j], h[i] })
			}
		}
		shuffled()
		_, list := hybrid(t, l, x, q)
		if first == nil {
			first = list
		}
		require.Equal(t, first, list)
		require.Equal(t, "0 scored true fused true", list[0])
		require.Equal(t, "49 scored true fused true", list[49])
	}
}

func TestHybrid_3And4_WhatIsLeftAnswers(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", numbered(3)...)
	away := fault.Unavailable(context.DeadlineExceeded)
	meant := []vector.Hit{modelstest.ChunkHit(v, 0, 0.1), modelstest.ChunkHit(v, 1, 0.2)}
	said := []vector.Hit{saidHit(v, 2, 7)}
	ask := func(change func(*spoken, *search.Query)) (*search.Found, []string) {
		x := &spoken{
			Index: &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: meant}, Err: map[vector.Corpus]error{}},
			said:  map[vector.Corpus][]vector.Hit{vector.Chunks: said}, silent: map[vector.Corpus]error{},
		}
		q := modelstest.Question
		q.Limit = 50
		change(x, &q)
		return hybrid(t, l, x, q)
	}
	found, list := ask(func(_ *spoken, q *search.Query) { q.Vector = nil })
	require.Equal(t, []string{"2 scored false fused true"}, list)
	require.True(t, found.WithoutMeaning)
	require.False(t, found.Degraded)

	found, list = ask(func(_ *spoken, q *search.Query) { q.Model = "another" })
	require.Equal(t, []string{"2 scored false fused true"}, list)
	require.True(t, found.Moved && found.WithoutMeaning)

	found, list = ask(func(x *spoken, _ *search.Query) { x.silent[vector.Chunks] = away })
	require.Equal(t, []string{"0 scored true fused true", "1 scored true fused true"}, list)
	require.True(t, found.WithoutWords)

	found, list = ask(func(x *spoken, q *search.Query) {
		q.Rules, q.Limit = true, 5
		x.Err[vector.Rules], x.silent[vector.Rules] = away, away
	})
	require.Equal(t, []string{"0", "2", "1", "0", "1"}, textsOf(found))
	require.Equal(t, "0 scored false fused false", list[3])
	require.True(t, found.Degraded)

	found, list = ask(func(x *spoken, _ *search.Query) { x.Err[vector.Chunks], x.silent[vector.Chunks] = away, away })
	require.Equal(t, []string{"0 scored false fused false", "1 scored false fused false", "2 scored false fused false"}, list)
	require.True(t, found.Degraded)
	require.False(t, found.WithoutMeaning || found.WithoutWords)

	x := &spoken{Index: &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: meant}}}
	q := modelstest.Question
	q.Limit = 50
	found, err := l.Hybrid(t.Context(), "ws_one", x, q, "is it of the")
	require.NoError(t, err)
	require.Equal(t, []string{"0", "1"}, textsOf(found), "there is no word to look for")
	require.False(t, found.Degraded || found.WithoutWords)
	require.Empty(t, x.listened)
}

func textsOf(found *search.Found) []string {
	var texts []string
	for _, item := range found.Items {
		texts = append(texts, item.Text)
	}
	return texts
}

// Rows of hits may be gone: what stands behind them moves up.
func TestHybrid_ListsAreFullThoughRowsAreGone(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", numbered(300)...)
	x := &spoken{Index: &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{}}, said: map[vector.Corpus][]vector.Hit{}}
	for i := range 300 {
		x.Hits[vector.Chunks] = append(x.Hits[vector.Chunks], modelstest.ChunkHit(v, i, 0.1+float32(i)/1000))
		x.said[vector.Chunks] = append(x.said[vector.Chunks], saidHit(v, i, 400-float64(i)))
	}
	l.Exec(`DELETE FROM chunks WHERE ordinal < 200`)
	q := modelstest.Question
	q.Limit = 50
	found, _ := hybrid(t, l, x, q)
	require.Len(t, found.Items, 50)
	require.Equal(t, "200", found.Items[0].Text)
	require.InDelta(t, 2.0/61, *found.Items[0].Fused, 1e-12)
}

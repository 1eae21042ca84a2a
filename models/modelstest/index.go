package modelstest

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

// Question is a search for ten items by meaning.
var Question = search.Query{Vector: []float32{1}, Model: "m1", Limit: 10}

// Index is one that holds these hits and may call back while it is asked.
type Index struct {
	Mu     sync.Mutex
	Hits   map[vector.Corpus][]vector.Hit
	Err    map[vector.Corpus]error
	During func()
	Asked  []vector.Query
	Suffix string
}

// Nearest returns the hits that the question does not leave out.
func (x *Index) Nearest(_ context.Context, p vector.Partition, q vector.Query) ([]vector.Hit, error) {
	x.Mu.Lock()
	defer x.Mu.Unlock()
	corpus := p.Corpus
	x.Asked, x.Suffix = append(x.Asked, q), p.Suffix
	if x.During != nil {
		x.During()
		x.During = nil
	}
	if err := x.Err[corpus]; err != nil {
		return nil, err
	}
	found := []vector.Hit{}
	for _, hit := range x.Hits[corpus] {
		hidden := false
		for _, version := range q.Exclude {
			hidden = hidden || version == hit.Version
		}
		asked := (q.Source == "" || q.Source == hit.Source) && (len(q.Sources) == 0 || slices.Contains(q.Sources, hit.Source))
		if !hidden && asked && len(found) < q.Limit {
			found = append(found, hit)
		}
	}
	return found, nil
}

// ChunkHit is a chunk of a version at that distance.
func ChunkHit(v knowledge.VersionRef, ordinal int, distance float32) vector.Hit {
	return vector.Hit{Item: strconv.Itoa(ordinal), Source: v.SourceID, Version: knowledge.VersionKey(v.SourceID, v.Version), Distance: distance}
}

// RuleHit is a rule of a version at that distance.
func RuleHit(v knowledge.VersionRef, ordinal int, distance float32) vector.Hit {
	hit := ChunkHit(v, ordinal, distance)
	hit.Item = "rule_" + v.SourceID + strconv.Itoa(ordinal)
	return hit
}

// Level is an index in which every item of these versions has one distance; it
// returns them in another order each time.
func Level(items int, versions ...knowledge.VersionRef) *Index {
	x := &Index{Hits: map[vector.Corpus][]vector.Hit{}}
	for _, v := range versions {
		for i := range items {
			x.Hits[vector.Chunks] = append(x.Hits[vector.Chunks], ChunkHit(v, i, 0.5))
			x.Hits[vector.Rules] = append(x.Hits[vector.Rules], RuleHit(v, i, 0.5))
		}
	}
	x.During = x.Shuffle
	return x
}

// Shuffle gives the hits another order.
func (x *Index) Shuffle() {
	for _, hits := range x.Hits {
		rand.Shuffle(len(hits), func(i, j int) { hits[i], hits[j] = hits[j], hits[i] }) //nolint:gosec // an order, not a secret
	}
}

// Texts are those of the items that were found.
func Texts(found *search.Found) []string {
	list := []string{}
	for _, item := range found.Items {
		list = append(list, item.Text)
	}
	return list
}

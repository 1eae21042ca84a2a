package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
)

const (
	// sameDistance is how far two distances may be apart and still count as equal.
	// The index reckons in float32 and exact in float64: for the products of unit
	// vectors that rounding makes a few ten-millionths, and no more is forgiven.
	sameDistance = 1e-6
	// recallOfAll is the share of the nearest that is found where no source is named;
	// of named ones every one is.
	recallOfAll, recallOfNamed = 0.99, 1
)

// namedSources are how many sources a search names; where there are fewer, all of them.
var namedSources = []int{0, 1, 2, 30}

// recall holds searches that name so many sources against an exact scan of their vectors.
func (l *library) recall(ctx context.Context) (rows []measure.Row, err error) {
	sources := slices.Compact(slices.Sorted(slices.Values(l.sources)))
	for _, named := range namedSources {
		row, err := l.recallAmong(ctx, sources, min(named, len(sources)))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// recallAmong is the share of the exact nearest that are found. Equal distances
// count as found, whichever of them it is. Each question names other sources.
func (l *library) recallAmong(ctx context.Context, sources []string, named int) (measure.Row, error) {
	found, wanted := 0, 0
	for i, question := range l.questions {
		among := make([]string, named)
		for at := range among {
			among[at] = sources[(i+at)%len(sources)]
		}
		answer, err := l.search(ctx, i, among)
		if err != nil {
			return measure.Row{}, err
		}
		farthest := corpus.Farthest(l.vectorsOf(among), question, knowledgeHits)
		for _, hit := range answer {
			if hit <= farthest+sameDistance {
				found++
			}
		}
		wanted += knowledgeHits
	}
	row := measure.Row{
		Name: "recall at 10 of knowledge/search on real text", Unit: "hits", Measured: float64(found), What: "exact search", Against: float64(wanted),
	}
	if named == 0 {
		return measure.AtLeast(recallOfAll, row), nil
	}
	row.Name += fmt.Sprintf(", %d sources named", named)
	return measure.AtLeast(recallOfNamed, row), nil
}

// vectorsOf are the vectors of these sources, or of all where none is named.
func (l *library) vectorsOf(among []string) (vectors [][]float32) {
	if len(among) == 0 {
		return l.vectors
	}
	for i, source := range l.sources {
		if slices.Contains(among, source) {
			vectors = append(vectors, l.vectors[i])
		}
	}
	return vectors
}

package reindex_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline/reindex"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// looked is an index that can be looked through. meanwhile is called once, at the first look.
type looked struct {
	*index

	writing   sync.Mutex // guards words: versions are copied side by side
	words     map[string]string
	removed   int
	meanwhile func()
}

func (x *looked) Insert(ctx context.Context, p vector.Partition, objects []vector.Object) error {
	x.writing.Lock()
	for _, o := range objects {
		x.words[o.Version+o.Item] = vector.Words(o.Text)
	}
	x.writing.Unlock()
	return x.index.Insert(ctx, p, objects)
}

func (x *looked) now() {
	if meanwhile := x.meanwhile; meanwhile != nil {
		x.meanwhile = nil
		meanwhile()
	}
}

func (x *looked) Nearest(_ context.Context, p vector.Partition, q vector.Query) (hits []vector.Hit, err error) {
	x.now()
	for item := range x.holds[held{p.Corpus, p.Suffix, q.Version}] {
		hits = append(hits, vector.Hit{Item: item, Version: q.Version})
	}
	return hits, nil
}

func (x *looked) List(_ context.Context, p vector.Partition, after string, _ int) (found []vector.Listed, err error) {
	for in, items := range x.holds {
		for item := range items {
			if in.corpus == p.Corpus && in.suffix == p.Suffix && after == "" {
				found = append(found, vector.Listed{ID: p.ID(in.version, item), Item: item, Version: in.version, Words: x.words[in.version+item]})
			}
		}
	}
	return found, nil
}

func (x *looked) Delete(context.Context, vector.Partition, string) error {
	x.removed++
	return nil
}

// checkedWhile compares three live versions, which the index has, while something happens.
func checkedWhile(t *testing.T, meanwhile func(l *modelstest.Library, x *looked, versions []knowledge.VersionRef)) (*reindex.Report, *looked) {
	t.Helper()
	l := modelstest.NewLibrary(t)
	versions := embedded(t, l, "a", "b", "c")
	x := &looked{index: newIndex(""), words: map[string]string{}}
	l.Exec(`UPDATE source_versions SET indexed = true`)
	_, err := job(l, x).Rebuild(t.Context())
	require.NoError(t, err)
	x.meanwhile = func() { meanwhile(l, x, versions) }
	report, err := job(l, x).Check(t.Context(), true)
	require.NoError(t, err)
	return report, x
}

func TestCheck_AVersionThatEndsMeanwhileMissesNothing(t *testing.T) {
	report, _ := checkedWhile(t, func(l *modelstest.Library, x *looked, versions []knowledge.VersionRef) {
		for _, v := range versions[1:] {
			l.Exec(retired, v.SourceID)
			x.purge(knowledge.VersionKey(v.SourceID, v.Version))
		}
	})
	require.Equal(t, []int{3, 0, 0, 0}, []int{report.Versions, report.Missing, report.Surplus, report.Fixed})
}

func TestCheck_WhatAVersionLacksIsWritten(t *testing.T) {
	report, x := checkedWhile(t, func(_ *modelstest.Library, x *looked, versions []knowledge.VersionRef) {
		x.purge(knowledge.VersionKey(versions[1].SourceID, versions[1].Version))
	})
	require.Equal(t, []int{2, 0, 2}, []int{report.Missing, report.Surplus, report.Fixed})
	counts := []int{}
	for _, items := range x.holds {
		counts = append(counts, len(items))
	}
	require.Equal(t, slices.Repeat([]int{1}, 6), counts)
}

// A version that comes while it is compared is no surplus, though it was not there when the
// versions were read.
func TestCheck_AVersionThatComesMeanwhileStays(t *testing.T) {
	comes := func(indexed bool) (*reindex.Report, *looked) {
		return checkedWhile(t, func(l *modelstest.Library, x *looked, versions []knowledge.VersionRef) {
			late := embedded(t, l, "late")[0]
			l.Exec(`UPDATE source_versions SET indexed = $2 WHERE source_id = $1`, late.SourceID, indexed)
			for in := range x.holds {
				x.holds[held{in.corpus, in.suffix, knowledge.VersionKey(late.SourceID, 1)}] = map[string]bool{"0": true}
			}
		})
	}
	report, x := comes(true)
	require.Equal(t, []int{0, 0, 0}, []int{report.Missing, report.Surplus, x.removed})
	report, x = comes(false)
	require.Equal(t, []int{0, 2, 2}, []int{report.Missing, report.Surplus, x.removed}, "an object without a row is none of a version that comes")
}

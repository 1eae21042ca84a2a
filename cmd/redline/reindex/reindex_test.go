package reindex_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline/reindex"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/vector"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// index holds the items of versions; beside is called once, after the first objects of one
// version were written.
type index struct {
	reindex.IndexInspector

	mu     sync.Mutex
	holds  map[held]map[string]bool
	of     string
	beside func()
}

// held is a version in a collection.
type held struct {
	corpus          vector.Corpus
	suffix, version string
}

func newIndex(of string) *index { return &index{holds: map[held]map[string]bool{}, of: of} }

func (x *index) Insert(_ context.Context, p vector.Partition, objects []vector.Object) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range objects {
		in := held{p.Corpus, p.Suffix, o.Version}
		if x.holds[in] == nil {
			x.holds[in] = map[string]bool{}
		}
		x.holds[in][o.Item] = true
		if beside := x.beside; o.Version == x.of && beside != nil {
			x.beside = nil
			beside()
		}
	}
	return nil
}

func (x *index) Count(_ context.Context, p vector.Partition, version string) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.holds[held{p.Corpus, p.Suffix, version}]), nil
}

func (x *index) DeleteVersion(_ context.Context, p vector.Partition, version string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.holds, held{p.Corpus, p.Suffix, version})
	return nil
}

func (x *index) Delete(context.Context, vector.Partition, string) error { return nil }

// purge removes a version from all collections.
func (x *index) purge(version string) {
	for in := range x.holds {
		if in.version == version {
			delete(x.holds, in)
		}
	}
}

// items are how many of a version are in the collections with a suffix.
func (x *index) items(suffix, version string) (count int) {
	for in, items := range x.holds {
		if in.suffix == suffix && in.version == version {
			count += len(items)
		}
	}
	return count
}

// embedded are live versions, each of one text with its vector.
func embedded(t *testing.T, l *modelstest.Library, texts ...string) (versions []knowledge.VersionRef) {
	t.Helper()
	for i, text := range texts {
		v := l.Live("ws_one", text)
		for _, corpus := range vector.Corpora {
			require.NoError(t, l.StoreVectors(t.Context(), v, "m1", corpus, []knowledge.Embedded{{Hash: modelstest.BytesOf(i), Vector: []float32{1}}}))
		}
		versions = append(versions, v)
	}
	return versions
}

// A version may be replaced while it is copied, and everything of it may have gone before
// the copy has ended: the work goes on with the others, and leaves nothing of it.
func TestRebuild_AVersionMayEndWhileItIsCopied(t *testing.T) {
	for name, after := range map[string]struct {
		// changes are what others commit meanwhile.
		changes []string
		purged  bool
	}{
		"ended":        {changes: []string{retired}},
		"purged":       {changes: []string{retired}, purged: true},
		"without rows": {changes: []string{retired, `DELETE FROM chunks WHERE source_id = $1`, `DELETE FROM rules WHERE source_id = $1`}, purged: true},
		"gone": {changes: []string{
			retired, `DELETE FROM chunks WHERE source_id = $1`, `DELETE FROM rules WHERE source_id = $1`,
			`DELETE FROM index_copies WHERE source_id = $1`, `DELETE FROM source_versions WHERE source_id = $1`,
		}, purged: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := modelstest.NewLibrary(t)
			versions := embedded(t, l, "a", "b", "c")
			ends := versions[1]
			key := knowledge.VersionKey(ends.SourceID, ends.Version)
			x := newIndex(key)
			x.beside = func() {
				for _, change := range after.changes {
					l.Exec(change, ends.SourceID)
				}
				if after.purged {
					x.purge(key)
				}
			}
			g, err := job(l, x).Rebuild(t.Context())
			require.NoError(t, err)
			serving, err := l.Serving(t.Context(), true)
			require.NoError(t, err)
			require.Equal(t, g.ID, serving.ID, "it serves")
			for _, v := range []knowledge.VersionRef{versions[0], versions[2]} {
				require.Equal(t, 2, x.items(g.Suffix, knowledge.VersionKey(v.SourceID, v.Version)))
			}
			l.Exec(`UPDATE source_versions SET updated_at = updated_at - interval '61 seconds'`)
			hidden, err := l.HiddenVersions(t.Context(), 10)
			require.NoError(t, err)
			if name == "gone" {
				require.Empty(t, hidden)
				require.Zero(t, x.items(g.Suffix, key))
			} else {
				require.Equal(t, []knowledge.VersionRef{ends}, hidden, "the service removes it")
			}
		})
	}
}

const retired = `UPDATE source_versions SET state = 'retired', indexed = false WHERE source_id = $1`

func job(l *modelstest.Library, x reindex.IndexInspector) *reindex.Job {
	return reindex.New(reindex.Parts{
		Rows: l.Knowledge, Judgments: judgment.New(l.DB), Index: x, Models: embed.NewModels(embed.Lexical{}, nil), Progress: func(int, int) {},
	})
}

// A fault of a version that is still live ends the work, which can be begun again.
func TestRebuild_AFaultOfALiveVersionEndsIt(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := embedded(t, l, "a")[0]
	key := knowledge.VersionKey(v.SourceID, v.Version)
	x := newIndex(key)
	x.beside = func() {
		x.purge(key)
		x.beside = func() { x.purge(key) } // all are written twice before it is given up
	}
	_, err := job(l, x).Rebuild(t.Context())
	require.ErrorContains(t, err, "0 of 1 objects")
	g, err := job(l, x).Rebuild(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, x.items(g.Suffix, key))
}

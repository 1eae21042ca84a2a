package search_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

// scopes are sources, each named by its scope, and an index that has them in this order.
func scopes(t *testing.T) (*modelstest.Library, *modelstest.Index) {
	t.Helper()
	l := modelstest.NewLibrary(t)
	to := func(organizationID, documentID, text string) knowledge.VersionRef {
		return l.ScopedTo(l.Live("ws_one", text), organizationID, documentID)
	}
	x := modelstest.Level(1,
		to("apex", "", "apex"), to("apex", "spring", "apex/spring"), to("acme", "", "acme"),
		to("acme", "spring", "acme/spring"), to("acme", "summer", "acme/summer"), to("", "", "none"))
	x.During = nil
	return l, x
}

// finds returns the texts that are nearest within a scope.
func finds(t *testing.T, l *modelstest.Library, x *modelstest.Index, n search.Near) []string {
	t.Helper()
	n.Vector, n.Model = modelstest.Question.Vector, modelstest.Question.Model
	if n.Limit == 0 {
		n.Limit = 10
	}
	found, err := l.Nearest(t.Context(), "ws_one", x, n)
	require.NoError(t, err)
	require.False(t, found.Degraded)
	for _, item := range found.Items {
		require.Equal(t, n.Corpus, item.Corpus)
		require.NotNil(t, item.Score)
	}
	return modelstest.Texts(found)
}

// within are the scopes with the sources that each leaves.
var within = []struct {
	organizationID, documentID string
	left                       []string
}{
	{"", "", []string{"none", "acme/summer", "acme/spring", "acme", "apex/spring", "apex"}},
	{"acme", "", []string{"none", "acme/summer", "acme/spring", "acme"}},
	{"acme", "spring", []string{"none", "acme/spring", "acme"}},
	{"acme", "autumn", []string{"none", "acme"}},
	{"nobody", "spring", []string{"none"}},
}

func TestNearestLeavesOutWhatIsScopedToOthers(t *testing.T) {
	l, x := scopes(t)
	for _, corpus := range vector.Corpora {
		for _, c := range within {
			x.Asked = nil
			near := search.Near{Corpus: corpus, OrganizationID: c.organizationID, DocumentID: c.documentID}
			require.Equal(t, c.left, finds(t, l, x, near), "%+v", c)
			require.Len(t, x.Asked, 1, "it is one modelstest.Question")
			require.Equal(t, c.organizationID != "", len(x.Asked[0].Sources) == len(c.left), "which names the few sources of a scope")
		}
	}
}

// Of more sources than a modelstest.Question names, the index is asked for all of the workspace.
func TestNearestWidensWhereAScopeHasManySources(t *testing.T) {
	l, x := scopes(t)
	l.Exec(`INSERT INTO sources (workspace_id, id, source_type, created_at, newest, live)
SELECT 'ws_one', 'src_many' || n, 'inline', clock_timestamp(), 1, 1 FROM generate_series(1, 201) n`)
	apex := x.Hits[vector.Chunks][0]
	for i := range 500 { // near hits of another organization, of which the rows are there
		hit := apex
		hit.Distance = 0.1
		l.Exec(`INSERT INTO chunks (workspace_id, source_id, version, ordinal, path, content, tokens) VALUES ('ws_one', $1, 1, $2, '', 'x', 1)`, hit.Source, i+1)
		hit.Item = strconv.Itoa(i + 1)
		x.Hits[vector.Chunks] = append([]vector.Hit{hit}, x.Hits[vector.Chunks]...)
	}
	near := search.Near{Corpus: vector.Chunks, OrganizationID: "acme", DocumentID: "spring", Limit: 2}
	require.Equal(t, []string{"none", "acme/spring"}, finds(t, l, x, near))
	require.Greater(t, len(x.Asked), 1)
	for _, asked := range x.Asked {
		require.Empty(t, asked.Sources)
	}
}

func TestNearestGivesNothingWithoutAScore(t *testing.T) {
	l, x := scopes(t)
	x.Err = map[vector.Corpus]error{vector.Rules: fault.Unavailable(errors.New("gone"))}
	near := search.Near{Corpus: vector.Rules, Vector: modelstest.Question.Vector, Model: modelstest.Question.Model, Limit: 5}
	found, err := l.Nearest(t.Context(), "ws_one", x, near)
	require.NoError(t, err)
	require.True(t, found.Degraded)
	require.Empty(t, found.Items)
	near.Model = "m2"
	found, err = l.Nearest(t.Context(), "ws_one", x, near)
	require.NoError(t, err)
	require.True(t, found.Moved)
	require.Empty(t, found.Items)
	near.Model, x.Err = modelstest.Question.Model, nil
	found, err = l.Nearest(t.Context(), "ws_two", x, near)
	require.NoError(t, err)
	require.Equal(t, &search.Found{Items: []search.Item{}}, found, "a workspace without rules has not missed any")
}

// A search ends, however much of what the index gives is gone.
func TestSearchAsksForTenThousandAtMost(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "a")
	x := &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{}}
	for i := range 10_001 {
		x.Hits[vector.Chunks] = append(x.Hits[vector.Chunks], modelstest.ChunkHit(v, 100+i, 0.5))
	}
	found, err := l.Search(t.Context(), "ws_one", x, modelstest.Question)
	require.NoError(t, err)
	require.Empty(t, found.Items)
	require.Equal(t, 10_000, x.Asked[len(x.Asked)-1].Limit)
}

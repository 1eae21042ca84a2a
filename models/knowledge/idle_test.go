package knowledge_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

// aDayLater makes all notes of uses a day older.
func aDayLater(l *modelstest.Library) {
	l.Exec(`UPDATE index_uses SET used_at = used_at - interval '25 hours'`)
}

func idle(t *testing.T, l *modelstest.Library) []string {
	t.Helper()
	found, err := l.IdleWorkspaces(t.Context(), 10)
	require.NoError(t, err)
	return found
}

func TestAWorkspaceIsIdleADayAfterItsLastUse(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "text")
	l.Live("ws_two", "text")
	require.Empty(t, idle(t, l), "both were used just now")
	aDayLater(l)
	require.Equal(t, []string{"ws_one", "ws_two"}, idle(t, l))

	x := &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {modelstest.ChunkHit(v, 0, 0.1)}}}
	require.Equal(t, []string{"chunk text"}, l.Named(x, modelstest.Question))
	require.Equal(t, []string{"ws_two"}, idle(t, l), "a search uses it")
	require.NoError(t, l.Released(t.Context(), []string{"ws_one", "ws_two"}))
	require.Empty(t, idle(t, l))
	aDayLater(l)
	require.Equal(t, []string{"ws_one"}, idle(t, l), "it was used after it was found idle, so it is not released")
	require.NoError(t, l.Released(t.Context(), []string{"ws_one"}))
	aDayLater(l)
	require.Empty(t, idle(t, l), "nothing is released twice")

	require.Equal(t, []string{"chunk text"}, l.Named(x, modelstest.Question))
	l.Live("ws_two", "more")
	aDayLater(l)
	require.Equal(t, []string{"ws_one", "ws_two"}, idle(t, l), "a search and an ingest bring them back")
}

// lastUse is when a use of the workspace was last noted.
func lastUse(t *testing.T, l *modelstest.Library, workspaceID string) string {
	t.Helper()
	var at string
	require.NoError(t, l.DB.Pool.QueryRow(t.Context(), `SELECT used_at::text FROM index_uses WHERE workspace_id = $1`, workspaceID).Scan(&at))
	return at
}

func TestSearchesNoteTheirUseOnceAnHour(t *testing.T) {
	l := modelstest.NewLibrary(t)
	l.Live("ws_one", "text")
	first := lastUse(t, l, "ws_one")
	x := &modelstest.Index{}
	for range 3 {
		l.Named(x, modelstest.Question)
	}
	require.Equal(t, first, lastUse(t, l, "ws_one"))
	l.Exec(`UPDATE index_uses SET used_at = used_at - interval '61 minutes'`)
	old := lastUse(t, l, "ws_one")
	l.Named(x, search.Query{Limit: 10})
	require.Equal(t, old, lastUse(t, l, "ws_one"), "a search without a vector does not ask the index")
	l.Named(x, modelstest.Question)
	require.NotEqual(t, old, lastUse(t, l, "ws_one"))
}

// A search that the index could not answer may have brought the workspace back.
func TestASearchThatTheIndexDoesNotAnswerIsAUse(t *testing.T) {
	l := modelstest.NewLibrary(t)
	l.Live("ws_one", "text")
	aDayLater(l)
	away := fault.Unavailable(errors.New("gone"))
	found, err := l.Search(t.Context(), "ws_one", &modelstest.Index{Err: map[vector.Corpus]error{vector.Chunks: away}}, modelstest.Question)
	require.NoError(t, err)
	require.True(t, found.Degraded)
	require.Empty(t, idle(t, l))
}

// Whatever else writes to the index, or removes from it, uses it.
func TestBuildingAndRemovingAreUses(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "text")
	built, err := l.Build(t.Context(), "m2", []float32{2}, "m2")
	require.NoError(t, err)
	aDayLater(l)
	require.NoError(t, l.Copied(t.Context(), v, built.ID))
	require.Empty(t, idle(t, l))
	aDayLater(l)
	require.NoError(t, l.Purge(t.Context(), v, nothing))
	require.Empty(t, idle(t, l))
}

package knowledge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/subject"
)

// staged gives a live source its second version, which is ready to become live.
func staged(t *testing.T, l *modelstest.Library, v knowledge.VersionRef) knowledge.VersionRef {
	t.Helper()
	ctx := t.Context()
	done, err := l.Update(ctx, v.WorkspaceID, replacement(v.SourceID, "new"))
	require.NoError(t, err)
	v.Version = done.Version
	claimed := l.ClaimVersions(100)
	require.Contains(t, claimed, v)
	l.Begin(v, knowledge.StageEmbedding)
	require.NoError(t, l.FinishStage(ctx, v, knowledge.StageEmbedding))
	l.Begin(v, knowledge.StageIndexing)
	require.NoError(t, l.MarkIndexed(ctx, v, l.Generation().ID))
	return v
}

// updated gives a source its second version, live.
func updated(t *testing.T, l *modelstest.Library, v knowledge.VersionRef) {
	t.Helper()
	require.NoError(t, l.Complete(t.Context(), staged(t, l, v)))
}

// sources counts those that were updated within two days, in a scope.
func sources(t *testing.T, l *modelstest.Library, organizationID, documentID string) int {
	t.Helper()
	n, err := l.UpdatedSources(t.Context(), "ws_one", subject.Filter{OrganizationID: organizationID, DocumentID: documentID}, 48*time.Hour)
	require.NoError(t, err)
	return n
}

// What is new is no update, and what is not live yet, or was live two days ago, is not
// counted.
func TestUpdatesOfTheLastTwoDaysAreCounted(t *testing.T) {
	t.Parallel()
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "a")
	require.Zero(t, sources(t, l, "", ""), "the first version")
	second := staged(t, l, v)
	require.Zero(t, sources(t, l, "", ""), "the second one is not live yet")
	require.NoError(t, l.Complete(t.Context(), second))
	require.Equal(t, 1, sources(t, l, "", ""))
	turned := func(age string) int {
		l.Exec(`UPDATE source_versions SET completed_at = clock_timestamp() - $1::interval WHERE source_id = $2 AND version = 2`, age, v.SourceID)
		return sources(t, l, "", "")
	}
	require.Equal(t, 1, turned("47 hours 59 minutes"))
	require.Zero(t, turned("48 hours"))
	updated(t, l, v)
	updated(t, l, v)
	require.Equal(t, 1, sources(t, l, "", ""), "one source, however often it was updated")
	updated(t, l, l.Live("ws_two", "a"))
	require.Equal(t, 1, sources(t, l, "", ""), "of this workspace")
	_, err := l.Delete(t.Context(), "ws_one", v.SourceID, false)
	require.NoError(t, err)
	require.Zero(t, sources(t, l, "", ""))
}

// A source counts where it is about what was asked for, or about nothing.
func TestUpdatesWithinAScopeAreCounted(t *testing.T) {
	t.Parallel()
	l := modelstest.NewLibrary(t)
	for _, about := range [][2]string{{"", ""}, {"acme", ""}, {"acme", "spring"}, {"acme", "summer"}, {"apex", ""}, {"apex", "spring"}} {
		updated(t, l, l.ScopedTo(l.Live("ws_one", "a"), about[0], about[1]))
	}
	for _, c := range []struct {
		organizationID, documentID string
		want                       int
	}{
		{"", "", 6},
		{"acme", "", 4},
		{"acme", "spring", 2},
		{"acme", "winter", 1},
		{"apex", "", 3},
		{"nobody", "", 1},
		{"nobody", "spring", 1},
	} {
		require.Equal(t, c.want, sources(t, l, c.organizationID, c.documentID), "%+v", c)
	}
	modelstest.Rename(t, l.DB, "ws_one", "spring", "autumn")
	require.Equal(t, []int{1, 2}, []int{sources(t, l, "acme", "spring"), sources(t, l, "acme", "autumn")})
	modelstest.Remove(t, l.DB, "ws_one", "autumn")
	require.Equal(t, []int{1, 3}, []int{sources(t, l, "acme", "autumn"), sources(t, l, "acme", "")})
}

package knowledge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

// listed reads a page of sources, and returns their ids.
func listed(t *testing.T, l *modelstest.Library, f knowledge.ListFilter, after *knowledge.SourcePosition, size int) ([]string, *knowledge.SourcePosition) {
	t.Helper()
	page, err := l.List(t.Context(), "ws_one", f, after, size)
	require.NoError(t, err)
	ids := []string{}
	for _, s := range page.Items {
		ids = append(ids, s.ID)
	}
	return ids, page.Next
}

// brought brings in a source with that content and returns its id.
func brought(t *testing.T, l *modelstest.Library, content string) string {
	t.Helper()
	accepted, err := l.Accept(t.Context(), "ws_one", modelstest.Source(content))
	require.NoError(t, err)
	return accepted.SourceID
}

// Pages over a thousand sources, some of one millisecond, repeat none and leave out none
// that stayed, whoever comes and goes meanwhile.
func TestSourcesArePagedWhileOthersComeAndGo(t *testing.T) {
	l := modelstest.NewLibrary(t)
	l.Exec(`INSERT INTO sources (workspace_id, id, source_type, created_at, newest)
SELECT 'ws_one', 'src_' || lpad(n::text, 4, '0'), 'inline', clock_timestamp() - (n / 100) * interval '1 ms', 1 FROM generate_series(1, 1000) n`)
	l.Exec(`INSERT INTO source_versions (workspace_id, source_id, version, state, stage, file_name, mime_type, file_size, sha256, original_key, started_at, updated_at)
SELECT workspace_id, id, 1, 'accepted', 'queued', 'a', 'text/plain', 1, '', id, now(), now() FROM sources`)
	all, next := listed(t, l, knowledge.ListFilter{}, nil, 2000)
	require.Len(t, all, 1000)
	require.Nil(t, next)
	seen := map[string]bool{}
	var walked []string
	var after *knowledge.SourcePosition
	for {
		ids, next := listed(t, l, knowledge.ListFilter{}, after, 37)
		walked = append(walked, ids...)
		for _, id := range ids {
			require.False(t, seen[id], id)
			seen[id] = true
		}
		if next == nil {
			break
		}
		after = next
		brought(t, l, "one that comes after "+ids[0])
		gone := len(walked) / 37
		l.Exec(`UPDATE sources SET removed = true WHERE id = $1`, ids[len(ids)-1]) // the cursor's own row
		l.Exec(`UPDATE sources SET removed = true WHERE id = $1`, all[1000-gone])
	}
	var stayed []string
	rows, err := l.DB.Pool.Query(t.Context(), `SELECT id FROM sources WHERE NOT removed AND length(id) = 8 ORDER BY created_at DESC, id DESC`)
	require.NoError(t, err)
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		stayed = append(stayed, id)
	}
	require.Subset(t, walked, stayed)
}

// A list is narrowed by the status of the newest version and by the scope, of which an
// organization includes its documents.
func TestSourcesAreNarrowed(t *testing.T) {
	l := modelstest.NewLibrary(t)
	spring, acme := scoped(l, l.Live("ws_one", "a", "b"), "spring"), l.ScopedTo(l.Live("ws_one", "c"), "acme", "")
	failed := l.Staged("ws_one", "d")
	require.NoError(t, l.Fail(t.Context(), failed, "index-failed", "m"))
	waiting := brought(t, l, "e")
	l.Live("ws_two", "of another workspace")
	for _, c := range []struct {
		filter knowledge.ListFilter
		want   []string
	}{
		{knowledge.ListFilter{}, []string{waiting, failed.SourceID, acme.SourceID, spring.SourceID}},
		{knowledge.ListFilter{States: []string{"live"}}, []string{acme.SourceID, spring.SourceID}},
		{knowledge.ListFilter{States: []string{"failed"}}, []string{failed.SourceID}},
		{knowledge.ListFilter{States: []string{"accepted", "staging"}}, []string{waiting}},
		{knowledge.ListFilter{OrganizationID: "acme"}, []string{acme.SourceID, spring.SourceID}},
		{knowledge.ListFilter{OrganizationID: "acme", DocumentID: "spring"}, []string{spring.SourceID}},
		{knowledge.ListFilter{OrganizationID: "acme", DocumentID: "none"}, []string{}},
		{knowledge.ListFilter{OrganizationID: "none"}, []string{}},
	} {
		ids, _ := listed(t, l, c.filter, nil, 10)
		require.ElementsMatch(t, c.want, ids, "%+v", c.filter)
	}
	page, err := l.List(t.Context(), "ws_one", knowledge.ListFilter{DocumentID: "spring", OrganizationID: "acme"}, nil, 10)
	require.NoError(t, err)
	s := page.Items[0]
	require.Equal(t, []any{"acme", "spring", 2, 2, 1, "live"}, []any{*s.OrganizationID, *s.DocumentID, s.ChunkCount, s.RuleCount, *s.LiveVersion, s.State})
	modelstest.Remove(t, l.DB, "ws_one", "spring")
	ids, _ := listed(t, l, knowledge.ListFilter{OrganizationID: "acme"}, nil, 10)
	require.Equal(t, []string{acme.SourceID}, ids)
}

// Rules are those of the live version; a source without any is no unknown one.
func TestRulesOfASource(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "a", "b")
	rules, err := l.Rules(t.Context(), "ws_one", v.SourceID)
	require.NoError(t, err)
	require.Equal(t, []knowledge.Rule{
		{ID: "rule_" + v.SourceID + "0", Content: "a", Category: new("c")}, {ID: "rule_" + v.SourceID + "1", Content: "b", Category: new("c"), Index: 1},
	}, rules)
	for _, id := range []string{l.Staged("ws_one", "c").SourceID, l.Live("ws_one").SourceID} {
		rules, err = l.Rules(t.Context(), "ws_one", id)
		require.NoError(t, err)
		require.Empty(t, rules)
	}
	_, err = l.Rules(t.Context(), "ws_two", v.SourceID)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "unknown-source")
}

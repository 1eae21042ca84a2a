package tests

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// tenantStates are what the index says of the scene's workspace in each of its
// collections.
func (s *scene) tenantStates() []string {
	s.t.Helper()
	var found []string
	for _, collection := range s.collections() {
		var tenant struct{ ActivityStatus string }
		weaviate(s.t, http.MethodGet, "schema/"+collection+"/tenants/"+s.workspace.ID, &tenant)
		found = append(found, tenant.ActivityStatus)
	}
	return found
}

// A workspace that nobody has used for a day leaves the index's memory. The next search
// finds everything, and the next file can be brought in.
func TestIndex_AWorkspaceThatNobodyUsesIsReleasedAndComesBack(t *testing.T) {
	const question = "When are bills due?"
	s, l := beginAt(t, twoProcesses)
	s.whole(s.ingest(manual(6)), 6)
	s.broughtIn(s.ingest(housePaper), "completed")
	before := s.search(question, map[string]any{"includeRules": true})
	rows := l.rows()
	aDayLater := func() {
		_, err := rows.Exec(t.Context(), `UPDATE index_uses SET used_at = used_at - interval '25 hours' WHERE workspace_id = $1`, s.workspace.ID)
		require.NoError(t, err)
	}
	released := func() bool { return slices.Equal([]string{"COLD", "COLD"}, s.tenantStates()) }

	require.Equal(t, []string{"HOT", "HOT"}, s.tenantStates())
	aDayLater()
	within(t, ingestionTime, "the index releases the workspace", released)
	require.Equal(t, before, s.search(question, map[string]any{"includeRules": true}))
	require.Equal(t, []string{"HOT", "HOT"}, s.tenantStates())

	aDayLater()
	within(t, ingestionTime, "the index releases it again", released)
	s.whole(s.ingest(manual(3)), 3)
	require.Equal(t, []string{"HOT", "HOT"}, s.tenantStates())
	require.Equal(t, before.Results[0], s.search(question, map[string]any{"includeRules": true}).Results[0])
	l.atRest()
}

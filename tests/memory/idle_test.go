package memory

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// tenantStates are what the index says of the test's workspace in each of its
// collections.
func tenantStates(env *kit.Env) []string {
	env.T.Helper()
	var found []string
	for _, collection := range kit.Collections(env) {
		var tenant struct{ ActivityStatus string }
		kit.Weaviate(env.T, http.MethodGet, "schema/"+collection+"/tenants/"+env.Workspace.ID, &tenant)
		found = append(found, tenant.ActivityStatus)
	}
	return found
}

// A workspace that nobody has used for a day leaves the index's memory. The next search
// finds everything, and the next file can be brought in.
func TestIndex_AWorkspaceThatNobodyUsesIsReleasedAndComesBack(t *testing.T) {
	const question = "The gate is closed at night."
	env, isolated := kit.NewVariantWorkspace(t, kit.LettersAsModel)
	whole(env, kit.Ingest(env, kit.Manual(6)), 6)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	before := kit.Search(env, question, map[string]any{"includeRules": true})
	rows := isolated.DB()
	aDayLater := func() {
		_, err := rows.Exec(t.Context(), `UPDATE index_uses SET used_at = used_at - interval '25 hours' WHERE workspace_id = $1`, env.Workspace.ID)
		require.NoError(t, err)
	}
	released := func() bool { return slices.Equal([]string{"COLD", "COLD"}, tenantStates(env)) }

	require.Equal(t, []string{"HOT", "HOT"}, tenantStates(env))
	aDayLater()
	kit.RequireWithin(t, kit.IngestionTime, "the index releases the workspace", released)
	require.Equal(t, before, kit.Search(env, question, map[string]any{"includeRules": true}))
	require.Equal(t, []string{"HOT", "HOT"}, tenantStates(env))

	aDayLater()
	kit.RequireWithin(t, kit.IngestionTime, "the index releases it again", released)
	whole(env, kit.Ingest(env, kit.Manual(3)), 3)
	require.Equal(t, []string{"HOT", "HOT"}, tenantStates(env))
	require.Equal(t, before.Results[0], kit.Search(env, question, map[string]any{"includeRules": true}).Results[0])
	isolated.AtRest()
}

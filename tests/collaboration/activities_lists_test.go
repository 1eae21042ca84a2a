package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestActivities_GoWithTheirOrganization(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "a", kit.TriggerActivities)), kit.Annotated("m", kit.Wrote("ann", "a", kit.TriggerActivities))))
	kit.Items(env, client.DeleteAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"m"}}))
	kit.AddActivities(env, "", kit.Activity("ann", "x"))
	require.Len(t, kit.Log(env), 3)
	kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, kit.Log(env))
	rows := env.DB()
	kit.RequireWithin(t, kit.Patience, "their rows are removed", func() bool {
		var left int
		err := rows.QueryRow(env.Ctx, `SELECT (SELECT count(*) FROM activities WHERE workspace_id = $1) + (SELECT count(*) FROM deleted_annotations WHERE workspace_id = $1)`,
			env.Workspace.ID).Scan(&left)
		return kit.NoError(t, err) && left == 0
	})
}

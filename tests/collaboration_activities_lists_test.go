package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestActivities_GoWithTheirOrganization(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "a", recorded)), annotated("m", wrote("ann", "a", recorded))))
	s.items(deleteAnnotations, doc("d", map[string]any{"annotationIds": []string{"m"}}))
	s.did("", did("ann", "x"))
	require.Len(t, s.log(), 3)
	s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, s.log())
	rows := s.rows()
	within(t, patience, "their rows are removed", func() bool {
		var left int
		err := rows.QueryRow(s.ctx, `SELECT (SELECT count(*) FROM activities WHERE workspace_id = $1) + (SELECT count(*) FROM deleted_annotations WHERE workspace_id = $1)`,
			s.workspace.ID).Scan(&left)
		return fine(t, err) && left == 0
	})
}

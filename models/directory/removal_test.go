package directory_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/modelstest"
)

// However many grants there are on what is deleted, one portion of its removal takes no
// more rows than it may.
func TestARemovalTakesGrantsInPortions(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	deleted := directory.NewDeleted(c.DB)
	c.holds("f", "f/g", "kept")
	c.Adds(directory.Container{OrganizationID: "acme", DocumentID: "d"}, modelstest.Known("ann", "Ann"))
	c.Exec(`UPDATE documents SET folder_key = (SELECT key FROM folders WHERE folder_id = 'g')`)
	c.Exec(`INSERT INTO profiles (workspace_id, organization_key, user_id) SELECT workspace_id, key, 'user-' || n FROM organizations, generate_series(1, 30) n`)
	c.Exec(`INSERT INTO grants (workspace_id, organization_key, user_id, folder_key, role)
SELECT p.workspace_id, p.organization_key, p.user_id, f.key, 'viewer' FROM profiles p, folders f`)
	c.Exec(`INSERT INTO grants (workspace_id, organization_key, user_id, document_key, role)
SELECT p.workspace_id, p.organization_key, p.user_id, d.key, 'viewer' FROM profiles p, documents d WHERE p.user_id <> 'ann'`)
	left := func() (count int) {
		require.NoError(t, c.DB.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM grants) + (SELECT count(*) FROM profiles) +
    (SELECT count(*) FROM folders) + (SELECT count(*) FROM document_rows) + (SELECT count(*) FROM organizations)`).Scan(&count))
		return count
	}
	const limit = 10
	removed := func(portion func(of directory.Removal) (int64, error)) {
		t.Helper()
		inputs := c.Rows(`SELECT input::text FROM jobs WHERE kind = 'removal' ORDER BY created_at`)
		var of directory.Removal
		require.NoError(t, json.Unmarshal([]byte(inputs[len(inputs)-1]), &of))
		for before := left(); ; {
			n, err := portion(of)
			require.NoError(t, err)
			after := left()
			require.LessOrEqual(t, before-after, limit)
			if before = after; n == 0 {
				return
			}
		}
	}
	documents := func(of directory.Removal) (int64, error) {
		keys, err := deleted.Documents(t.Context(), of, limit)
		if err != nil || len(keys) == 0 {
			return 0, err
		}
		return deleted.RemoveDocuments(t.Context(), keys, limit)
	}
	rest := func(of directory.Removal) (int64, error) { return deleted.RemoveRest(t.Context(), of, limit) }

	require.NoError(t, c.Folders.Delete(t.Context(), modelstest.Workspace, "acme", "f"))
	removed(func(of directory.Removal) (int64, error) {
		return deleted.Free(t.Context(), modelstest.Workspace, of, limit)
	})
	removed(documents)
	removed(rest)
	require.Equal(t, 1+1+31+31, left(), "the organization, a folder, the people and their grants there")
	entries, err := directory.NewOrganizations(c.DB).Delete(t.Context(), modelstest.Workspace, []string{"acme"})
	require.NoError(t, err)
	require.True(t, entries[0].Success())
	removed(rest)
	require.Zero(t, left())
}

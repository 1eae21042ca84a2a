package person

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/erase"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
)

func TestMarksOfPeopleAreAsManyAsOneRequestForgets(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	modelstest.AddWorkspace(t, db, modelstest.Workspace)
	_, err := db.Pool.Exec(t.Context(), `
WITH made AS (INSERT INTO organizations (workspace_id, organization_id, name) SELECT $1, 'o' || n, '' FROM generate_series(1, 999) n RETURNING key, organization_id)
INSERT INTO profiles (workspace_id, organization_key, user_id, name, email, photo_url)
SELECT $1, m.key, u.id, u.id || ' ' || m.organization_id, '', u.id FROM made m CROSS JOIN (VALUES ('ann'), ('bob')) u (id)`, modelstest.Workspace)
	require.NoError(t, err)
	read := func(users ...string) (found []string, err error) {
		err = db.Read(t.Context(), func(tx *pg.Tx) error {
			found, err = readMarks(t.Context(), tx, modelstest.Workspace, users, nil)
			return err
		})
		return found, err
	}
	found, err := read("joe")
	require.NoError(t, err)
	require.Empty(t, found)
	found, err = read("ann")
	require.NoError(t, err)
	require.Len(t, found, erase.Most-1, "a name in each organization; the id is one that is known")
	require.Contains(t, found, "ann o7")
	_, err = read("ann", "bob")
	require.Equal(t, "too-many-marks", fault.From(err).Reason)
}

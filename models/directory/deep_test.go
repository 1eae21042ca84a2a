package directory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pgtest"
)

// forest is an organization with 500 chains of 20 folders in a database of its own,
// and its key.
func forest(b *testing.B) (db *pg.DB, organization int64) {
	b.Helper()
	db = pgtest.New(b)
	exec := func(sql string, args ...any) {
		b.Helper()
		_, err := db.Pool.Exec(b.Context(), sql, args...)
		require.NoError(b, err)
	}
	exec(`INSERT INTO owners (id, email_key) VALUES ('usr_test', 'usr_test')`)
	exec(`INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
VALUES ('ws_test', 'usr_test', 'w', 'w', 'o@x.y', 'o', sha256('w'), 'h', '\x00')`)
	exec(`INSERT INTO organizations (workspace_id, organization_id, name) VALUES ('ws_test', 'acme', 'acme')`)
	exec(`INSERT INTO folders (workspace_id, organization_key, folder_id, name, default_access)
SELECT 'ws_test', o.key, 'folder-1-' || n, 'A folder at the top', 'public' FROM organizations o, generate_series(1, 500) AS n`)
	for level := 2; level <= directory.MaxFolderDepth; level++ {
		exec(`INSERT INTO folders (workspace_id, organization_key, parent_key, folder_id, name, default_access)
SELECT 'ws_test', organization_key, key, replace(folder_id, $1, $2), 'A folder below', 'public' FROM folders WHERE folder_id LIKE $1 || '%'`,
			fmt.Sprintf("folder-%d-", level-1), fmt.Sprintf("folder-%d-", level))
	}
	exec(`INSERT INTO profiles (workspace_id, organization_key, user_id) SELECT 'ws_test', key, 'ann' FROM organizations`)
	exec(`INSERT INTO grants (workspace_id, organization_key, user_id, folder_key, role)
SELECT 'ws_test', organization_key, 'ann', CASE WHEN parent_key IS NULL THEN key END, 'editor' FROM folders
WHERE folder_id IN ('folder-1-7', 'folder-20-7')`)
	exec(`VACUUM ANALYZE`)
	require.NoError(b, db.Pool.QueryRow(b.Context(), `SELECT key FROM organizations`).Scan(&organization))
	return db, organization
}

// BenchmarkFolders reads the first page of 10,000 folders, 20 deep.
func BenchmarkFolders(b *testing.B) {
	db, _ := forest(b)
	store := directory.NewFolders(db)
	for b.Loop() {
		page, err := store.Get(b.Context(), "ws_test", directory.FolderFilter{OrganizationID: "acme", Depth: directory.MaxFolderDepth}, nil, 1000)
		require.NoError(b, err)
		require.Len(b, page.Items, 500)
	}
}

// BenchmarkAccess asks for a document at the top and for one below 20 folders.
func BenchmarkAccess(b *testing.B) {
	db, organization := forest(b)
	for _, depth := range []int{0, 20} {
		var document int64
		require.NoError(b, db.Pool.QueryRow(b.Context(), `
INSERT INTO documents (workspace_id, organization_key, folder_key, document_id, name, default_access)
SELECT 'ws_test', $1, (SELECT key FROM folders WHERE folder_id = $2), $2, 'd', 'organizationPrivate' RETURNING key`,
			organization, fmt.Sprintf("folder-%d-7", depth)).Scan(&document))
		_, err := db.Pool.Exec(b.Context(), `VACUUM ANALYZE`)
		require.NoError(b, err)
		b.Run(fmt.Sprint("depth=", depth), func(b *testing.B) {
			for b.Loop() {
				known, err := directory.ReadAccess(b.Context(), db.Pool, organization, []int64{document}, []string{"ann"})
				require.NoError(b, err)
				require.True(b, known.Decide(document, "ann").Write)
			}
		})
	}
}

package kit

import (
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// TopFolders makes folders at the top of an organization.
func TopFolders(env *Env, organizationID string, ids ...string) {
	env.T.Helper()
	for _, id := range ids {
		level := map[string]any{"organizationId": organizationID, "folderId": id, "createFolder": true, "users": Users("keeper")}
		require.True(env.T, Items(env, client.AddUsers, level)["keeper"].Success)
	}
}

// Move returns a call that moves documents of acme to a folder.
func Move(folderID string, ids ...string) map[string]any {
	return InAcme(map[string]any{"folderId": folderID, "documentIds": ids})
}

// In returns the ids of the documents in a folder of acme.
func In(env *Env, folderID string) []string {
	env.T.Helper()
	return IDsIn(Walked(env, client.GetDocuments, InAcme(map[string]any{"folderId": folderID})))
}

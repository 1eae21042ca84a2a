package kit

import (
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// AddToFolder adds documents to a folder of acme, which has to succeed for all of them.
func AddToFolder(env *Env, folderID string, ids ...string) {
	env.T.Helper()
	data := Documents(ids...)
	data["folderId"] = folderID
	for id, entry := range Items(env, client.AddDocuments, data) {
		require.True(env.T, entry.Success, id)
	}
}

// OfDocument returns what a user may do with a document of acme, as Permission.String
// writes it.
func OfDocument(env *Env, user, documentID string) string {
	env.T.Helper()
	return PermissionText(Permitted(env, user, nil, []string{documentID}).Documents[documentID])
}

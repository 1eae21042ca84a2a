package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Wanted returns what a user is notified of in acme: in the organization, then in
// documents.
func Wanted(env *Env, user string, documentIDs ...string) (all []string) {
	env.T.Helper()
	var found redline.PreferenceListResult
	env.Call(client.GetPreferences, InAcme(ForUser(user), map[string]any{"documentIds": documentIDs, "getOrganizationConfig": true}), &found)
	for _, p := range found.Data {
		require.Equal(env.T, []string{"acme", user}, []string{p.Metadata.OrganizationID, p.Metadata.UserID})
		all = append(all, p.Metadata.DocumentID+" "+string(p.Config.Inbox)+"/"+string(p.Config.Email))
	}
	return all
}

package kit

import (
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// preferenceView is what a user wants to be notified of, and where.
type preferenceView struct {
	Config   map[string]string `json:"config"`
	Metadata map[string]string `json:"metadata"`
}

// Wanted returns what a user is notified of in acme: in the organization, then in
// documents.
func Wanted(env *Env, user string, documentIDs ...string) (all []string) {
	env.T.Helper()
	var found client.Wrapped[[]preferenceView]
	env.Call(client.GetPreferences, InAcme(ForUser(user), map[string]any{"documentIds": documentIDs, "getOrganizationConfig": true}), &found)
	for _, p := range found.Data {
		require.Equal(env.T, []string{"acme", user}, []string{p.Metadata["organizationId"], p.Metadata["userId"]})
		all = append(all, p.Metadata["documentId"]+" "+p.Config["inbox"]+"/"+p.Config["email"])
	}
	return all
}

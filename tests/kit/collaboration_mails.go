package kit

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// Caught is a mail in the catcher, which plays the operator's relay.
type Caught struct {
	From    string            `json:"from"`
	To      []string          `json:"to"`
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html"`
	Headers map[string]string `json:"headers"`
}

// Mailbox returns an address that nobody else has.
func Mailbox() string { return Unique("box") + "@tests.example.com" }

// Mails waits for at least n mails to an address and returns all of them; n may be 0.
func Mails(env *Env, to string, n int) []Caught {
	env.T.Helper()
	var found struct {
		Items []Caught `json:"items"`
	}
	RequireEventually(env.T, fmt.Sprintf("%d mails to %s", n, to), func() bool {
		query := Shared.Env["REDLINE_DEV_MAILS_URL"] + "?to=" + url.QueryEscape(to)
		request, err := http.NewRequestWithContext(env.Ctx, http.MethodGet, query, nil)
		require.NoError(env.T, err)
		reply, err := http.DefaultClient.Do(request)
		require.NoError(env.T, err)
		defer func() { _ = reply.Body.Close() }()
		require.NoError(env.T, json.NewDecoder(reply.Body).Decode(&found))
		return len(found.Items) >= n
	})
	return found.Items
}

// Loud are the fields of a comment that notifies.
var Loud = map[string]any{"triggerNotification": true}

// Contact returns the fields of a comment that name the address of a tagged user.
func Contact(user, email string) map[string]any {
	return map[string]any{"taggedUserContacts": []any{
		map[string]any{"userId": user, "contact": map[string]any{"userId": user, "email": email}},
	}}
}

// Mention tags a user, who has the address, in a new annotation.
func Mention(env *Env, user, email string) {
	env.T.Helper()
	env.Call(client.AddAnnotations, Made(Unique("doc"), Annotated(Unique("note"), Wrote("ann", "Hi {{"+user+"}}", Loud, Contact(user, email)))), nil)
}

// AddPeople adds users to acme, and makes acme where it is missing.
func AddPeople(env *Env, users ...map[string]any) {
	env.T.Helper()
	env.Call(client.AddUsers, map[string]any{"organizationId": "acme", "createOrganization": true, "users": users}, nil)
}

// User returns a user of a call with a name and an address.
func User(id, name, email string) map[string]any {
	return map[string]any{"userId": id, "name": name, "email": email}
}

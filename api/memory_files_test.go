package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestSecurity_2_GuessedAddressesOfFilesCountLikeWrongTokens(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_RATE_IP_PER_MIN=3")
	u := kit.RequestUpload(env, 5, kit.PlainText)
	guessed := func() int {
		codes := map[int]int{}
		for i := range 40 {
			method := []string{http.MethodPut, http.MethodGet}[i%2]
			codes[kit.Ask(t, method, u.UploadURL+"x", "", nil).HTTP]++
		}
		require.Equal(t, 40, codes[http.StatusNotFound]+codes[http.StatusTooManyRequests], "%v", codes)
		require.GreaterOrEqual(t, codes[http.StatusNotFound], 3)
		return codes[http.StatusTooManyRequests]
	}
	require.Positive(t, guessed())
	require.Equal(t, http.StatusOK, kit.Ask(t, http.MethodPut, u.UploadURL, "a b c", map[string]string{"content-type": kit.PlainText}).HTTP,
		"a right one is not held up")
}

func TestBrowsers_MayCallFromTheDomainsOfTheirKey(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_CORS_ENABLED=true")
	made := kit.NewKey(env, map[string]any{"allowedDomains": []string{"app.example.com", "*.pages.example.com"}})
	env.Keyed = kit.KeySession(env.Keyed, made.APIKey, *made.AuthToken)
	list := func(origin string) *client.Reply {
		reply, err := env.Keyed.Send(t.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), map[string]string{"origin": origin})
		require.NoError(t, err)
		return reply
	}
	for _, origin := range []string{"https://app.example.com", "https://app.example.com:8443", "https://a.pages.example.com"} {
		reply := list(origin)
		require.Equal(t, http.StatusOK, reply.HTTP, origin)
		require.Equal(t, origin, reply.Header.Get("access-control-allow-origin"))
		require.Empty(t, reply.Header.Get("access-control-allow-credentials"))
	}
	for _, origin := range []string{"https://pages.example.com", "https://evil.example", "null"} {
		require.Equal(t, redline.ProblemStatusPermissionDenied, list(origin).Failure().Status, origin)
	}

	settings := func(session *client.Session, path string) {
		reply, err := session.Send(t.Context(), path, []byte(`{"data":{}}`), map[string]string{"origin": "https://evil.example"})
		require.NoError(t, err)
		require.Equal(t, redline.ProblemStatusPermissionDenied, reply.Failure().Status)
	}
	settings(env.Keyed, "/v2/"+client.GetSettings)
	settings(env.Owner, "/v2/"+client.GetWorkspace)
	var denied []string
	for _, row := range operate(env).Audits(env.Workspace.ID, "") {
		if row.Outcome == "denied" {
			denied = append(denied, row.Operation+" "+row.Actor)
		}
	}
	require.ElementsMatch(t, []string{"/v2/workspace/apikeyconfig/get " + made.APIKey, "/v2/workspace/get " + env.Workspace.ID}, denied,
		"what is refused is kept, of the operations that are audited")

	// A page uploads with the address that its own key was given.
	const content = "The bell must be rung at noon."
	u := kit.RequestUpload(env, len(content), kit.PlainText)
	page := map[string]string{"origin": "https://app.example.com", "content-type": kit.PlainText}
	asked := kit.Ask(t, http.MethodOptions, u.UploadURL, "", page)
	require.Equal(t, http.StatusNoContent, asked.HTTP)
	require.Contains(t, asked.Header.Get("access-control-allow-methods"), http.MethodPut)
	require.NotEmpty(t, asked.Header.Get("x-request-id"))
	evil := map[string]string{"origin": "https://evil.example", "content-type": kit.PlainText}
	require.Equal(t, redline.ProblemStatusPermissionDenied, kit.Ask(t, http.MethodPut, u.UploadURL, content, evil).Failure().Status)
	taken := kit.Ask(t, http.MethodPut, u.UploadURL, content, page)
	require.Equal(t, http.StatusOK, taken.HTTP, "%s", taken.Body)
	require.Equal(t, "https://app.example.com", taken.Header.Get("access-control-allow-origin"))
}

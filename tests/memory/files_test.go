package memory

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestFiles_4_ARangeThatIsNotThereIsAnErrorLikeOthers(t *testing.T) {
	env := kit.NewWorkspace(t)
	const content = "The bell must be rung at noon."
	url := kit.BroughtIn(env, kit.Ingest(env, content), "completed").OriginalDownloadURL
	beyond := kit.Ask(t, http.MethodGet, url, "", map[string]string{"range": "bytes=30-"})
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, beyond.HTTP)
	require.Equal(t, redline.ProblemStatusInvalidArgument, beyond.Failure().Status)
	require.Equal(t, redline.ErrorDetailsReasonRange, beyond.Failure().Reason)
	require.Equal(t, "bytes */30", beyond.Header.Get("content-range"))
	last := kit.Ask(t, http.MethodGet, url, "", map[string]string{"range": "bytes=29-"})
	require.Equal(t, http.StatusPartialContent, last.HTTP)
	require.Equal(t, ".", string(last.Body))
	for _, method := range []string{http.MethodOptions, http.MethodPost, http.MethodDelete} {
		require.Equal(t, http.StatusNotFound, kit.Ask(t, method, url, "", nil).HTTP, method)
	}
}

func TestBrowsers_MayCallFromTheDomainsOfTheirKey(t *testing.T) {
	env, _ := kit.Beside(kit.NewWorkspace(t), "REDLINE_CORS_ENABLED=true")
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
	for _, row := range kit.Audited(t, kit.Operate(t, "audit", "--json", "--workspace", env.Workspace.ID)) {
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

func TestSuspension_ClosesTheAddressesOfFilesToo(t *testing.T) {
	env := kit.NewWorkspace(t)
	content := []byte("The bell must be rung at noon.")
	status := kit.BroughtIn(env, kit.Ingest(env, string(content)), "completed")
	u := kit.RequestUpload(env, len(content), kit.PlainText)
	kit.Operate(t, "workspace", "suspend", env.Workspace.ID)
	code, text := kit.Put(t, u.UploadURL, kit.PlainText, bytes.NewReader(content))
	require.Equal(t, http.StatusForbidden, code, text)
	require.Contains(t, text, "PERMISSION_DENIED")
	for _, url := range []string{status.OriginalDownloadURL, status.CanonicalMdDownloadURL} {
		answer, refused := kit.Get(t, url, "")
		require.Equal(t, http.StatusForbidden, answer.HTTP)
		require.Contains(t, string(refused), "PERMISSION_DENIED")
	}
	kit.Operate(t, "workspace", "resume", env.Workspace.ID)
	code, text = kit.Put(t, u.UploadURL, kit.PlainText, bytes.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	_, back := kit.Get(t, status.OriginalDownloadURL, "")
	require.Equal(t, content, back)
}

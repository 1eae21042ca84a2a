package tests

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// ask makes a request for a signed address and gives its answer; a refusal has
// to be one like all others.
func ask(t *testing.T, method, url, body string, header map[string]string) *client.Reply {
	t.Helper()
	base, path, _ := strings.Cut(url, "/v2/")
	reply, err := client.Public(base).Do(t.Context(), method, "/v2/"+path, strings.NewReader(body), header)
	require.NoError(t, err)
	if reply.HTTP >= http.StatusBadRequest {
		require.Equal(t, "application/json", reply.Header.Get("content-type"))
		require.NotEmpty(t, reply.Failure().Status, "%s", reply.Body)
		require.Equal(t, "no-store", reply.Header.Get("cache-control"))
	}
	return reply
}

func TestFiles_4_ARangeThatIsNotThereIsAnErrorLikeOthers(t *testing.T) {
	s := begin(t)
	const content = "The bell must be rung at noon."
	url := s.broughtIn(s.ingest(content), "completed").OriginalDownloadURL
	beyond := ask(t, http.MethodGet, url, "", map[string]string{"range": "bytes=30-"})
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, beyond.HTTP)
	require.Equal(t, "INVALID_ARGUMENT", beyond.Failure().Status)
	require.Equal(t, "range", beyond.Failure().Reason)
	require.Equal(t, "bytes */30", beyond.Header.Get("content-range"))
	last := ask(t, http.MethodGet, url, "", map[string]string{"range": "bytes=29-"})
	require.Equal(t, http.StatusPartialContent, last.HTTP)
	require.Equal(t, ".", string(last.Body))
	for _, method := range []string{http.MethodOptions, http.MethodPost, http.MethodDelete} {
		require.Equal(t, http.StatusNotFound, ask(t, method, url, "", nil).HTTP, method)
	}
}

func TestBrowsers_MayCallFromTheDomainsOfTheirKey(t *testing.T) {
	s := begin(t).beside("REDLINE_CORS_ENABLED=true")
	made := s.newKey(map[string]any{"allowedDomains": []string{"app.example.com", "*.pages.example.com"}})
	s.keyed = keySession(s.keyed, made.APIKey, *made.AuthToken)
	list := func(origin string) *client.Reply {
		reply, err := s.keyed.Send(t.Context(), "/v2/workflow/definitions/list", []byte(`{"data":{}}`), map[string]string{"origin": origin})
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
		require.Equal(t, "PERMISSION_DENIED", list(origin).Failure().Status, origin)
	}

	settings := func(session *client.Session, path string) {
		reply, err := session.Send(t.Context(), path, []byte(`{"data":{}}`), map[string]string{"origin": "https://evil.example"})
		require.NoError(t, err)
		require.Equal(t, "PERMISSION_DENIED", reply.Failure().Status)
	}
	settings(s.keyed, "/v2/workspace/apikeyconfig/get")
	settings(s.owner, "/v2/"+getWorkspace)
	var denied []string
	for _, row := range audited(t, operate(t, "audit", "--json", "--workspace", s.workspace.ID)) {
		if row.Outcome == "denied" {
			denied = append(denied, row.Operation+" "+row.Actor)
		}
	}
	require.ElementsMatch(t, []string{"/v2/workspace/apikeyconfig/get " + made.APIKey, "/v2/workspace/get " + s.workspace.ID}, denied,
		"what is refused is kept, of the operations that are audited")

	// A page uploads with the address that its own key was given.
	const content = "The bell must be rung at noon."
	u := s.uploadURL(len(content), plainText)
	page := map[string]string{"origin": "https://app.example.com", "content-type": plainText}
	asked := ask(t, http.MethodOptions, u.UploadURL, "", page)
	require.Equal(t, http.StatusNoContent, asked.HTTP)
	require.Contains(t, asked.Header.Get("access-control-allow-methods"), http.MethodPut)
	require.NotEmpty(t, asked.Header.Get("x-request-id"))
	evil := map[string]string{"origin": "https://evil.example", "content-type": plainText}
	require.Equal(t, "PERMISSION_DENIED", ask(t, http.MethodPut, u.UploadURL, content, evil).Failure().Status)
	taken := ask(t, http.MethodPut, u.UploadURL, content, page)
	require.Equal(t, http.StatusOK, taken.HTTP, "%s", taken.Body)
	require.Equal(t, "https://app.example.com", taken.Header.Get("access-control-allow-origin"))
}

func TestSuspension_ClosesTheAddressesOfFilesToo(t *testing.T) {
	s := begin(t)
	content := []byte("The bell must be rung at noon.")
	status := s.broughtIn(s.ingest(string(content)), "completed")
	u := s.uploadURL(len(content), plainText)
	operate(t, "workspace", "suspend", s.workspace.ID)
	code, text := put(t, u.UploadURL, plainText, bytes.NewReader(content))
	require.Equal(t, http.StatusForbidden, code, text)
	require.Contains(t, text, "PERMISSION_DENIED")
	for _, url := range []string{status.OriginalDownloadURL, status.CanonicalMdDownloadURL} {
		answer, refused := get(t, url, "")
		require.Equal(t, http.StatusForbidden, answer.StatusCode)
		require.Contains(t, string(refused), "PERMISSION_DENIED")
	}
	operate(t, "workspace", "resume", s.workspace.ID)
	code, text = put(t, u.UploadURL, plainText, bytes.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	_, back := get(t, status.OriginalDownloadURL, "")
	require.Equal(t, content, back)
}

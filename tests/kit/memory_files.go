package kit

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// Ask sends a request to a signed address and returns its answer; it requires that a refusal
// has the form of all others.
func Ask(t *testing.T, method, url, body string, header map[string]string) *client.Reply {
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

package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
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

package operation

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// What is on its way to a receiver that was closed may come to the next one at its port.
func TestAReceiverKeepsOnlyWhatIsMeantForIt(t *testing.T) {
	env := kit.NewWorkspace(t)
	mine := env.Receiver()
	former, err := receiver.Start(env.Trusted)
	require.NoError(t, err)
	t.Cleanup(former.Close)
	send := func(address string) int {
		answer := httptest.NewRecorder()
		mine.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, address, http.NoBody))
		return answer.Code
	}
	require.Equal(t, http.StatusNotFound, send(former.URL("/told")))
	require.Empty(t, mine.Requests(""))
	require.Equal(t, http.StatusOK, send(mine.URL("/told")))
	require.Len(t, mine.Requests("/told"), 1)
}

package kit

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// WorkspaceView is all that workspace/create and workspace/get answer.
type WorkspaceView struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Owner struct {
		Email  string  `json:"email"`
		ID     string  `json:"id"`
		Name   string  `json:"name"`
		Avatar *string `json:"avatar"`
	} `json:"owner"`
	AuthToken  string          `json:"authToken"`
	APIKeyList json.RawMessage `json:"apiKeyList"`
	Plan       string          `json:"plan"`
	CreatedAt  string          `json:"createdAt"`
}

// Keys reads apiKeyList in the order in which it was written.
func (w WorkspaceView) Keys(t *testing.T) []redline.APIKey {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(w.APIKeyList)))
	_, err := decoder.Token()
	require.NoError(t, err)
	var keys []redline.APIKey
	for decoder.More() {
		name, err := decoder.Token()
		require.NoError(t, err)
		var key redline.APIKey
		require.NoError(t, decoder.Decode(&key))
		require.Equal(t, name, key.ID)
		keys = append(keys, key)
	}
	return keys
}

// Asked requires that an operation succeeds and returns the data of its wrapped answer.
func Asked[T any](t *testing.T, session *client.Session, operation string, data any) T {
	t.Helper()
	answer, err := client.Call[client.Wrapped[T]](t.Context(), session, operation, data)
	require.NoError(t, err, operation)
	require.Equal(t, "success", answer.Status)
	return answer.Data
}

// Declined requires that an operation is refused with the status and, if one is given, the
// reason, and returns the error.
func Declined(t *testing.T, session *client.Session, operation string, data any, status, reason string) *redline.Error {
	t.Helper()
	raw, err := client.Call[json.RawMessage](t.Context(), session, operation, data)
	failure := redline.AsError(err)
	require.NotNil(t, failure, "%s answered %s, error %v", operation, raw, err)
	require.Equal(t, status, string(failure.Status), "%s: %v", operation, failure)
	if reason != "" {
		require.Equal(t, reason, string(failure.Reason), "%s: %v", operation, failure)
	}
	return failure
}

// OwnerEmail returns an address for an owner of the test's own.
func OwnerEmail(local string) string { return local + "@tests.example.com" }

// Operate runs the operator's tool on the shared database and returns what it printed.
func Operate(t *testing.T, args ...string) string {
	t.Helper()
	printed, err := Shared.Run(t.Context(), nil, append([]string{"admin", "--yes", "--as", "test"}, args...)...)
	require.NoError(t, err)
	return printed
}

// Operate runs the operator's tool on the isolated stack's database and returns what it printed.
func (isolated *IsolatedStack) Operate(args ...string) string {
	isolated.T.Helper()
	printed, err := isolated.Run(isolated.T.Context(), append([]string{"admin", "--yes", "--as", "test"}, args...)...)
	require.NoError(isolated.T, err)
	return printed
}

// KeySession returns a session with that key and token at the same address.
func KeySession(at *client.Session, apiKey, token string) *client.Session {
	return at.With(map[string]string{"x-svc-api-key": apiKey, "x-svc-auth-token": token})
}

// Opens reports whether a key-level call with the session's credentials is let in.
func Opens(t *testing.T, session *client.Session) bool {
	t.Helper()
	reply, err := session.Send(t.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), nil)
	require.NoError(t, err)
	if reply.HTTP != http.StatusOK {
		require.Equal(t, redline.ProblemStatusUnauthenticated, reply.Failure().Status, "%s", reply.Body)
	}
	return reply.HTTP == http.StatusOK
}

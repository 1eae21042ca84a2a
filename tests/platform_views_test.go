package tests

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// Operations on workspaces, keys and tokens, by their paths after /v2/.
const (
	createWorkspace = "workspace/create"
	getWorkspace    = "workspace/get"
	createKey       = "workspace/apikey/create"
	updateKey       = "workspace/apikey/update"
	listKeys        = "workspace/apikeys/get"
	getTokens       = "workspace/authtokens/get"
	resetToken      = "workspace/authtoken/reset"
)

// workspaceView is all that workspace/create and workspace/get answer.
type workspaceView struct {
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

// keys reads apiKeyList in the order in which it was written.
func (w workspaceView) keys(t *testing.T) []client.KeyView {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(w.APIKeyList)))
	_, err := decoder.Token()
	require.NoError(t, err)
	var keys []client.KeyView
	for decoder.More() {
		name, err := decoder.Token()
		require.NoError(t, err)
		var key client.KeyView
		require.NoError(t, decoder.Decode(&key))
		require.Equal(t, name, key.ID)
		keys = append(keys, key)
	}
	return keys
}

type newKey struct {
	APIKey    string  `json:"apiKey"`
	AuthToken *string `json:"authToken"`
}

type tokenView struct {
	Token   string   `json:"token"`
	Name    string   `json:"name"`
	Domains []string `json:"domains"`
}

type keyTokens struct {
	APIKey     string      `json:"apiKey"`
	AuthTokens []tokenView `json:"authTokens"`
}

type tokenReset struct {
	APIKey       string    `json:"apiKey"`
	NewAuthToken tokenView `json:"newAuthToken"`
}

// asked makes an operation that answers with wrapped data.
func asked[T any](t *testing.T, session *client.Session, operation string, data any) T {
	t.Helper()
	answer, err := client.Call[client.Wrapped[T]](t.Context(), session, operation, data)
	require.NoError(t, err, operation)
	require.Equal(t, "success", answer.Status)
	return answer.Data
}

// declined makes an operation that has to be refused with the status and, if
// given, the reason.
func declined(t *testing.T, session *client.Session, operation string, data any, status, reason string) *client.Failure {
	t.Helper()
	raw, err := client.Call[json.RawMessage](t.Context(), session, operation, data)
	failure := client.Refusal(err)
	require.NotNil(t, failure, "%s answered %s, error %v", operation, raw, err)
	require.Equal(t, status, failure.Status, "%s: %v", operation, failure)
	if reason != "" {
		require.Equal(t, reason, failure.Reason, "%s: %v", operation, failure)
	}
	return failure
}

// stories is the address that stories use for an owner of their own.
func stories(local string) string { return local + "@stories.example.com" }

// public is a session without credentials at the shared process.
func public() *client.Session { return client.Public(shared.URL()) }

// operate runs the operator's tool on the shared database.
func operate(t *testing.T, args ...string) string {
	t.Helper()
	printed, err := shared.Run(t.Context(), nil, append([]string{"admin", "--yes", "--as", "story"}, args...)...)
	require.NoError(t, err)
	return printed
}

// operate runs the operator's tool on the lab's database.
func (l *lab) operate(args ...string) string {
	l.t.Helper()
	printed, err := l.Run(l.t.Context(), append([]string{"admin", "--yes", "--as", "story"}, args...)...)
	require.NoError(l.t, err)
	return printed
}

// keySession is a session with that key and token at the same address.
func keySession(at *client.Session, apiKey, token string) *client.Session {
	return at.With(map[string]string{"x-svc-api-key": apiKey, "x-svc-auth-token": token})
}

// opens tells whether a key-level call passes the credentials.
func opens(t *testing.T, session *client.Session) bool {
	t.Helper()
	reply, err := session.Send(t.Context(), "/v2/workflow/definitions/list", []byte(`{"data":{}}`), nil)
	require.NoError(t, err)
	if reply.HTTP != http.StatusOK {
		require.Equal(t, "UNAUTHENTICATED", reply.Failure().Status, "%s", reply.Body)
	}
	return reply.HTTP == http.StatusOK
}

// file writes a file of the story and gives its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

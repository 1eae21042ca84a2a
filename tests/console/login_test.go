package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestLogin_WrongCredentialsSayWhatTheInterfaceSaid(t *testing.T) {
	env := kit.NewWorkspace(t)
	for name, pairs := range map[string][]string{
		"a wrong token":       {"key", env.Workspace.APIKey, "keyToken", "kat_wrong"},
		"no key":              {"key", "ak_none", "keyToken", env.Workspace.AuthToken},
		"a wrong workspace":   {"workspaceId", "ws_none", "workspaceToken", env.Workspace.Token},
		"nothing":             {},
		"a right-to-left key": {"key", "\u202eakéé😀", "keyToken", "\u200f"},
	} {
		shown := kit.NewVisitor(env).Submit("/login", pairs...)
		require.Equal(t, http.StatusUnauthorized, shown.Code, name)
		require.Contains(t, shown.Text(), "These credentials are not known", name)
		require.Regexp(t, `req_[a-z0-9]{26}`, shown.Text(), name)
		require.Empty(t, shown.Header.Values("Set-Cookie"), name)
	}
}

func TestLogin_LeadsBackToThePage(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.NewVisitor(env)
	shown := v.Open("/executions", "status", "failed")
	require.Equal(t, "/login?next=%2Fexecutions%3Fstatus%3Dfailed", shown.Address)
	shown = v.Submit("/login", "key", env.Workspace.APIKey, "keyToken", env.Workspace.AuthToken, "next", "/executions?status=failed")
	require.Equal(t, "/executions?status=failed", shown.Address)
	v.Submit("/logout")
	require.Contains(t, v.Open("/executions").Address, "/login")
}

func TestLogin_AWorkspaceOpensEverything(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.NewVisitor(env)
	shown := v.Submit("/login", "workspaceId", env.Workspace.ID, "workspaceToken", env.Workspace.Token)
	require.Equal(t, http.StatusOK, shown.Code)
	require.Contains(t, shown.Text(), "Overview")
}

// A token that is replaced ends the sessions that were opened with it.
func TestLogin_AReplacedTokenEndsItsSessions(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	require.Equal(t, http.StatusOK, v.Open("/executions").Code)
	_, err := client.Call[any](env.Ctx, env.Owner, client.ResetToken, map[string]any{"apiKey": env.Workspace.APIKey})
	require.NoError(t, err)
	kit.RequireEventually(t, "the session is over", func() bool { return strings.HasPrefix(v.Open("/executions").Address, "/login?expired=1") })
	require.Contains(t, v.Open("/login", "expired", "1").Text(), "no longer open anything")
}

func TestPolicyOfEveryPage(t *testing.T) {
	env := kit.NewWorkspace(t)
	for _, shown := range []*kit.Shown{kit.NewVisitor(env).Open("/login"), kit.Visit(env).Open("/"), kit.Visit(env).Open("/nowhere")} {
		policy := shown.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.NotContains(t, policy, "unsafe")
		require.NotContains(t, policy, "http")
		require.Equal(t, "no-store", shown.Header.Get("Cache-Control"))
	}
}

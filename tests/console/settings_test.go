package console

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

func TestSettings_DomainsAndKeys(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	require.Contains(t, v.Open("/settings").Text(), "Keys are managed with the workspace's own credentials.")
	require.Contains(t, v.Submit("/settings/domain/add", "domain", "app.example.com").Text(), "app.example.com")
	require.NotContains(t, v.Submit("/settings/domain/remove", "domain", "app.example.com").Text(), "app.example.com")
	owner := kit.NewVisitor(env)
	owner.Submit("/login", "workspaceId", env.Workspace.ID, "workspaceToken", env.Workspace.Token)
	require.Contains(t, owner.Open("/settings").Text(), env.Workspace.APIKey)
	made := owner.Submit("/settings/key/create", "owner", "ann@example.com", "name", "Second <b>", "type", "testing")
	require.Contains(t, made.Text(), "kat_")
	require.Contains(t, owner.Open("/settings").Text(), "Second <b>")
	require.Contains(t, owner.Submit("/settings/key/reset", "key", env.Workspace.APIKey).Text(), "kat_")
}

func TestJobs_AreListed(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	require.Contains(t, v.Open("/jobs").Text(), "No job")
	withDocument(env)
	env.Call("organizations/documents/delete", map[string]any{"organizationId": oddOrganization, "documentIds": []string{oddDocument}}, nil)
	require.Equal(t, http.StatusOK, v.Open("/jobs", "status", "failed").Code)
}

func TestMails_AreShownOnADevelopmentStack(t *testing.T) {
	env := kit.NewWorkspace(t)
	require.Equal(t, http.StatusOK, kit.Visit(env).Open("/mails").Code)
}

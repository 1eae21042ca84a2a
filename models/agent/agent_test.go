package agent_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

// registry is the registry of one workspace.
type registry struct {
	*modelstest.Tenants
	t     *testing.T
	w     *workspace.Workspace
	store *agent.Agents
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	s := modelstest.NewTenants(t)
	return &registry{s, t, s.Create(t, "owner@example.com"), agent.New(s.DB, s.Box)}
}

func (r *registry) create(agentID, secret string) error {
	_, err := r.store.Create(r.t.Context(), r.w.ID, modelstest.Owner(r.w),
		agent.NewAgent{ID: agentID, Name: "Checker", URL: "https://agents.example.com", Secret: secret})
	return err
}

func (r *registry) rotate(agentID, secret string) {
	r.t.Helper()
	_, err := r.store.Update(r.t.Context(), r.w.ID, modelstest.Owner(r.w), agentID, agent.Change{Secret: &secret})
	require.NoError(r.t, err)
}

// signing are the secrets that sign now, the present one first.
func (r *registry) signing(agentID string) []string {
	r.t.Helper()
	c, err := r.store.Contact(r.t.Context(), r.DB.Pool, r.w.ID, agentID, nil)
	require.NoError(r.t, err)
	require.NotNil(r.t, c)
	secrets := make([]string, len(c.Secrets))
	for i, secret := range c.Secrets {
		secrets[i] = string(secret)
	}
	return secrets
}

func (r *registry) exec(sql string) {
	r.t.Helper()
	_, err := r.DB.Pool.Exec(r.t.Context(), sql)
	require.NoError(r.t, err)
}

func TestAFormerSecretSignsForADay(t *testing.T) {
	r := newRegistry(t)
	require.NoError(t, r.create("checker", "the first secret"))
	require.Equal(t, []string{"the first secret"}, r.signing("checker"))
	r.rotate("checker", "the second secret")
	r.exec(`UPDATE agent_secrets SET expires_at = expires_at - interval '23 hours', created_at = created_at - interval '23 hours'`)
	r.rotate("checker", "the third secret")
	require.Equal(t, []string{"the third secret", "the second secret", "the first secret"}, r.signing("checker"))
	r.exec(`UPDATE agent_secrets SET expires_at = expires_at - interval '1 hour'`)
	require.Equal(t, []string{"the third secret", "the second secret"}, r.signing("checker"), "the first one's day is over")
	for n := range 9 {
		r.rotate("checker", fmt.Sprint("a later secret ", n))
	}
	require.Equal(t, []string{"a later secret 8", "a later secret 7", "a later secret 6", "a later secret 5", "a later secret 4"}, r.signing("checker"),
		"four of those that were replaced")
	require.NoError(t, r.store.Delete(t.Context(), r.w.ID, modelstest.Owner(r.w), "checker"))
	require.Zero(t, r.Count(t, `SELECT count(*) FROM agent_secrets`))
	gone, err := r.store.Contact(t.Context(), r.DB.Pool, r.w.ID, "checker", nil)
	require.NoError(t, err)
	require.Nil(t, gone)
}

func TestAWorkspaceHasAThousandAgents(t *testing.T) {
	r := newRegistry(t)
	r.exec(`INSERT INTO agents (workspace_id, agent_id, name, url, disabled)
		SELECT w.id, 'agent-' || n, 'Agent', 'https://agents.example.com', false FROM workspaces w, generate_series(2, 1000) n`)
	failed := modelstest.ErrorsOf(8, func(i int) error { return r.create(fmt.Sprint("new-", i), "a secret of the agent") })
	made := 0
	for _, err := range failed {
		if err == nil {
			made++
			continue
		}
		modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "agent-quota")
	}
	require.Equal(t, 1, made, "the thousandth")
	modelstest.RequireRefusal(t, r.create("agent-2", "a secret of the agent"), fault.StatusAlreadyExists, "agent-exists")
}

// An agent that is added while the list is read stands on a page that was read
// already: it moves nothing.
func TestPagesAreStableWhileAgentsAreAdded(t *testing.T) {
	r := newRegistry(t)
	for n := range 7 {
		require.NoError(t, r.create(fmt.Sprint("agent-", n), "a secret of the agent"))
	}
	r.exec(`UPDATE agents SET created_at = '2026-01-01T00:00:00.123456Z'`)
	var ids []string
	var after *agent.Position
	for n := 0; ; n++ {
		page, err := r.store.List(t.Context(), r.w.ID, nil, after, 2)
		require.NoError(t, err)
		for _, a := range page.Items {
			ids = append(ids, a.ID)
		}
		if after = page.Next; after == nil {
			break
		}
		require.NoError(t, r.create(fmt.Sprint("later-", n), "a secret of the agent"))
	}
	require.Equal(t, []string{"agent-6", "agent-5", "agent-4", "agent-3", "agent-2", "agent-1", "agent-0"}, ids)
}

func TestSecretsOfAgentsSurviveARotationOfKeys(t *testing.T) {
	o := modelstest.NewRotation(t)
	w := o.Before.Create(t, "owner@example.com")
	before := &registry{o.Before, t, w, agent.New(o.DB, o.Before.Box)}
	require.NoError(t, before.create("checker", "the first secret"))
	before.rotate("checker", "the second secret")
	require.NoError(t, workspace.NewRewrap(o.DB, o.During.Box, models.AllSealedColumns).Run(t.Context(), modelstest.Quiet))
	after := &registry{o.After, t, w, agent.New(o.DB, o.After.Box)}
	assert.Equal(t, []string{"the second secret", "the first secret"}, after.signing("checker"))
}

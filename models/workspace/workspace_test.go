package workspace_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

func TestCreateMakesTheWholeWorkspace(t *testing.T) {
	s := modelstest.NewTenants(t)
	avatar := "https://example.com/a.png"
	name := "John Doe"
	before := modelstest.ClockOf(t, s.DB)
	made, err := s.Workspaces.Create(t.Context(), modelstest.Anonymous, workspace.NewWorkspace{
		Email: modelstest.Address(t, "MARIA@Example.COM"), OwnerName: &name, Avatar: &avatar,
	})
	require.NoError(t, err)
	assert.Regexp(t, `^ws_[0-9a-z]{26}$`, made.ID)
	assert.Equal(t, "John Doe workspace", made.Name)
	assert.Regexp(t, `^wst_[A-Za-z0-9_-]{43}$`, made.AuthToken)
	assert.Equal(t, workspace.PlanFree, made.Plan)
	assert.WithinRange(t, made.CreatedAt, before, modelstest.ClockOf(t, s.DB))
	assert.Equal(t, "MARIA@Example.COM", made.Owner.Email)
	assert.Equal(t, "John Doe", made.Owner.Name)
	assert.Equal(t, &avatar, made.Owner.Avatar)
	require.Len(t, made.Keys, 1)
	assert.Equal(t, "MARIA Test API Key", made.Keys[0].Name)
	assert.Equal(t, workspace.KeyTesting, made.Keys[0].Type)

	found, err := s.Workspaces.Get(t.Context(), made.ID, modelstest.Owner(made))
	require.NoError(t, err)
	assert.Equal(t, made.AuthToken, found.AuthToken)
	assert.Equal(t, made.Keys[0].ID, found.Keys[0].ID)

	tokens, err := s.Keys.Tokens(t.Context(), made.ID, modelstest.Owner(made), made.Keys[0].ID)
	require.NoError(t, err)
	require.Len(t, tokens, 1)
	assert.Regexp(t, `^kat_[A-Za-z0-9_-]{43}$`, tokens[0].Token)
	assert.Equal(t, "Default Auth Token", tokens[0].Name)
	assert.Empty(t, tokens[0].Domains)
}

func TestDefaultNames(t *testing.T) {
	s := modelstest.NewTenants(t)
	for owner, want := range map[string]struct{ name, workspace, key string }{
		"owner@example.com":       {"", "owner@example.com workspace", "Owner Test API Key"},
		"john@example.com":        {"John Doe", "John Doe workspace", "John Test API Key"},
		"john.doe+qa@example.com": {"", "john.doe+qa@example.com workspace", "John.doe+qa Test API Key"},
		"MARIA@EXAMPLE.COM":       {"", "MARIA@EXAMPLE.COM workspace", "MARIA Test API Key"},
		"élodie@exemple.fr":       {"Élo", "Élo workspace", "Élodie Test API Key"},
		"李雷@例子.中国":                {"", "李雷@例子.中国 workspace", "李雷 Test API Key"},
		"7up@example.com":         {"", "7up@example.com workspace", "7up Test API Key"},
	} {
		n := workspace.NewWorkspace{Email: modelstest.Address(t, owner)}
		if want.name != "" {
			n.OwnerName = &want.name
		}
		made, err := s.Workspaces.Create(t.Context(), modelstest.Anonymous, n)
		require.NoError(t, err, owner)
		assert.Equal(t, want.workspace, made.Name)
		assert.Equal(t, want.key, made.Keys[0].Name)
	}
	long := strings.Repeat("😀", 200)
	made, err := s.Workspaces.Create(t.Context(), modelstest.Anonymous, workspace.NewWorkspace{Email: modelstest.Address(t, "long@example.com"), OwnerName: &long})
	require.NoError(t, err)
	assert.Equal(t, long+" workspace", made.Name)
}

func TestOneOwnerBySpelling(t *testing.T) {
	s := modelstest.NewTenants(t)
	first := s.Create(t, "élodie@exemple.fr")
	_, err := s.CreateNamed(t, "E\u0301LODIE@EXEMPLE.FR", "  É\u006Codie@exemple.fr WORKSPACE ")
	modelstest.RequireRefusal(t, err, fault.StatusAlreadyExists, "workspace-exists")
	require.NoError(t, s.Operator.SetPlan(t.Context(), first.ID, workspace.PlanPaid))
	second, err := s.CreateNamed(t, "e\u0301lodie@EXEMPLE.fr", "another")
	require.NoError(t, err)
	assert.Equal(t, first.Owner.ID, second.Owner.ID)
	assert.Equal(t, first.Keys[0].Name, second.Keys[0].Name)
	assert.NotEqual(t, first.Owner.ID, s.Create(t, "élodie+1@exemple.fr").Owner.ID, "a tag makes another owner")
}

// Somebody who creates workspaces of one owner again and again is refused without a wait for whoever holds that owner.
func TestARefusedCreateWaitsForNobody(t *testing.T) {
	s := modelstest.NewTenants(t)
	s.Create(t, "held@example.com")
	require.NoError(t, s.Operator.SetPlan(t.Context(), s.Create(t, "paid@example.com").ID, workspace.PlanPaid))
	holder, err := s.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = holder.Rollback(context.Background()) }()
	_, err = holder.Exec(t.Context(), `SELECT FROM owners FOR UPDATE`)
	require.NoError(t, err)
	_, err = s.CreateNamed(t, "held@example.com", "held@example.com workspace")
	modelstest.RequireRefusal(t, err, fault.StatusAlreadyExists, "workspace-exists")
	_, err = s.CreateNamed(t, "held@example.com", "two")
	modelstest.RequireRefusal(t, err, fault.StatusPermissionDenied, "plan-required")
	accepted := make(chan error, 1)
	go func() {
		_, err := s.CreateNamed(t, "paid@example.com", "two")
		accepted <- err
	}()
	modelstest.AwaitWaiting(t, s.DB, 1)
	require.NoError(t, holder.Commit(t.Context()))
	require.NoError(t, <-accepted)
}

func TestFiftyEqualCreatesAtOnceMakeOne(t *testing.T) {
	s := modelstest.NewTenants(t)
	n := workspace.NewWorkspace{Email: modelstest.Address(t, "race@example.com")}
	errs := modelstest.ErrorsOf(50, func(int) error {
		_, err := s.Workspaces.Create(t.Context(), modelstest.Anonymous, n)
		return err
	})
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		modelstest.RequireRefusal(t, err, fault.StatusAlreadyExists, "workspace-exists")
	}
	assert.Equal(t, 1, made)
	assert.Equal(t, 1, s.Count(t, `SELECT count(*) FROM owners`))
	assert.Equal(t, 1, s.Count(t, `SELECT count(*) FROM workspaces`))
	assert.Equal(t, 1, s.Count(t, `SELECT count(*) FROM auth_tokens`))
	assert.Equal(t, 1, s.Count(t, `SELECT count(*) FROM audit_rows`))
}

func TestPaidRootOwnsFive(t *testing.T) {
	s := modelstest.NewTenants(t)
	root := s.Create(t, "five@example.com")
	_, err := s.CreateNamed(t, "five@example.com", "two")
	modelstest.RequireRefusal(t, err, fault.StatusPermissionDenied, "plan-required")
	require.NoError(t, s.Operator.SetPlan(t.Context(), root.ID, workspace.PlanPaid))
	for _, name := range []string{"two", "three"} {
		_, err := s.CreateNamed(t, "five@example.com", name)
		require.NoError(t, err)
	}
	require.NoError(t, s.Operator.SetPlan(t.Context(), root.ID, workspace.PlanFree))
	_, err = s.CreateNamed(t, "five@example.com", "four")
	modelstest.RequireRefusal(t, err, fault.StatusPermissionDenied, "plan-required")
	require.NoError(t, s.Operator.SetPlan(t.Context(), root.ID, workspace.PlanPaid))
	for _, name := range []string{"four", "five"} {
		_, err := s.CreateNamed(t, "five@example.com", name)
		require.NoError(t, err)
	}
	_, err = s.CreateNamed(t, "five@example.com", "six")
	modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "workspace-quota")
	assert.Zero(t, fault.From(err).RetryAfter, "time does not lift it")
	require.NoError(t, s.Operator.SetPlan(t.Context(), root.ID, workspace.PlanFree))
	_, err = s.CreateNamed(t, "five@example.com", "six")
	modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "workspace-quota")
	_, err = s.CreateNamed(t, "five@example.com", "Five ")
	modelstest.RequireRefusal(t, err, fault.StatusAlreadyExists, "workspace-exists")
}

func TestARefusedPlanIsKept(t *testing.T) {
	s := modelstest.NewTenants(t)
	root := s.Create(t, "kept@example.com")
	_, err := s.CreateNamed(t, "kept@example.com", "two")
	modelstest.RequireRefusal(t, err, fault.StatusPermissionDenied, "plan-required")
	rows, err := s.Audits.List(t.Context(), workspace.AuditFilter{WorkspaceID: root.ID, Limit: 10})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, workspace.AuditDenied, rows[0].Outcome)
	assert.Equal(t, "public", rows[0].Actor)
	assert.Equal(t, workspace.AuditSuccess, rows[1].Outcome)
	assert.Equal(t, root.ID, rows[1].Actor, "the actor of a creation is the workspace made")
}

func TestGetOfAnUnknownWorkspace(t *testing.T) {
	s := modelstest.NewTenants(t)
	_, err := s.Workspaces.Get(t.Context(), "ws_unknown", workspace.Caller{WorkspaceID: "ws_unknown", Operation: "x"})
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
	assert.Zero(t, s.Count(t, `SELECT count(*) FROM audit_rows`))
}

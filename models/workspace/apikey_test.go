package workspace_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

func TestCreateKeyWithTokenAndDomains(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	n := modelstest.TestingKey(t, "Mine")
	n.Domains = []string{"zebra.example", "*.example.com", "localhost"}
	keyID, token, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), n)
	require.NoError(t, err)
	caller, err := s.Credentials.Key(t.Context(), keyID, token)
	require.NoError(t, err)
	assert.Equal(t, workspace.Caller{WorkspaceID: w.ID, APIKeyID: keyID}, caller)
	tokens, err := s.Keys.Tokens(t.Context(), w.ID, modelstest.Owner(w), keyID)
	require.NoError(t, err)
	assert.Equal(t, []workspace.AuthToken{{Token: token, Name: "Default Auth Token", Domains: n.Domains}}, tokens)
}

func TestAKeyWithoutTokenOpensOnlyAfterAReset(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	n := modelstest.TestingKey(t, "Bare")
	n.WithToken = false
	keyID, token, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), n)
	require.NoError(t, err)
	assert.Empty(t, token)
	tokens, err := s.Keys.Tokens(t.Context(), w.ID, modelstest.Owner(w), keyID)
	require.NoError(t, err)
	assert.Equal(t, []workspace.AuthToken{}, tokens)
	_, err = s.Credentials.Key(t.Context(), keyID, "")
	modelstest.RequireRefusal(t, err, fault.StatusUnauthenticated, "")

	made, err := s.Keys.Reset(t.Context(), w.ID, modelstest.Owner(w), keyID)
	require.NoError(t, err)
	assert.Equal(t, "Default Auth Token", made.Name)
	_, err = s.Credentials.Key(t.Context(), keyID, made.Token)
	require.NoError(t, err)
}

func TestProductionKeysNeedThePlan(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	n := modelstest.TestingKey(t, "P")
	n.Type = workspace.KeyProduction
	_, _, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), n)
	modelstest.RequireRefusal(t, err, fault.StatusFailedPrecondition, "plan-required")
	require.NoError(t, s.Operator.SetPlan(t.Context(), w.ID, workspace.PlanPaid))
	keyID, token, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), n)
	require.NoError(t, err)
	require.NoError(t, s.Operator.SetPlan(t.Context(), w.ID, workspace.PlanFree))
	_, err = s.Credentials.Key(t.Context(), keyID, token)
	require.NoError(t, err, "a key that exists outlives the plan")
}

func TestKeyQuotaHoldsUnderAHundredParallelCalls(t *testing.T) {
	s := modelstest.NewTenants(t)
	for owner, most := range map[string]int{"free": 20, "paid": 50} {
		w := s.Create(t, owner+"@example.com")
		require.NoError(t, s.Operator.SetPlan(t.Context(), w.ID, owner))
		assert.Equal(t, most-1, keysMade(t, s, w), "the first key counts too")
		assert.Equal(t, most, s.Count(t, `SELECT count(*) FROM api_keys WHERE workspace_id = '`+w.ID+`'`))
		assert.Equal(t, most, s.Count(t, `SELECT count(*) FROM auth_tokens WHERE workspace_id = '`+w.ID+`'`))
	}
}

// keysMade asks for a hundred keys at once and returns how many there were.
func keysMade(t *testing.T, s *modelstest.Tenants, w *workspace.Workspace) int {
	t.Helper()
	n := modelstest.TestingKey(t, "Parallel")
	errs := modelstest.ErrorsOf(100, func(int) error {
		_, _, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), n)
		return err
	})
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "key-quota")
	}
	return made
}

func TestAnOperatorsQuotaReplacesTheUsualOne(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	two := 2
	require.NoError(t, s.Operator.SetLimit(t.Context(), w.ID, workspace.LimitKeysTesting, &two))
	_, _, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), modelstest.TestingKey(t, "second"))
	require.NoError(t, err)
	_, _, err = s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), modelstest.TestingKey(t, "third"))
	modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "key-quota")
	zero := 0
	require.NoError(t, s.Operator.SetLimit(t.Context(), w.ID, workspace.LimitKeysTesting, &zero))
	for range 55 {
		_, _, err = s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), modelstest.TestingKey(t, "more"))
		require.NoError(t, err)
	}
	require.NoError(t, s.Operator.SetLimit(t.Context(), w.ID, workspace.LimitKeysTesting, nil))
	_, _, err = s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), modelstest.TestingKey(t, "too many"))
	modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "key-quota")
}

func TestAFailedCreateLeavesNothing(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	before := s.Count(t, `SELECT count(*) FROM audit_rows`)
	n := modelstest.TestingKey(t, "Twice")
	n.Domains = []string{"a.example", "a.example"}
	_, _, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), n)
	modelstest.RequireRefusal(t, err, fault.StatusInternal, "")
	assert.Equal(t, 1, s.Count(t, `SELECT count(*) FROM api_keys`))
	assert.Equal(t, 1, s.Count(t, `SELECT count(*) FROM auth_tokens`))
	assert.Equal(t, before, s.Count(t, `SELECT count(*) FROM audit_rows`))
}

func TestRename(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	keyID := w.Keys[0].ID
	before, err := s.Keys.Tokens(t.Context(), w.ID, modelstest.Owner(w), keyID)
	require.NoError(t, err)
	require.NoError(t, s.Keys.Rename(t.Context(), w.ID, modelstest.Owner(w), keyID, "Desk"))
	keys, err := s.Keys.List(t.Context(), w.ID, nil, nil, 10)
	require.NoError(t, err)
	assert.Equal(t, "Desk", keys.Items[0].Name)
	after, err := s.Keys.Tokens(t.Context(), w.ID, modelstest.Owner(w), keyID)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	rows, err := s.Audits.List(t.Context(), workspace.AuditFilter{WorkspaceID: w.ID, Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, []string{"apiKeyName"}, rows[1].ChangedFields)
	assert.Equal(t, keyID, rows[1].TargetID)
}

func TestPagesOfKeys(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	var ids []string
	for i := range 10 {
		keyID, _, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), modelstest.TestingKey(t, strconv.Itoa(i)))
		require.NoError(t, err)
		ids = append(ids, keyID)
	}
	found, err := s.Workspaces.Get(t.Context(), w.ID, modelstest.Owner(w))
	require.NoError(t, err)
	assert.Equal(t, w.Keys[0].ID, found.Keys[0].ID, "the first key stays the first")

	var seen []string
	var after *workspace.KeyPosition
	for page := 0; page == 0 || after != nil; page++ {
		keys, err := s.Keys.List(t.Context(), w.ID, nil, after, 3)
		require.NoError(t, err)
		for _, key := range keys.Items {
			seen = append(seen, key.ID)
		}
		after = keys.Next
		_, _, err = s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), modelstest.TestingKey(t, "meanwhile"))
		require.NoError(t, err)
	}
	want := []string{w.Keys[0].ID}
	for _, id := range ids {
		want = append([]string{id}, want...)
	}
	assert.Equal(t, want, seen, "newest first; what is made meanwhile neither repeats nor hides")

	keys, err := s.Keys.List(t.Context(), w.ID, []string{ids[2], "ak_unknown", ids[5]}, nil, 3)
	require.NoError(t, err)
	assert.Nil(t, keys.Next)
	require.Len(t, keys.Items, 2)
	assert.Equal(t, []string{ids[5], ids[2]}, []string{keys.Items[0].ID, keys.Items[1].ID})
}

func TestAFullPageIsTheLastOne(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	_, err := s.DB.Pool.Exec(t.Context(), `
		INSERT INTO api_keys (id, workspace_id, name, type, owner_email)
		SELECT 'ak_' || n, $1, 'bulk', 'testing', 'o@example.com' FROM generate_series(1, 99) n`, w.ID)
	require.NoError(t, err)
	keys, err := s.Keys.List(t.Context(), w.ID, nil, nil, 100)
	require.NoError(t, err)
	assert.Len(t, keys.Items, 100)
	assert.Nil(t, keys.Next)
}

func TestTenParallelResetsLeaveTheLastToken(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	keyID := w.Keys[0].ID
	old, err := s.Keys.Tokens(t.Context(), w.ID, modelstest.Owner(w), keyID)
	require.NoError(t, err)
	tokens := [10]string{}
	errs := modelstest.ErrorsOf(10, func(i int) error {
		made, err := s.Keys.Reset(t.Context(), w.ID, modelstest.Owner(w), keyID)
		if err == nil {
			tokens[i] = made.Token
		}
		return err
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	live, err := s.Keys.Tokens(t.Context(), w.ID, modelstest.Owner(w), keyID)
	require.NoError(t, err)
	require.Len(t, live, 1)
	working := 0
	for _, token := range append(tokens[:], old[0].Token) {
		_, err := s.Credentials.Key(t.Context(), keyID, token)
		if token == live[0].Token {
			require.NoError(t, err)
			working++
			continue
		}
		modelstest.RequireRefusal(t, err, fault.StatusUnauthenticated, "")
	}
	assert.Equal(t, 1, working)
}

func TestNoKeyOfAnotherWorkspaceIsFound(t *testing.T) {
	s := modelstest.NewTenants(t)
	mine, theirs := s.Create(t, "mine@example.com"), s.Create(t, "theirs@example.com")
	for _, keyID := range []string{theirs.Keys[0].ID, "ak_unknown", strings.ToUpper(mine.Keys[0].ID), ""} {
		modelstest.RequireRefusal(t, s.Keys.Rename(t.Context(), mine.ID, modelstest.Owner(mine), keyID, "x"), fault.StatusNotFound, "")
		_, err := s.Keys.Tokens(t.Context(), mine.ID, modelstest.Owner(mine), keyID)
		modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
		_, err = s.Keys.Reset(t.Context(), mine.ID, modelstest.Owner(mine), keyID)
		modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
	}
	keys, err := s.Keys.List(t.Context(), mine.ID, []string{theirs.Keys[0].ID}, nil, 10)
	require.NoError(t, err)
	assert.Empty(t, keys.Items)
	_, err = s.Keys.List(t.Context(), "", nil, nil, 10)
	require.Error(t, err, "no statement without a workspace")
}

func TestAllowedDomains(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	n := modelstest.TestingKey(t, "browser")
	n.Domains = []string{"app.example.com", "*.deep.example", "localhost", "::1", "xn--bcher-kva.example"}
	keyID, _, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), n)
	require.NoError(t, err)
	domains := workspace.NewDomains(s.DB)
	for host, want := range map[string]bool{
		"app.example.com": true, "APP.example.com": true, "www.app.example.com": true, "x.app.example.com": false,
		"example.com": false, "deep.example": false, "a.deep.example": true, "a.b.deep.example": true,
		"www.deep.example": true, "localhost": true, "::1": true, "127.0.0.1": false, "bücher.example": true,
		"xdeep.example": false, "": false, "*.deep.example": true, "no host": false,
	} {
		allowed, err := domains.Allowed(t.Context(), w.ID, keyID, host)
		require.NoError(t, err, host)
		assert.Equal(t, want, allowed, host)
		allowed, err = domains.Allowed(t.Context(), w.ID, w.Keys[0].ID, host)
		require.NoError(t, err, host)
		assert.False(t, allowed, "another key's list is another list: %s", host)
	}
}

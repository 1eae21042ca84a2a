package workspace_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/workspace"
)

func TestWrongPairsAreAllTheSame(t *testing.T) {
	s := modelstest.NewTenants(t)
	mine, token := s.Pair(t, "mine@example.com")
	theirs, other := s.Pair(t, "theirs@example.com")
	keyID := mine.Keys[0].ID
	_, reference := s.Credentials.Key(t.Context(), "", "")
	modelstest.RequireRefusal(t, reference, fault.StatusUnauthenticated, "")
	for name, pair := range map[string][2]string{
		"token of another key": {keyID, other},
		"id of another key":    {theirs.Keys[0].ID, token},
		"unknown id":           {"ak_unknown", token},
		"unknown token":        {keyID, "kat_unknown"},
		"no token":             {keyID, ""},
		"no id":                {"", token},
		"shifted":              {keyID + token[:1], token[1:]},
		"the other level":      {mine.ID, mine.AuthToken},
		"swapped":              {token, keyID},
	} {
		caller, err := s.Credentials.Key(t.Context(), pair[0], pair[1])
		assert.Equal(t, reference, err, name)
		assert.Zero(t, caller, name)
	}
	for name, pair := range map[string][2]string{
		"token of another workspace": {mine.ID, theirs.AuthToken},
		"the other level":            {keyID, token},
		"mixed":                      {mine.ID, token},
		"nothing":                    {"", ""},
	} {
		caller, err := s.Credentials.Workspace(t.Context(), pair[0], pair[1])
		assert.Equal(t, reference, err, name)
		assert.Zero(t, caller, name)
	}
	caller, err := s.Credentials.Workspace(t.Context(), mine.ID, mine.AuthToken)
	require.NoError(t, err)
	assert.Equal(t, workspace.Caller{WorkspaceID: mine.ID}, caller)
}

func TestSuspensionAndDisabledKeys(t *testing.T) {
	s := modelstest.NewTenants(t)
	w, token := s.Pair(t, "owner@example.com")
	keyID := w.Keys[0].ID
	secondID, secondToken, err := s.Keys.Create(t.Context(), w.ID, modelstest.Owner(w), modelstest.TestingKey(t, "second"))
	require.NoError(t, err)

	require.NoError(t, s.Operator.DisableKey(t.Context(), keyID))
	caller, err := s.Credentials.Key(t.Context(), keyID, token)
	modelstest.RequireRefusal(t, err, fault.StatusPermissionDenied, "")
	assert.Equal(t, w.ID, caller.WorkspaceID, "the refusal can be kept in the trail")
	_, err = s.Credentials.Key(t.Context(), keyID, "kat_wrong")
	modelstest.RequireRefusal(t, err, fault.StatusUnauthenticated, "")
	_, err = s.Credentials.Key(t.Context(), secondID, secondToken)
	require.NoError(t, err, "a disabled key closes that key alone")

	require.NoError(t, s.Operator.Suspend(t.Context(), w.ID))
	_, err = s.Credentials.Key(t.Context(), secondID, secondToken)
	modelstest.RequireRefusal(t, err, fault.StatusPermissionDenied, "")
	_, err = s.Credentials.Workspace(t.Context(), w.ID, w.AuthToken)
	modelstest.RequireRefusal(t, err, fault.StatusPermissionDenied, "")
	_, err = s.Credentials.Workspace(t.Context(), w.ID, "wst_wrong")
	modelstest.RequireRefusal(t, err, fault.StatusUnauthenticated, "")

	require.NoError(t, s.Operator.Resume(t.Context(), w.ID))
	require.NoError(t, s.Operator.EnableKey(t.Context(), keyID))
	_, err = s.Credentials.Key(t.Context(), keyID, token)
	require.NoError(t, err)
}

func TestAResetWorkspaceTokenIsDeadAtOnce(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	token, err := s.Operator.ResetToken(t.Context(), w.ID)
	require.NoError(t, err)
	_, err = s.Credentials.Workspace(t.Context(), w.ID, w.AuthToken)
	modelstest.RequireRefusal(t, err, fault.StatusUnauthenticated, "")
	_, err = s.Credentials.Workspace(t.Context(), w.ID, token)
	require.NoError(t, err)
	found, err := s.Workspaces.Get(t.Context(), w.ID, modelstest.Owner(w))
	require.NoError(t, err)
	assert.Equal(t, token, found.AuthToken)
}

func TestTokensWorkWhileHashKeysRotate(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	encryption := []secret.Key{secret.NewKey("e")}
	first, second := secret.NewKey("h1"), secret.NewKey("h2")
	before := modelstest.TenantsOn(db, modelstest.BoxOf(t, encryption, []secret.Key{first}))
	w, token := before.Pair(t, "owner@example.com")
	during := modelstest.TenantsOn(db, modelstest.BoxOf(t, encryption, []secret.Key{second, first}))
	_, err := during.Credentials.Key(t.Context(), w.Keys[0].ID, token)
	require.NoError(t, err)
	_, err = during.Credentials.Workspace(t.Context(), w.ID, w.AuthToken)
	require.NoError(t, err)
	_, err = during.Credentials.Key(t.Context(), w.Keys[0].ID, token+"x")
	modelstest.RequireRefusal(t, err, fault.StatusUnauthenticated, "")
	after := modelstest.TenantsOn(db, modelstest.BoxOf(t, encryption, []secret.Key{second}))
	_, err = after.Credentials.Key(t.Context(), w.Keys[0].ID, token)
	modelstest.RequireRefusal(t, err, fault.StatusUnauthenticated, "")
}

// The look-up is on the way of every request, so its plan may read no more
// than one row of each table, by index.
func TestLookUpsUseTheirIndexes(t *testing.T) {
	s := modelstest.NewTenants(t)
	_, err := s.DB.Pool.Exec(t.Context(), `
		INSERT INTO owners (id, email_key) VALUES ('usr_1', 'o@example.com');
		INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
			SELECT 'ws_' || n, 'usr_1', 'n', n, 'o', 'o', sha256(n::text::bytea), 'h', '\x' FROM generate_series(1, 5000) n;
		INSERT INTO api_keys (id, workspace_id, name, type, owner_email)
			SELECT 'ak_' || n, 'ws_' || n, 'n', 'testing', 'o' FROM generate_series(1, 5000) n;
		INSERT INTO auth_tokens (api_key_id, workspace_id, name, token_mac, hash_key_id, token_sealed)
			SELECT 'ak_' || n, 'ws_' || n, 'n', sha256(n::text::bytea), 'h', '\x' FROM generate_series(1, 5000) n;
		ANALYZE`)
	require.NoError(t, err)
	for _, query := range workspace.CredentialQueries() {
		rows, err := s.DB.Pool.Query(t.Context(), "EXPLAIN "+query, make([]byte, secret.MACSize), make([]byte, secret.MACSize))
		require.NoError(t, err)
		var plan strings.Builder
		for rows.Next() {
			var line string
			require.NoError(t, rows.Scan(&line))
			plan.WriteString(line + "\n")
		}
		require.NoError(t, rows.Err())
		assert.NotContains(t, plan.String(), "Seq Scan")
		assert.Contains(t, plan.String(), "Index Scan")
	}
}

func BenchmarkCredentials(b *testing.B) {
	db := pgtest.New(b)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(b, err)
	credentials := workspace.NewCredentials(db, box)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := credentials.Key(b.Context(), "ak_unknown", "kat_unknown"); !fault.Is(err, fault.StatusUnauthenticated) {
				b.Error(err)
			}
		}
	})
}

// Callers who ask at once each hear of their own pair.
func TestPairsThatAreAskedForAtOnce(t *testing.T) {
	s := modelstest.NewTenants(t)
	mine, token := s.Pair(t, "mine@example.com")
	theirs, other := s.Pair(t, "theirs@example.com")
	pairs := []struct{ workspaceID, keyID, token string }{
		{mine.ID, mine.Keys[0].ID, token}, {theirs.ID, theirs.Keys[0].ID, other}, {"", mine.Keys[0].ID, other},
	}
	for _, err := range modelstest.AtOnce(64, func(caller int) error {
		pair := pairs[caller%len(pairs)]
		got, err := s.Credentials.Key(t.Context(), pair.keyID, pair.token)
		if known := pair.workspaceID != ""; known != (err == nil) || got.WorkspaceID != pair.workspaceID {
			return fmt.Errorf("asked about %s with its token or not (%t): %s, %w", pair.keyID, known, got.WorkspaceID, err)
		}
		return nil
	}) {
		require.NoError(t, err)
	}
}

// A look-up whose caller has had enough ends with that caller and stops nobody else.
func TestALookUpEndsWithItsCaller(t *testing.T) {
	s := modelstest.NewTenants(t)
	mine, token := s.Pair(t, "mine@example.com")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Credentials.Key(ctx, mine.Keys[0].ID, token)
	require.True(t, fault.Is(err, fault.StatusDeadlineExceeded), "%v", err)
	caller, err := s.Credentials.Key(t.Context(), mine.Keys[0].ID, token)
	require.NoError(t, err)
	require.Equal(t, mine.ID, caller.WorkspaceID)
}

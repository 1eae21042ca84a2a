package workspace_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

func TestOperatorsChangesNameThePerson(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	keyID := w.Keys[0].ID
	five := 5
	require.NoError(t, s.Operator.SetPlan(t.Context(), w.ID, workspace.PlanPaid))
	require.NoError(t, s.Operator.Suspend(t.Context(), w.ID))
	require.NoError(t, s.Operator.Resume(t.Context(), w.ID))
	require.NoError(t, s.Operator.DisableKey(t.Context(), keyID))
	require.NoError(t, s.Operator.EnableKey(t.Context(), keyID))
	require.NoError(t, s.Operator.SetLimit(t.Context(), w.ID, "key", &five))
	_, err := s.Operator.ResetToken(t.Context(), w.ID)
	require.NoError(t, err)
	require.NoError(t, s.Operator.Note(t.Context(), "admin keys rewrap"))

	rows, err := s.Audits.List(t.Context(), workspace.AuditFilter{Actor: "ann", Limit: 100})
	require.NoError(t, err)
	var got [][3]string
	for _, row := range rows {
		assert.Equal(t, workspace.AuditSuccess, row.Outcome)
		got = append([][3]string{{row.Operation, row.WorkspaceID, row.TargetID}}, got...)
	}
	assert.Equal(t, [][3]string{
		{"admin workspace set-plan", w.ID, w.ID},
		{"admin workspace suspend", w.ID, w.ID},
		{"admin workspace resume", w.ID, w.ID},
		{"admin apikey disable", w.ID, keyID},
		{"admin apikey enable", w.ID, keyID},
		{"admin limits set", w.ID, w.ID},
		{"admin workspace reset-token", w.ID, w.ID},
		{"admin keys rewrap", "", ""},
	}, got)
}

func TestOperatorOnUnknownThings(t *testing.T) {
	s := modelstest.NewTenants(t)
	one := 1
	_, reset := s.Operator.ResetToken(t.Context(), "ws_x")
	_, show := s.Operator.Workspace(t.Context(), "ws_x")
	for name, err := range map[string]error{
		"set-plan": s.Operator.SetPlan(t.Context(), "ws_x", workspace.PlanPaid),
		"suspend":  s.Operator.Suspend(t.Context(), "ws_x"),
		"resume":   s.Operator.Resume(t.Context(), "ws_x"),
		"disable":  s.Operator.DisableKey(t.Context(), "ak_x"),
		"enable":   s.Operator.EnableKey(t.Context(), "ak_x"),
		"limits":   s.Operator.SetLimit(t.Context(), "ws_x", "key", &one),
		"reset":    reset,
		"show":     show,
	} {
		assert.True(t, fault.Is(err, fault.StatusNotFound), name)
	}
	assert.Zero(t, s.Count(t, `SELECT count(*) FROM audit_rows`))
	require.Error(t, s.Operator.SetPlan(t.Context(), s.Create(t, "o@example.com").ID, "golden"), "the table knows two plans")
}

func TestOperatorLists(t *testing.T) {
	s := modelstest.NewTenants(t)
	first, second, third := s.Create(t, "a@example.com"), s.Create(t, "b@example.com"), s.Create(t, "c@example.com")
	page, err := s.Operator.Workspaces(t.Context(), "", nil, 2)
	require.NoError(t, err)
	require.Len(t, page, 2)
	assert.Equal(t, []string{third.ID, second.ID}, []string{page[0].ID, page[1].ID})
	page, err = s.Operator.Workspaces(t.Context(), "", &page[1], 2)
	require.NoError(t, err)
	require.Len(t, page, 1)
	assert.Equal(t, first.ID, page[0].ID)
	page, err = s.Operator.Workspaces(t.Context(), "b@example.com", nil, 2)
	require.NoError(t, err)
	require.Len(t, page, 1)
	assert.Equal(t, second.ID, page[0].ID)

	seven := 7
	require.NoError(t, s.Operator.SetLimit(t.Context(), second.ID, workspace.LimitEndpoints, &seven))
	require.NoError(t, s.Operator.Suspend(t.Context(), second.ID))
	details, err := s.Operator.Workspace(t.Context(), second.ID)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{workspace.LimitEndpoints: 7}, details.Limits)
	assert.NotNil(t, details.SuspendedAt)
	require.Len(t, details.Keys, 1)
	assert.True(t, details.Keys[0].HasToken)
	assert.Nil(t, details.Keys[0].DisabledAt)
}

func TestLimits(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	limits := workspace.NewLimits(s.DB)
	_, ok, err := limits.Limit(t.Context(), w.ID, "key")
	require.NoError(t, err)
	assert.False(t, ok)
	for _, value := range []int{5, 0} {
		require.NoError(t, s.Operator.SetLimit(t.Context(), w.ID, "key", &value))
		got, ok, err := limits.Limit(t.Context(), w.ID, "key")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, value, got)
	}
	require.NoError(t, s.Operator.SetLimit(t.Context(), w.ID, "key", nil))
	_, ok, err = limits.Limit(t.Context(), w.ID, "key")
	require.NoError(t, err)
	assert.False(t, ok)
}

func TestAuditRowsStay(t *testing.T) {
	s := modelstest.NewTenants(t)
	w := s.Create(t, "owner@example.com")
	for _, statement := range []string{
		`UPDATE audit_rows SET actor = 'other'`, `DELETE FROM audit_rows`, `TRUNCATE audit_rows`,
	} {
		_, err := s.DB.Pool.Exec(t.Context(), statement)
		require.ErrorContains(t, err, "append-only", statement)
	}
	_, err := s.DB.Pool.Exec(t.Context(), `
		INSERT INTO audit_rows (id, at, actor, operation, outcome)
		SELECT 'aud_' || n, now() - make_interval(days => 397 + n, hours => -12), 'old', 'x', 'success' FROM generate_series(1, 10) n`)
	require.NoError(t, err)
	removed, err := s.Audits.Expire(t.Context(), 5)
	require.NoError(t, err)
	assert.EqualValues(t, 7, removed, "400 days are kept")
	removed, err = s.Audits.Expire(t.Context(), 5)
	require.NoError(t, err)
	assert.Zero(t, removed)
	rows, err := s.Audits.List(t.Context(), workspace.AuditFilter{Since: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour), Operation: modelstest.Anonymous.Operation, Limit: 10})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, workspace.Audit{
		ID: rows[0].ID, At: rows[0].At, WorkspaceID: w.ID, Actor: w.ID, IP: modelstest.Anonymous.IP, Operation: modelstest.Anonymous.Operation,
		TargetID: w.ID, ChangedFields: []string{"workspace", "apiKey", "authToken"}, RequestID: modelstest.Anonymous.RequestID, Outcome: workspace.AuditSuccess,
	}, rows[0])
}

func TestRefusedIsKept(t *testing.T) {
	s := modelstest.NewTenants(t)
	require.NoError(t, s.Audits.Refused(t.Context(), workspace.Caller{WorkspaceID: "ws_1", APIKeyID: "ak_1", Operation: "op"}))
	require.NoError(t, s.Audits.Refused(t.Context(), workspace.Caller{Operation: "op"}))
	rows, err := s.Audits.List(t.Context(), workspace.AuditFilter{Limit: 1})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, "public", rows[0].Actor)
	rows, err = s.Audits.List(t.Context(), workspace.AuditFilter{Before: &rows[0], Limit: 1})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, "ak_1", rows[0].Actor)
	assert.Equal(t, workspace.AuditDenied, rows[0].Outcome)
	assert.Equal(t, []string{}, rows[0].ChangedFields)
}

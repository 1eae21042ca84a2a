package api_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/workspace"
	"github.com/redline-svc/redline/tests/kit"
)

// mostRows is how many rows of a list a test reads.
const mostRows = 100

// operator is a person who runs the service of a test. What the words of the operator's
// tool do is tested with it, in cmd/redline.
type operator struct {
	t        *testing.T
	database string
}

func operate(env *kit.Env) operator { return operator{env.T, env.Database} }

// operateShared is the operator of the server that all tests share.
func operateShared(t *testing.T) operator {
	t.Helper()
	return operator{t, handlerServer(t).Database}
}

// Suspend closes the interface for a workspace.
func (o operator) Suspend(workspaceID string) { o.do((*workspace.Operator).Suspend, workspaceID) }

// Resume undoes a suspension.
func (o operator) Resume(workspaceID string) { o.do((*workspace.Operator).Resume, workspaceID) }

// ReleaseEmail frees the address of a workspace.
func (o operator) ReleaseEmail(workspaceID string) {
	o.do((*workspace.Operator).ReleaseEmail, workspaceID)
}

// DisableKey closes one key.
func (o operator) DisableKey(keyID string) { o.do((*workspace.Operator).DisableKey, keyID) }

// EnableKey opens a key again.
func (o operator) EnableKey(keyID string) { o.do((*workspace.Operator).EnableKey, keyID) }

func (o operator) do(change func(*workspace.Operator, context.Context, string) error, id string) {
	o.t.Helper()
	require.NoError(o.t, change(o.person(), o.t.Context(), id))
}

// SetPlan gives a workspace another plan.
func (o operator) SetPlan(workspaceID, plan string) {
	o.t.Helper()
	require.NoError(o.t, o.person().SetPlan(o.t.Context(), workspaceID, plan))
}

// SetLimit gives a workspace a limit of its own.
func (o operator) SetLimit(workspaceID, name string, value int) {
	o.t.Helper()
	require.NoError(o.t, o.person().SetLimit(o.t.Context(), workspaceID, name, &value))
}

// ResetToken replaces the token of a workspace and returns the new one.
func (o operator) ResetToken(workspaceID string) string {
	o.t.Helper()
	token, err := o.person().ResetToken(o.t.Context(), workspaceID)
	require.NoError(o.t, err)
	return token
}

// WorkspacesOf returns the ids of the workspaces that count among those of an address.
func (o operator) WorkspacesOf(address string) (ids []string) {
	o.t.Helper()
	owner, err := email.Parse(address)
	require.NoError(o.t, err)
	found, err := o.person().Workspaces(o.t.Context(), owner.Key(), nil, mostRows)
	require.NoError(o.t, err)
	for _, one := range found {
		ids = append(ids, one.ID)
	}
	return ids
}

// Audits returns the rows of the audit trail of a workspace, newest first, of one operation
// or, where that is empty, of all.
func (o operator) Audits(workspaceID, operation string) []workspace.Audit {
	o.t.Helper()
	rows, err := workspace.NewAudits(o.open()).List(o.t.Context(), workspace.AuditFilter{WorkspaceID: workspaceID, Operation: operation, Limit: mostRows})
	require.NoError(o.t, err)
	return rows
}

// person is the operator with the keys of all servers.
func (o operator) person() *workspace.Operator {
	o.t.Helper()
	encryption, err := secret.ParseKeys(key(1))
	require.NoError(o.t, err)
	hash, err := secret.ParseKeys(key(2))
	require.NoError(o.t, err)
	box, err := secret.NewBox(encryption, hash)
	require.NoError(o.t, err)
	return workspace.NewOperator(o.open(), box, "test")
}

// open opens the rows for as long as the test goes on.
func (o operator) open() *models.DB {
	o.t.Helper()
	db, err := models.Open(o.t.Context(), o.database, models.PoolOptions{Conns: 1})
	require.NoError(o.t, err)
	o.t.Cleanup(db.Close)
	return db
}

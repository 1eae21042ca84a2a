package api_test

import (
	"context"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/workspace"
	"github.com/redline-svc/redline/tests/kit"
)

// operator is a person who runs the service of a test.
type operator struct{ env *kit.Env }

func operate(env *kit.Env) operator { return operator{env} }

// Suspend closes the interface for a workspace.
func (o operator) Suspend(workspaceID string) { o.do((*workspace.Operator).Suspend, workspaceID) }

// Resume undoes a suspension.
func (o operator) Resume(workspaceID string) { o.do((*workspace.Operator).Resume, workspaceID) }

func (o operator) do(change func(*workspace.Operator, context.Context, string) error, workspaceID string) {
	o.env.T.Helper()
	db, err := models.Open(o.env.Ctx, o.env.Database, models.PoolOptions{Conns: 1})
	require.NoError(o.env.T, err)
	defer db.Close()
	require.NoError(o.env.T, change(workspace.NewOperator(db, nil, "test"), o.env.Ctx, workspaceID))
}

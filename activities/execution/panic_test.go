package execution

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
)

// brokenRows panic whenever they may have to change something, and always when mute.
type brokenRows struct {
	rowsOf

	mute bool
	read []string
}

func (r *brokenRows) Plan(context.Context, contract.PlanInput) (contract.Plan, error) {
	panic("a secret of the rows")
}

func (r *brokenRows) ReadPlan(_ context.Context, workspaceID, executionID string) (contract.Plan, error) {
	if r.read = append(r.read, workspaceID+"/"+executionID); r.mute {
		panic("a secret of the rows")
	}
	return r.plan, nil
}

func (r *brokenRows) Begin(context.Context, contract.CallInput) (*execution.StepCall, contract.Plan, error) {
	var graph *interpreter.Interpreter
	graph.Ask()
	return nil, contract.Plan{}, nil
}

// tried runs each activity of the package once on rows that panic.
func tried(t *testing.T, r *brokenRows, check func(plan contract.Plan, err error)) {
	t.Helper()
	e := New(r, nil, 100)
	for name, in := range map[string]any{
		contract.ActivityCall: contract.CallInput{WorkspaceID: "ws", ExecutionID: "exec", StepID: "step"},
		contract.ActivityPlan: contract.PlanInput{WorkspaceID: "ws", ExecutionID: "exec", WorkflowID: "default-test-workflow-id"},
	} {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivityWithOptions(e.Call, activity.RegisterOptions{Name: contract.ActivityCall})
		env.RegisterActivityWithOptions(e.Plan, activity.RegisterOptions{Name: contract.ActivityPlan})
		var plan contract.Plan
		result, err := env.ExecuteActivity(name, in)
		if err == nil {
			require.NoError(t, result.Get(&plan))
		}
		check(plan, err)
		require.Equal(t, "ws/exec", r.read[len(r.read)-1], name)
	}
}

func TestAPanicAfterTheEndGivesThePlan(t *testing.T) {
	for _, end := range []string{"completed", "failed", "cancelled", ""} {
		r := &brokenRows{rowsOf: rowsOf{plan: contract.Plan{Revision: 9, Status: end}}}
		tried(t, r, func(plan contract.Plan, err error) {
			require.NoError(t, err)
			require.Equal(t, contract.Plan{Revision: 9, Status: end, HistoryLimit: 100}, plan)
		})
	}
}

func TestAPanicBeforeTheEndIsTriedAgain(t *testing.T) {
	var lines bytes.Buffer
	usual := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&lines, nil)))
	defer slog.SetDefault(usual)
	for _, mute := range []bool{false, true} {
		lines.Reset()
		r := &brokenRows{rowsOf: rowsOf{plan: contract.Plan{Status: "running"}}, mute: mute}
		tried(t, r, func(_ contract.Plan, err error) {
			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app)
			require.Equal(t, activities.PanicType, app.Type())
			require.False(t, app.NonRetryable())
			require.NotContains(t, err.Error(), "secret", "causes are for our log")
		})
		require.Contains(t, lines.String(), "a secret of the rows")
		require.Contains(t, lines.String(), `"level":"ERROR"`)
	}
}

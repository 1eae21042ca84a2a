package operation

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// TestOutage stops whole servers, which everybody on a stack feels, so it runs
// on one of its own, one outage after the other.
func TestOutage(t *testing.T) {
	parts := kit.OwnParts(t)
	t.Run("TemporalStoppedDuringDispatchesAndDecisions", func(t *testing.T) { temporalStopped(t, parts, 40, 10) })
	t.Run("TemporalEmptied", func(t *testing.T) { temporalEmptied(t, parts) })
	t.Run("TemporalEmptiedWhileMessagesWait", func(t *testing.T) { kit.EndpointsWithTemporalEmptied(t, parts) })
	t.Run("PostgresRestartedUnderLoad", func(t *testing.T) { postgresRestarted(t, parts, 10) })
	t.Run("PostgresRestartedDuringAnAttempt", func(t *testing.T) { kit.EndpointsWithPostgresRestarted(t, parts) })
	t.Run("PostgresKilledWithAllItsProcesses", func(t *testing.T) { postgresKilled(t, parts) })
}

// TestLong_Outage stops servers under more than TestOutage does.
func TestLong_Outage(t *testing.T) {
	parts := kit.OwnParts(t)
	t.Run("TemporalStoppedDuring200DispatchesAnd50Decisions", func(t *testing.T) { temporalStopped(t, parts, 200, 50) })
	t.Run("PostgresRestartedUnderLoad", func(t *testing.T) { postgresRestarted(t, parts, 25) })
}

// temporalStopped stops Temporal during so many dispatches and decisions.
func temporalStopped(t *testing.T, parts *stack.Stack, dispatches, decisions int) {
	t.Helper()
	isolated := kit.NewIsolatedStackOn(t, parts)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	book := &kit.Ledger{S: env, Path: "/events"}
	signOff, instant := kit.SignOff(env), kit.Instant(env)
	reported := kit.WithReceiver(env, "/events")
	waiting := make([]*kit.Run, decisions)
	kit.Concurrently(len(waiting), func(i int) { waiting[i] = book.Add(kit.Dispatch(env, signOff, reported)) })
	for _, r := range waiting {
		r.WaitsAt("review")
		r.Runs()
	}

	halted := kit.Dispatch(env, signOff, reported)
	halted.WaitsAt("review")
	halted.Runs()

	calling := book.Add(kit.Dispatch(env, kit.SignedOff(env), reported))
	calling.WaitsAt("review")
	calling.Runs()

	require.NoError(t, parts.Part(t.Context(), "temporal", "kill"))
	started := make([]*kit.Run, dispatches)
	kit.Concurrently(len(started), func(i int) { started[i] = book.Add(kit.Dispatch(env, instant, reported)) })
	kit.Concurrently(len(waiting), func(i int) {
		answer, err := env.Workspace.Decide(env.Ctx, waiting[i].Decision(waiting[i].Step("review").StepID, "ann", "approve"))
		kit.NoError(t, err)
		assert.True(t, answer.ResumeScheduled)
	})
	for _, r := range waiting {
		require.Equal(t, redline.ExecutionStatusCompleted, r.View().Status, "a mock successor needs no engine")
	}
	for _, r := range started {
		require.Equal(t, redline.ExecutionStatusPending, r.View().Status)
	}
	require.True(t, calling.Decide("review", "ann", "approve").ResumeScheduled)
	require.Equal(t, redline.ExecutionStatusRunning, calling.View().Status)
	require.Equal(t, redline.StepStatusRunning, calling.Step("publish").Status, "any other successor is under way in the rows")
	require.Empty(t, env.Receiver().Requests("/publish"), "and called when Temporal is back")
	unseen := kit.Dispatch(env, kit.Pipeline(env), reported)
	require.True(t, unseen.Cancel(), "cancelled at once, though nobody drives")
	require.True(t, halted.Cancel())
	ended := halted.View()
	require.Equal(t, redline.ExecutionStatusCancelled, ended.Status)
	require.Len(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, map[string]any{"pageSize": 500}), len(started)+len(waiting)+3, "lists need no engine")

	require.NoError(t, parts.Part(t.Context(), "temporal", "start"))
	book.Expect(unseen, "cancelled")
	book.Expect(halted, "cancelled")
	book.Check()
	require.Equal(t, redline.ExecutionStatusCancelled, unseen.View().Status)
	kit.CalledOnce(env, "/publish", 1)
	require.Len(t, calling.View().Steps, 2)
	require.Empty(t, env.Receiver().Requests("/before"), "what Temporal never saw never starts")
	kit.TemporalClientAt(t, parts, isolated.Namespace).Closes(halted, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
	require.Equal(t, ended, halted.View(), "the run closed later and changed nothing")
	isolated.AtRest()
}

func temporalEmptied(t *testing.T, parts *stack.Stack) {
	isolated := kit.NewIsolatedStackOn(t, parts)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	book := &kit.Ledger{S: env, Path: "/events"}
	reported, definition := kit.WithReceiver(env, "/events"), kit.Pipeline(env)
	var waiting []*kit.Run
	for range 10 {
		waiting = append(waiting, book.Add(kit.Dispatch(env, definition, reported)))
	}
	for _, r := range waiting {
		r.WaitsAt("review")
	}
	require.NoError(t, parts.Part(t.Context(), "temporal", "empty"))
	for _, r := range waiting {
		require.True(t, r.Decide("review", "ann", "approve").ResumeScheduled)
	}
	_, err := isolated.Run(t.Context(), "admin", "temporal", "resync")
	require.NoError(t, err)
	book.Add(kit.Dispatch(env, kit.Instant(env), reported))
	book.Check()
	require.Len(t, env.Receiver().Requests("/before"), len(waiting), "what was done is not done again")
	isolated.AtRest()
}

// TestOutage_NamespaceDeleted takes the namespace away under a living worker,
// which has to make it again and go on with new pollers, without a restart.
func TestOutage_NamespaceDeleted(t *testing.T) {
	isolated := kit.NewIsolatedStackWithNewNamespace(t)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	book := &kit.Ledger{S: env, Path: "/events"}
	r := book.Add(kit.Dispatch(env, kit.Pipeline(env), kit.WithReceiver(env, "/events")))
	r.WaitsAt("review")

	conn, err := grpc.NewClient(kit.Shared.Env["REDLINE_TEMPORAL_ADDR"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	_, err = operatorservice.NewOperatorServiceClient(conn).DeleteNamespace(t.Context(), &operatorservice.DeleteNamespaceRequest{Namespace: isolated.Namespace})
	require.NoError(t, err)
	require.True(t, r.Decide("review", "ann", "approve").ResumeScheduled)
	kit.RequireEventually(t, "the worker has made it again", func() bool {
		_, err := workflowservice.NewWorkflowServiceClient(conn).DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: isolated.Namespace})
		return err == nil
	})
	_, err = isolated.Run(t.Context(), "admin", "temporal", "resync")
	require.NoError(t, err)
	book.Check()
	kit.CalledOnce(env, "/before", 1)
	require.True(t, process.Running(), "the same process goes on")
	isolated.AtRest()
}

// postgresRestarted restarts Postgres while each of some callers dispatches so often.
func postgresRestarted(t *testing.T, parts *stack.Stack, each int) {
	t.Helper()
	isolated := kit.NewIsolatedStackOn(t, parts)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	book := &kit.Ledger{S: env, Path: "/events"}
	definition, reported := kit.Instant(env), kit.WithReceiver(env, "/events")
	const workers = 8
	restarted := make(chan error, 1)
	var once sync.Once
	kit.Concurrently(workers, func(w int) {
		for n := range each {
			data := redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new(fmt.Sprintf("%d-%d", w, n))}
			reported(&data)
			answer, err := kit.UntilAnswered(t, func() (redline.DispatchResult, error) { return env.Workspace.Dispatch(env.Ctx, data) })
			if !kit.NoError(t, err) {
				return
			}
			book.Add(&kit.Run{S: env, ID: answer.ExecutionID, CorrelationID: answer.CorrelationID})
			if n == each/5 {
				once.Do(func() { restarted <- parts.Part(t.Context(), "postgres", "restart") })
			}
		}
	})
	require.NoError(t, <-restarted)
	book.Check()
	require.Len(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), each*workers, "each key once")
	require.True(t, process.Running(), "recovery without a restart")
	isolated.AtRest(kit.WhileAway...)
}

func TestOutage_WithTheDatabaseAwayNothingChanges(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	definition := kit.Pipeline(env)
	isolated.Rows.Cut()
	failure := env.Refused(client.StartExecution, redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new("k")})
	require.Equal(t, redline.ProblemStatusUnavailable, failure.Status, "%v", failure)
	require.Positive(t, failure.RetryAfter)
	require.NoError(t, isolated.Rows.Mend())

	data := redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new("k")}
	answer, err := kit.UntilAnswered(t, func() (redline.DispatchResult, error) { return env.Workspace.Dispatch(env.Ctx, data) })
	require.NoError(t, err)
	require.False(t, answer.Deduplicated, "an answer UNAVAILABLE means that nothing changed")
	r := &kit.Run{S: env, ID: answer.ExecutionID}
	r.WaitsAt("review")
	r.Cancel()
}

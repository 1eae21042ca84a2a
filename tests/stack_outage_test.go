package tests

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/stack"
)

// TestOutage stops whole servers, which everybody on a stack feels, so it runs
// on one of its own, one outage after the other.
func TestOutage(t *testing.T) {
	parts := ownParts(t)
	t.Run("EngineStoppedDuring200DispatchesAnd50Decisions", func(t *testing.T) { engineStopped(t, parts) })
	t.Run("EngineEmptied", func(t *testing.T) { engineEmptied(t, parts) })
	t.Run("EngineEmptiedWhileMessagesWait", func(t *testing.T) { endpointsWithTheEngineEmptied(t, parts) })
	t.Run("PostgresRestartedUnderLoad", func(t *testing.T) { postgresRestarted(t, parts) })
	t.Run("PostgresRestartedDuringAnAttempt", func(t *testing.T) { endpointsWithPostgresRestarted(t, parts) })
	t.Run("PostgresKilledWithAllItsProcesses", func(t *testing.T) { postgresKilled(t, parts) })
}

// ownParts are servers of one story that may stop them.
func ownParts(t *testing.T) *stack.Stack {
	t.Helper()
	t.Parallel()
	settleIn(t, labs)
	folder := filepath.Join(t.TempDir(), "stack")
	t.Cleanup(func() { require.NoError(t, stack.Remove(folder)) })
	parts, err := stack.Start(t.Context(), shared.Binary, folder, "none")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, parts.Stop()) })
	require.NoError(t, parts.Volatile(t.Context()))
	return parts
}

func engineStopped(t *testing.T, parts *stack.Stack) {
	l := labOn(t, parts)
	process := l.start("serve")
	s := l.begin(process)
	book := &ledger{s: s, path: "/events"}
	signOff, instant := s.signOff(), s.instant()
	reported := s.withReceiver("/events")
	waiting := make([]*run, 50)
	together(len(waiting), func(i int) { waiting[i] = book.add(s.dispatch(signOff, reported)) })
	for _, r := range waiting {
		r.waitsAt("review")
		r.runs()
	}

	halted := s.dispatch(signOff, reported)
	halted.waitsAt("review")
	halted.runs()

	calling := book.add(s.dispatch(s.signedOff(), reported))
	calling.waitsAt("review")
	calling.runs()

	require.NoError(t, parts.Part(t.Context(), "temporal", "kill"))
	started := make([]*run, 200)
	together(len(started), func(i int) { started[i] = book.add(s.dispatch(instant, reported)) })
	together(len(waiting), func(i int) {
		answer, err := s.workspace.Decide(s.ctx, waiting[i].decision(waiting[i].step("review").StepID, "ann", "approve"))
		fine(t, err)
		assert.True(t, answer.ResumeScheduled)
	})
	for _, r := range waiting {
		require.Equal(t, "completed", r.view().Status, "a mock successor needs no engine")
	}
	for _, r := range started {
		require.Equal(t, "pending", r.view().Status)
	}
	require.True(t, calling.decide("review", "ann", "approve").ResumeScheduled)
	require.Equal(t, "running", calling.view().Status)
	require.Equal(t, "running", calling.step("publish").Status, "any other successor is under way in the rows")
	require.Empty(t, s.receiver().Requests("/publish"), "and called when the engine is back")
	unseen := s.dispatch(s.pipeline(), reported)
	require.True(t, unseen.cancel(), "cancelled at once, though nobody drives")
	require.True(t, halted.cancel())
	ended := halted.view()
	require.Equal(t, "cancelled", ended.Status)
	require.Len(t, everyPage[client.Execution](s, listExecutions, map[string]any{"pageSize": 500}), len(started)+len(waiting)+3, "lists need no engine")

	require.NoError(t, parts.Part(t.Context(), "temporal", "start"))
	book.expect(unseen, "cancelled")
	book.expect(halted, "cancelled")
	book.check()
	require.Equal(t, "cancelled", unseen.view().Status)
	s.once("/publish", 1)
	require.Len(t, calling.view().Steps, 2)
	require.Empty(t, s.receiver().Requests("/before"), "what the engine never saw never starts")
	atTheEngineOf(t, parts, l.Namespace).closes(halted, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
	require.Equal(t, ended, halted.view(), "the run closed later and changed nothing")
	l.atRest()
}

func engineEmptied(t *testing.T, parts *stack.Stack) {
	l := labOn(t, parts)
	process := l.start("serve")
	s := l.begin(process)
	book := &ledger{s: s, path: "/events"}
	reported, definition := s.withReceiver("/events"), s.pipeline()
	var waiting []*run
	for range 10 {
		waiting = append(waiting, book.add(s.dispatch(definition, reported)))
	}
	for _, r := range waiting {
		r.waitsAt("review")
	}
	require.NoError(t, parts.Part(t.Context(), "temporal", "empty"))
	for _, r := range waiting {
		require.True(t, r.decide("review", "ann", "approve").ResumeScheduled)
	}
	_, err := l.Run(t.Context(), "admin", "engine", "resync")
	require.NoError(t, err)
	book.add(s.dispatch(s.instant(), reported))
	book.check()
	require.Len(t, s.receiver().Requests("/before"), len(waiting), "what was done is not done again")
	l.atRest()
}

// TestOutage_NamespaceDeleted takes the namespace away under a living worker,
// which has to make it again and go on with new pollers, without a restart.
func TestOutage_NamespaceDeleted(t *testing.T) {
	l := newLabOfItsOwn(t)
	process := l.start("serve")
	s := l.begin(process)
	book := &ledger{s: s, path: "/events"}
	r := book.add(s.dispatch(s.pipeline(), s.withReceiver("/events")))
	r.waitsAt("review")

	conn, err := grpc.NewClient(shared.Env["REDLINE_TEMPORAL_ADDR"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	_, err = operatorservice.NewOperatorServiceClient(conn).DeleteNamespace(t.Context(), &operatorservice.DeleteNamespaceRequest{Namespace: l.Namespace})
	require.NoError(t, err)
	require.True(t, r.decide("review", "ann", "approve").ResumeScheduled)
	eventually(t, "the worker has made it again", func() bool {
		_, err := workflowservice.NewWorkflowServiceClient(conn).DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: l.Namespace})
		return err == nil
	})
	_, err = l.Run(t.Context(), "admin", "engine", "resync")
	require.NoError(t, err)
	book.check()
	s.once("/before", 1)
	require.True(t, process.Running(), "the same process goes on")
	l.atRest()
}

func postgresRestarted(t *testing.T, parts *stack.Stack) {
	l := labOn(t, parts)
	process := l.start("serve")
	s := l.begin(process)
	book := &ledger{s: s, path: "/events"}
	definition, reported := s.instant(), s.withReceiver("/events")
	const each, workers = 25, 8
	restarted := make(chan error, 1)
	var once sync.Once
	together(workers, func(w int) {
		for n := range each {
			data := client.Dispatch{DefinitionID: definition, IdempotencyKey: fmt.Sprintf("%d-%d", w, n)}
			reported(&data)
			answer, err := persist(t, func() (client.Dispatched, error) { return s.workspace.Dispatch(s.ctx, data) })
			if !fine(t, err) {
				return
			}
			book.add(&run{s: s, id: answer.ExecutionID, correlationID: answer.CorrelationID})
			if n == each/5 {
				once.Do(func() { restarted <- parts.Part(t.Context(), "postgres", "restart") })
			}
		}
	})
	require.NoError(t, <-restarted)
	book.check()
	require.Len(t, everyPage[client.Execution](s, listExecutions, nil), each*workers, "each key once")
	require.True(t, process.Running(), "recovery without a restart")
	l.atRest(whileAway...)
}

func TestOutage_WithTheDatabaseAwayNothingChanges(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	definition := s.pipeline()
	l.Rows.Cut()
	failure := s.refused("workflow/executions/dispatch", client.Dispatch{DefinitionID: definition, IdempotencyKey: "k"})
	require.Equal(t, "UNAVAILABLE", failure.Status, "%v", failure)
	require.NotEmpty(t, failure.Header.Get("retry-after"))
	require.NoError(t, l.Rows.Mend())

	data := client.Dispatch{DefinitionID: definition, IdempotencyKey: "k"}
	answer, err := persist(t, func() (client.Dispatched, error) { return s.workspace.Dispatch(s.ctx, data) })
	require.NoError(t, err)
	require.False(t, answer.Deduplicated, "an answer UNAVAILABLE means that nothing changed")
	r := &run{s: s, id: answer.ExecutionID}
	r.waitsAt("review")
	r.cancel()
}

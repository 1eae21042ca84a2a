package execution_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestOneKeyMakesOneExecution(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	var mu sync.Mutex
	ids, fresh := map[string]bool{}, 0
	modelstest.AtOnce(50, func(int) error {
		d, err := b.Dispatch(context.Background(), modelstest.Workspace, execution.Dispatch{DefinitionID: "mock", KeySpace: contract.KeysOfCallers, Key: "k"})
		mu.Lock()
		defer mu.Unlock()
		assert.NoError(t, err)
		ids[d.ExecutionID+d.CorrelationID] = true
		if !d.Deduplicated {
			fresh++
		}
		return nil
	})
	assert.Len(t, ids, 1)
	assert.Equal(t, 1, fresh)
	other, err := b.Dispatch(t.Context(), modelstest.Workspace, execution.Dispatch{DefinitionID: "mock", KeySpace: contract.KeysOfTriggers, Key: "k"})
	require.NoError(t, err)
	assert.False(t, other.Deduplicated, "a trigger's key is another one")
}

func TestARunThatAsksEndsAMock(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	d := b.Accept("mock", "k")
	runs := b.Signals()
	require.Len(t, runs, 1)
	assert.False(t, runs[0].Started)
	assert.Equal(t, "completed", b.Ask("mock", "k", d.ExecutionID).Status)
	assert.Equal(t, "completed", b.Read(d.ExecutionID).Status)
	page, err := b.Events(t.Context(), modelstest.Workspace, d.ExecutionID, 0, 100, false)
	require.NoError(t, err)
	var types []string
	for _, e := range page.Items {
		types = append(types, e.Type)
	}
	assert.Equal(t, "execution.dispatched step.completed execution.completed", strings.Join(types, " "))
	assert.Empty(t, b.Rows(`SELECT kind FROM work`), "the run asked, and has ended")
}

func TestAStrangeRunGetsNothing(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	d := b.Accept("mock", "k")
	assert.Equal(t, contract.Plan{}, b.Ask("mock", "another", d.ExecutionID))
	assert.Equal(t, contract.Plan{}, b.Ask("mock", "k", "exec_1_unknown1"))
	assert.Equal(t, "pending", b.Read(d.ExecutionID).Status)
}

func TestTwoLastApprovalsAtOnce(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	for i := range 10 {
		key := strconv.Itoa(i)
		d := b.Accept("people", key)
		b.Ask("people", key, d.ExecutionID)
		stepID := interpreter.StepID(d.ExecutionID, "a", 1, 1)
		answers := make([]interpreter.Answer, 2)
		for _, err := range modelstest.AtOnce(2, func(n int) (err error) {
			answers[n], err = b.Decide(context.Background(), modelstest.Workspace, d.ExecutionID, "",
				interpreter.Decision{StepID: stepID, ReviewerID: []string{"ann", "bob"}[n], Word: "approve"})
			return err
		}) {
			require.NoError(t, err)
		}
		assert.True(t, answers[0].Recorded && answers[1].Recorded)
		assert.NotEqual(t, answers[0].Resumes, answers[1].Resumes)
		v := b.Read(d.ExecutionID)
		assert.Equal(t, "completed", v.Status)
		assert.Len(t, v.Steps, 2)
	}
}

func TestTheInboxFollowsDecisions(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	inbox := func(who string) int {
		page, err := b.ListSteps(t.Context(), modelstest.Workspace, view.StepFilter{ReviewerID: who, Status: "waiting"}, nil, 10)
		require.NoError(t, err)
		return len(page.Items)
	}
	assert.Zero(t, inbox("ann"), "nothing waits before the run")
	b.Ask("people", "k", d.ExecutionID)
	assert.Equal(t, 1, inbox("ann"))
	_, err := b.Decide(t.Context(), modelstest.Workspace, d.ExecutionID, "", interpreter.Decision{StepID: interpreter.StepID(d.ExecutionID, "a", 1, 1), ReviewerID: "ann", Word: "approve"})
	require.NoError(t, err)
	assert.Zero(t, inbox("ann"))
	assert.Equal(t, 1, inbox("bob"))
	_, err = b.Cancel(t.Context(), modelstest.Workspace, d.ExecutionID, "", "", "")
	require.NoError(t, err)
	assert.Zero(t, inbox("bob"))
}

func TestACallIsHeldNumberedAndLimited(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	one, two := b.Accept("hook", "1"), b.Accept("hook", "2")
	b.Ask("hook", "1", one.ExecutionID)
	b.Ask("hook", "2", two.ExecutionID)
	begin := func(executionID string) (*execution.StepCall, contract.Plan) {
		call, plan, err := b.Begin(t.Context(), modelstest.CallOf(executionID, interpreter.StepID(executionID, "a", 1, 1)))
		require.NoError(t, err)
		return call, plan
	}
	call, _ := begin(one.ExecutionID)
	require.NotNil(t, call)
	assert.Equal(t, "https://receiver.test/a", call.Webhook.URL)
	again, plan := begin(one.ExecutionID)
	assert.Nil(t, again, "the first call holds the step")
	assert.Positive(t, *plan.Live[0].StartIn)
	waiting, plan := begin(two.ExecutionID)
	assert.Nil(t, waiting, "the one slot is taken")
	assert.Nil(t, plan.Live[0].StartIn)

	_, err := b.Finish(t.Context(), modelstest.CallOf(one.ExecutionID, call.StepID), interpreter.Outcome{Kind: interpreter.Success, HTTPStatus: 200, Output: json.RawMessage(`{"httpStatus":200}`)})
	require.NoError(t, err)
	require.NoError(t, b.GrantCallSlots(t.Context()))
	waiting, _ = begin(two.ExecutionID)
	assert.NotNil(t, waiting)
}

func TestAnotherWorkspaceFindsNothing(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	ctx := t.Context()
	_, err := b.Cancel(ctx, "ws_other", d.ExecutionID, "", "", "")
	assert.True(t, fault.Is(err, fault.StatusNotFound))
	_, err = b.Decide(ctx, "ws_other", d.ExecutionID, "", interpreter.Decision{})
	assert.True(t, fault.Is(err, fault.StatusNotFound))
	_, err = b.Dispatch(ctx, "ws_other", execution.Dispatch{DefinitionID: "people", KeySpace: contract.KeysOfCallers})
	assert.True(t, fault.Is(err, fault.StatusNotFound))
}

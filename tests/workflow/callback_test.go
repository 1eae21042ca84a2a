package workflow

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func done(output map[string]any) map[string]any {
	return map[string]any{"status": "completed", "output": output}
}

func tooLate(o *kit.Outsider) {
	o.S.T.Helper()
	status, code := o.Completes(done(nil))
	require.Equal(o.S.T, []any{200, "already-terminal"}, []any{status, code})
}

func TestCallbackEndsTheStep(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms")), client.Mock("next"), client.Mock("no")},
		client.Approve("author", "next"), client.Reject("author", "no")), kit.WithReceiver(env, "/events"))
	step := r.WaitsAt("author")
	require.JSONEq(t, `{"callbackExpected":true}`, string(r.Events("step.awaiting-approval")[0].Data))
	o := kit.CalledAt(env, "/cms")
	o.Accepted(done(map[string]any{"decision": "reject", "draft": 9007199254740993, "httpStatus": 1}))
	view := r.Ends("completed")
	require.Len(t, kit.Steps(view, "no"), 1)
	require.JSONEq(t, `{"httpStatus":200,"decision":"reject","draft":9007199254740993,"rejectedBy":"author","rejectorMandatory":true}`, string(r.Step("author").Output))
	require.JSONEq(t, `{"httpStatus":200,"decision":"reject"}`, string(r.Events("step.completed")[0].Data))
	tooLate(o)
	require.Equal(t, step.StepID, r.Step("author").StepID)
}

func TestCallback_1_ComesBeforeTheReceiversOwnAnswer(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/cms", receiver.Status(202))
	gate := env.Receiver().Hold("/cms")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms"))}))
	kit.RequireReached(t, "the call", gate.Reached())
	o := kit.CalledAt(env, "/cms")
	o.Accepted(done(map[string]any{"draft": 1}))
	require.Equal(t, redline.StepStatusRunning, r.Step("author").Status, "it is kept")
	tooLate(o)
	gate.Release()
	r.Ends("completed")
	require.JSONEq(t, `{"httpStatus":202,"draft":1}`, string(r.Step("author").Output))
	require.Len(t, env.Receiver().Requests("/cms"), 1)
}

func TestCallback_1_AFailedCallCountsAsTakenOnceItWasCalledBack(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/cms", receiver.Status(503))
	gate := env.Receiver().Hold("/cms")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms"))}))
	kit.RequireReached(t, "the call", gate.Reached())
	kit.CalledAt(env, "/cms").Accepted(done(map[string]any{"draft": 1}))
	gate.Release()
	r.Ends("completed")
	require.Len(t, env.Receiver().Requests("/cms"), 1, "no further try")
}

func TestCallback_2_CompletedAndFailedAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms"))}))
	r.WaitsAt("author")
	o := kit.CalledAt(env, "/cms")
	codes := make([]string, 2)
	kit.Concurrently(2, func(i int) {
		_, codes[i] = o.Completes([]any{done(nil), map[string]any{"status": "failed", "error": map[string]any{"code": "no-cms", "message": "gone"}}}[i])
	})
	require.ElementsMatch(t, []string{"accepted", "already-terminal"}, codes)
	if view := settled(r); codes[0] == "accepted" {
		require.Equal(t, redline.ExecutionStatusCompleted, view.Status)
	} else {
		require.Equal(t, "step-failed", view.FailureReason.Code)
		require.Equal(t, "no-cms", r.Step("author").Error.Code)
	}
	require.Len(t, r.Events("step.completed", "step.failed"), 1)
}

func TestCallback_3_AfterABreachOrACancellation(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Within(kit.Later("author", env.Receiver().URL("/slow")), time.Second), client.Mock("next")},
		client.When("author", "next", `{"op":"eq","args":[{"var":"step.status"},"breached"]}`)))
	expires := kit.ReadLaterCall(t, env.Arrived("/slow", receiver.Count(1))[0]).Callback.ExpiresAt
	r.Ends("completed")
	require.Equal(t, *r.Step("author").DueAt+24*time.Hour.Milliseconds(), *expires, "until then it is told that it comes too late")
	tooLate(kit.CalledAt(env, "/slow"))
	require.Equal(t, redline.StepStatusBreached, r.Step("author").Status)

	r = kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cancelled"))}))
	r.WaitsAt("author")
	r.Cancel()
	tooLate(kit.CalledAt(env, "/cancelled"))
	require.Nil(t, kit.ReadLaterCall(t, env.Receiver().Requests("/cancelled")[0]).Callback.ExpiresAt)
	require.Empty(t, r.Events("step.completed"))
}

func TestCallback_3_AfterTheLoopBeganAgain(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.Unique("definition")
	group := client.GroupEnd("both")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: id, Name: "Loop",
		Nodes: []redline.NodeInput{client.Mock("write"), kit.Later("cms", env.Receiver().URL("/cms")), client.Human("review", "ann"), client.Mock("done")},
		Edges: []redline.EdgeInput{
			client.On("always", "write", group), client.On("approve", group, "done"), client.Back(group, "write", 1),
		},
		Groups: []redline.StepGroupInput{{GroupID: "both", MemberNodeIds: []string{"cms", "review"}, ExpectedSteps: 2, Quorum: 2, OnQuorumMet: new(redline.StepGroupInputOnQuorumMetJoinOnQuorum)}},
	})
	r := kit.Dispatch(env, id)
	r.WaitsAt("cms")
	former := kit.CalledAt(env, "/cms")
	r.Decide("review", "ann", "reject")
	requests := env.Arrived("/cms", receiver.Count(2))
	tooLate(former)
	require.Equal(t, []string{"cancelled", "waiting"}, statusesOnceWaiting(env, r, "cms"), "the new iteration is untouched")
	_, err := env.Workspace.Decide(env.Ctx, r.Decision(newestStep(r, "review").StepID, "ann", "approve"))
	require.NoError(t, err)
	body := kit.ReadLaterCall(t, requests[1])
	require.NotEqual(t, former.Token, body.Callback.Token)
	kit.NewOutsider(env, body.Callback.TokenHeader, body.Callback.Token).Accepted(done(map[string]any{"decision": "approve"}))
	require.Len(t, kit.Steps(r.Ends("completed"), "done"), 1)
}

// statusesOnceWaiting waits until the newest step of a node waits and returns the states of
// all of them.
func statusesOnceWaiting(env *kit.Env, r *kit.Run, node string) (statuses []string) {
	env.T.Helper()
	kit.RequireEventually(env.T, node+" waits again", func() bool {
		statuses = nil
		for _, step := range kit.Steps(r.View(), node) {
			statuses = append(statuses, string(step.Status))
		}
		return statuses[len(statuses)-1] == "waiting"
	})
	return statuses
}

func TestCallback_4_TheTokenOpensNothingElse(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms")), client.Agent("check", "checker")}))
	r.WaitsAt("author")
	r.WaitsAt("check")
	o := kit.CalledAt(env, "/cms")
	for _, foreign := range []string{"", "nothing", o.Token + "x", kit.CalledAgent(env, "/agent").Callback.Token} {
		status, code := kit.NewOutsider(env, "x-svc-callback-token", foreign).Completes(done(nil))
		require.Equal(t, []any{401, "unauthenticated"}, []any{status, code})
	}
	_, err := client.Call[json.RawMessage](env.Ctx, byToken(env, o.Token), client.RecordResolution, r.Resolves("check", "r1", "resolved"))
	require.Equal(t, redline.ProblemStatusUnauthenticated, redline.AsError(err).Status)
	_, err = client.Call[json.RawMessage](env.Ctx, byToken(env, o.Token), client.RecordResolution, r.Resolves("author", "r1", "resolved"))
	require.Equal(t, redline.ProblemStatusFailedPrecondition, redline.AsError(err).Status, "no agent's step")
	_, err = client.Call[json.RawMessage](env.Ctx, byToken(env, o.Token), client.GetExecution, map[string]any{"executionId": r.ID})
	require.Equal(t, redline.ProblemStatusUnauthenticated, redline.AsError(err).Status)
	for _, text := range []string{
		kit.Raw(env, client.GetExecution, `{"executionId":"`+r.ID+`"}`),
		kit.Raw(env, client.GetEvents, `{"executionId":"`+r.ID+`","includeInternal":true}`),
		kit.Raw(env, client.ListSteps, `{"executionId":"`+r.ID+`"}`),
	} {
		require.NotContains(t, text, o.Token)
	}
	require.Equal(t, redline.StepStatusWaiting, r.Step("author").Status)
}

// A token expires a day after the time of its step, and no sooner than the step has ended.
func TestCallback_ATokenExpires(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Within(kit.Later("author", env.Receiver().URL("/cms")), time.Hour), client.Agent("check", "checker")}))
	for _, node := range []string{"author", "check"} {
		r.WaitsAt(node)
	}
	pause(r)
	ages(r, 26*time.Hour)
	o, agent := kit.CalledAt(env, "/cms"), byToken(env, kit.CalledAgent(env, "/agent").Callback.Token)
	o.Accepted(done(nil))
	_, err := client.Call[redline.DecideResult](env.Ctx, agent, client.RecordResolution, r.Resolves("check", "r1", "resolved"))
	require.NoError(t, err)
	r.Ends("completed")
	status, code := o.Completes(done(nil))
	require.Equal(t, []any{401, "unauthenticated"}, []any{status, code})
	_, err = client.Call[redline.DecideResult](env.Ctx, agent, client.RecordResolution, r.Resolves("check", "r1", "resolved"))
	require.Equal(t, redline.ProblemStatusUnauthenticated, redline.AsError(err).Status)
	require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, resolveByAgent(env, r.Resolves("check", "r1", "resolved")).AggregatorStatus, "the keys of the workspace still open it")
}

// ages moves the ends of the execution's live steps into the past.
func ages(r *kit.Run, by time.Duration) {
	r.S.T.Helper()
	_, err := r.S.DB().Exec(r.S.Ctx, `UPDATE steps SET due_at = due_at - $3::interval, timeout_at = timeout_at - $3::interval
WHERE workspace_id = $1 AND execution_id = $2 AND status IN ('running', 'waiting')`, r.S.Workspace.ID, r.ID, by)
	require.NoError(r.S.T, err)
}

func TestCallbackRefusals(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms"))}))
	r.WaitsAt("author")
	o := kit.CalledAt(env, "/cms")
	for _, body := range []any{
		"", "[]", "{", `{"status":"completed"} {}`, `{}`, `{"status":"done"}`, `{"status":"completed","more":1}`, `{"status":"completed","output":[]}`,
		`{"status":"failed","error":{"message":"no code"}}`, `{"status":"failed","error":{"code":""}}`, strings.Repeat("[", 10_000),
	} {
		status, code := o.Completes(body)
		require.Equal(t, []any{400, "invalid-body"}, []any{status, code}, body)
	}
	most := strings.Repeat("x", 64<<10-len(`{"x":""}`))
	for _, body := range []string{
		`{"status":"completed","output":{"x":"` + most + `x"}}`, `{"status":"completed","output":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`,
	} {
		status, code := o.Completes(body)
		require.Equal(t, []any{413, "body-too-large"}, []any{status, code})
	}
	require.Equal(t, redline.StepStatusWaiting, r.Step("author").Status, "nothing changed")
	o.Accepted(`{ "status": "completed", "output": { "x": "` + most + `" } }`)
	r.Ends("completed")
	require.Len(t, outputOf(t, r.Step("author"))["x"], len(most), "all of it is kept")
	tooLate(o)
}

func TestCallback_TheTokenIsTheSameInEveryTry(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().AnswerBy("/cms", func(n int, _ receiver.Request) receiver.Answer {
		return receiver.Status(map[bool]int{true: 503, false: 202}[n == 1])
	})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms"))}))
	r.WaitsAt("author")
	requests := kit.CalledOnce(env, "/cms", 2)
	require.Equal(t, "1", requests[1].Header.Get("x-svc-attempt"))
	kit.CalledAt(env, "/cms").Accepted(map[string]any{"status": "failed", "error": map[string]any{"code": "no-cms", "message": "gone"}})
	r.Ends("failed")
	require.Equal(t, "no-cms", r.Step("author").Error.Code)
	require.JSONEq(t, `{"error":{"code":"no-cms","message":"gone"},"httpStatus":202,"latencyMs":0,"retryClass":"permanent"}`, string(r.Events("step.failed")[0].Data))
}

func TestCallback_TheWorkerIsKilledWhileTheStepWaits(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms")), client.Hook("after", env.Receiver().URL("/after"))}, client.Always("author", "after")),
		kit.WithReceiver(env, "/events"))
	r.WaitsAt("author")
	process.Kill()
	isolated.Restart(process)
	kit.CalledAt(env, "/cms").Accepted(done(map[string]any{"draft": 1}))
	r.Ends("completed")
	kit.CalledOnce(env, "/cms", 1)
	kit.CalledOnce(env, "/after", 1)
	isolated.AtRest()
}

func TestCallback_5_IsTakenWhilePaused(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.With(kit.Later("author", env.Receiver().URL("/cms")), "bodyTemplate", "pass-through"), client.Mock("next")}, client.Always("author", "next")))
	r.WaitsAt("author")
	var sent struct {
		Svc struct{ CallbackURL, CallbackToken, CallbackTokenHeader string } `json:"_svc"`
	}
	require.NoError(t, json.Unmarshal(env.Receiver().Requests("/cms")[0].Body, &sent))
	env.Call(client.PauseExecution, map[string]any{"executionId": r.ID}, nil)
	kit.NewOutsider(env, sent.Svc.CallbackTokenHeader, sent.Svc.CallbackToken).Accepted(done(nil))
	require.Equal(t, redline.StepStatusPending, r.Step("next").Status)
	env.Call(client.ResumeExecution, map[string]any{"executionId": r.ID}, nil)
	r.Ends("completed")
}

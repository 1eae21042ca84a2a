package tests

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

const completePath = "/v2/workflow/webhook-callback/complete"

// outsider is a receiver that calls back: it has nothing but the token of a step.
type outsider struct {
	s       *scene
	session *client.Session
	token   string
}

func (s *scene) outsider(header, token string) *outsider {
	return &outsider{s, s.keyed.With(map[string]string{header: token}), token}
}

// later is an asynchronous webhook node.
func later(nodeID, url string) client.Node { return client.Hook(nodeID, url).With("mode", "async") }

// laterCall is what the receiver of an asynchronous step is sent of the callback.
type laterCall struct {
	Callback struct {
		Path, URL, Token, TokenHeader string
		ExpiresAt                     *int64
	}
}

func readLaterCall(t *testing.T, request receiver.Request) laterCall {
	t.Helper()
	var body laterCall
	require.NoError(t, json.Unmarshal(request.Body, &body))
	require.Equal(t, completePath, body.Callback.Path)
	require.True(t, strings.HasSuffix(body.Callback.URL, completePath))
	return body
}

// calledAt is what the receiver at a path was told of the callback, by its first request.
func (s *scene) calledAt(path string) *outsider {
	s.t.Helper()
	body := readLaterCall(s.t, s.arrived(path, receiver.Count(1))[0])
	return s.outsider(body.Callback.TokenHeader, body.Callback.Token)
}

// says calls back and gives status and code of the answer.
func (o *outsider) says(body any) (int, string) {
	o.s.t.Helper()
	text, ok := body.(string)
	if !ok {
		encoded, err := json.Marshal(body)
		require.NoError(o.s.t, err)
		text = string(encoded)
	}
	reply, err := o.session.Send(o.s.ctx, completePath, []byte(text), nil)
	require.NoError(o.s.t, err)
	var said struct{ Code string }
	require.NoError(o.s.t, json.Unmarshal(reply.Body, &said), "%s", reply.Body)
	return reply.HTTP, said.Code
}

func done(output map[string]any) map[string]any {
	return map[string]any{"status": "completed", "output": output}
}

func (o *outsider) accepted(body any) {
	o.s.t.Helper()
	status, code := o.says(body)
	require.Equal(o.s.t, []any{200, "accepted"}, []any{status, code})
}

func (o *outsider) tooLate() {
	o.s.t.Helper()
	status, code := o.says(done(nil))
	require.Equal(o.s.t, []any{200, "already-terminal"}, []any{status, code})
}

func TestCallbackEndsTheStep(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms")), client.Mock("next"), client.Mock("no")},
		client.Approve("author", "next"), client.Reject("author", "no")), s.withReceiver("/events"))
	step := r.waitsAt("author")
	require.JSONEq(t, `{"callbackExpected":true}`, string(r.events("step.awaiting-approval")[0].Data))
	o := s.calledAt("/cms")
	o.accepted(done(map[string]any{"decision": "reject", "draft": 9007199254740993, "httpStatus": 1}))
	view := r.ends("completed")
	require.Len(t, steps(view, "no"), 1)
	require.JSONEq(t, `{"httpStatus":200,"decision":"reject","draft":9007199254740993,"rejectedBy":"author","rejectorMandatory":true}`, string(r.step("author").Output))
	require.JSONEq(t, `{"httpStatus":200,"decision":"reject"}`, string(r.events("step.completed")[0].Data))
	o.tooLate()
	require.Equal(t, step.StepID, r.step("author").StepID)
}

func TestCallback_1_ComesBeforeTheReceiversOwnAnswer(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/cms", receiver.Status(202))
	gate := s.receiver().Hold("/cms")
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms"))}))
	reached(t, "the call", gate.Reached())
	o := s.calledAt("/cms")
	o.accepted(done(map[string]any{"draft": 1}))
	require.Equal(t, "running", r.step("author").Status, "it is kept")
	o.tooLate()
	gate.Release()
	r.ends("completed")
	require.JSONEq(t, `{"httpStatus":202,"draft":1}`, string(r.step("author").Output))
	require.Len(t, s.receiver().Requests("/cms"), 1)
}

func TestCallback_1_AFailedCallCountsAsTakenOnceItWasCalledBack(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/cms", receiver.Status(503))
	gate := s.receiver().Hold("/cms")
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms"))}))
	reached(t, "the call", gate.Reached())
	s.calledAt("/cms").accepted(done(map[string]any{"draft": 1}))
	gate.Release()
	r.ends("completed")
	require.Len(t, s.receiver().Requests("/cms"), 1, "no further try")
}

func TestCallback_2_CompletedAndFailedAtOnce(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms"))}))
	r.waitsAt("author")
	o := s.calledAt("/cms")
	codes := make([]string, 2)
	together(2, func(i int) {
		_, codes[i] = o.says([]any{done(nil), map[string]any{"status": "failed", "error": map[string]any{"code": "no-cms", "message": "gone"}}}[i])
	})
	require.ElementsMatch(t, []string{"accepted", "already-terminal"}, codes)
	if view := r.settled(); codes[0] == "accepted" {
		require.Equal(t, "completed", view.Status)
	} else {
		require.Equal(t, "step-failed", view.FailureReason.Code)
		require.Equal(t, "no-cms", r.step("author").Error.Code)
	}
	require.Len(t, r.events("step.completed", "step.failed"), 1)
}

func TestCallback_3_AfterABreachOrACancellation(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/slow")).Within(time.Second), client.Mock("next")},
		client.When("author", "next", `{"op":"eq","args":[{"var":"step.status"},"breached"]}`)))
	expires := readLaterCall(t, s.arrived("/slow", receiver.Count(1))[0]).Callback.ExpiresAt
	r.ends("completed")
	require.Equal(t, *r.step("author").DueAt+24*time.Hour.Milliseconds(), *expires, "until then it is told that it comes too late")
	s.calledAt("/slow").tooLate()
	require.Equal(t, "breached", r.step("author").Status)

	r = s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cancelled"))}))
	r.waitsAt("author")
	r.cancel()
	s.calledAt("/cancelled").tooLate()
	require.Nil(t, readLaterCall(t, s.receiver().Requests("/cancelled")[0]).Callback.ExpiresAt)
	require.Empty(t, r.events("step.completed"))
}

func TestCallback_3_AfterTheLoopBeganAgain(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	group := client.GroupEnd("both")
	s.create(client.Definition{
		DefinitionID: id, Name: "Loop",
		Nodes: []client.Node{client.Mock("write"), later("cms", s.receiver().URL("/cms")), client.Human("review", "ann"), client.Mock("done")},
		Edges: []client.Edge{
			client.On("always", "write", group), client.On("approve", group, "done"), client.Back(group, "write", 1),
		},
		Groups: []client.Group{{GroupID: "both", MemberNodeIDs: []string{"cms", "review"}, ExpectedSteps: 2, Quorum: 2, OnQuorumMet: "joinOnQuorum"}},
	})
	r := s.dispatch(id)
	r.waitsAt("cms")
	former := s.calledAt("/cms")
	r.decide("review", "ann", "reject")
	requests := s.arrived("/cms", receiver.Count(2))
	former.tooLate()
	require.Equal(t, []string{"cancelled", "waiting"}, s.statusesOnceWaiting(r, "cms"), "the new iteration is untouched")
	_, err := s.workspace.Decide(s.ctx, r.decision(r.newest("review").StepID, "ann", "approve"))
	require.NoError(t, err)
	body := readLaterCall(t, requests[1])
	require.NotEqual(t, former.token, body.Callback.Token)
	s.outsider(body.Callback.TokenHeader, body.Callback.Token).accepted(done(map[string]any{"decision": "approve"}))
	require.Len(t, steps(r.ends("completed"), "done"), 1)
}

// statusesOnceWaiting waits until the newest step of a node waits and gives the states of
// all of them.
func (s *scene) statusesOnceWaiting(r *run, node string) (statuses []string) {
	s.t.Helper()
	eventually(s.t, node+" waits again", func() bool {
		statuses = nil
		for _, step := range steps(r.view(), node) {
			statuses = append(statuses, step.Status)
		}
		return statuses[len(statuses)-1] == "waiting"
	})
	return statuses
}

func TestCallback_4_TheTokenOpensNothingElse(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms")), client.Agent("check", "checker")}))
	r.waitsAt("author")
	r.waitsAt("check")
	o := s.calledAt("/cms")
	for _, foreign := range []string{"", "nothing", o.token + "x", s.calledAgent("/agent").Callback.Token} {
		status, code := s.outsider("x-svc-callback-token", foreign).says(done(nil))
		require.Equal(t, []any{401, "unauthenticated"}, []any{status, code})
	}
	_, err := client.Call[json.RawMessage](s.ctx, s.byToken(o.token), recordResolution, r.resolves("check", "r1", "resolved"))
	require.Equal(t, "UNAUTHENTICATED", client.Refusal(err).Status)
	_, err = client.Call[json.RawMessage](s.ctx, s.byToken(o.token), recordResolution, r.resolves("author", "r1", "resolved"))
	require.Equal(t, "FAILED_PRECONDITION", client.Refusal(err).Status, "no agent's step")
	_, err = client.Call[json.RawMessage](s.ctx, s.byToken(o.token), "workflow/executions/get", map[string]any{"executionId": r.id})
	require.Equal(t, "UNAUTHENTICATED", client.Refusal(err).Status)
	for _, text := range []string{
		s.raw("workflow/executions/get", `{"executionId":"`+r.id+`"}`),
		s.raw("workflow/executions/getEvents", `{"executionId":"`+r.id+`","includeInternal":true}`),
		s.raw("workflow/steps/list", `{"executionId":"`+r.id+`"}`),
	} {
		require.NotContains(t, text, o.token)
	}
	require.Equal(t, "waiting", r.step("author").Status)
}

// A token expires a day after the time of its step, and no sooner than the step has ended.
func TestCallback_ATokenExpires(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms")).Within(time.Hour), client.Agent("check", "checker")}))
	for _, node := range []string{"author", "check"} {
		r.waitsAt(node)
	}
	r.pause()
	r.ages(26 * time.Hour)
	o, agent := s.calledAt("/cms"), s.byToken(s.calledAgent("/agent").Callback.Token)
	o.accepted(done(nil))
	_, err := client.Call[client.Decided](s.ctx, agent, recordResolution, r.resolves("check", "r1", "resolved"))
	require.NoError(t, err)
	r.ends("completed")
	status, code := o.says(done(nil))
	require.Equal(t, []any{401, "unauthenticated"}, []any{status, code})
	_, err = client.Call[client.Decided](s.ctx, agent, recordResolution, r.resolves("check", "r1", "resolved"))
	require.Equal(t, "UNAUTHENTICATED", client.Refusal(err).Status)
	require.Equal(t, "idempotent", s.resolve(r.resolves("check", "r1", "resolved")).AggregatorStatus, "the keys of the workspace still open it")
}

// ages moves the ends of the execution's live steps into the past.
func (r *run) ages(by time.Duration) {
	r.s.t.Helper()
	_, err := r.s.rows().Exec(r.s.ctx, `UPDATE steps SET due_at = due_at - $3::interval, timeout_at = timeout_at - $3::interval
WHERE workspace_id = $1 AND execution_id = $2 AND status IN ('running', 'waiting')`, r.s.workspace.ID, r.id, by)
	require.NoError(r.s.t, err)
}

func TestCallbackRefusals(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms"))}))
	r.waitsAt("author")
	o := s.calledAt("/cms")
	for _, body := range []any{
		"", "[]", "{", `{"status":"completed"} {}`, `{}`, `{"status":"done"}`, `{"status":"completed","more":1}`, `{"status":"completed","output":[]}`,
		`{"status":"failed","error":{"message":"no code"}}`, `{"status":"failed","error":{"code":""}}`, strings.Repeat("[", 10_000),
	} {
		status, code := o.says(body)
		require.Equal(t, []any{400, "invalid-body"}, []any{status, code}, body)
	}
	most := strings.Repeat("x", 64<<10-len(`{"x":""}`))
	for _, body := range []string{
		`{"status":"completed","output":{"x":"` + most + `x"}}`, `{"status":"completed","output":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`,
	} {
		status, code := o.says(body)
		require.Equal(t, []any{413, "body-too-large"}, []any{status, code})
	}
	require.Equal(t, "waiting", r.step("author").Status, "nothing changed")
	o.accepted(`{ "status": "completed", "output": { "x": "` + most + `" } }`)
	r.ends("completed")
	require.Len(t, outputOf(t, r.step("author"))["x"], len(most), "all of it is kept")
	o.tooLate()
}

func TestCallback_TheTokenIsTheSameInEveryTry(t *testing.T) {
	s := begin(t)
	s.receiver().AnswerBy("/cms", func(n int, _ receiver.Request) receiver.Answer {
		return receiver.Status(map[bool]int{true: 503, false: 202}[n == 1])
	})
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms"))}))
	r.waitsAt("author")
	requests := s.once("/cms", 2)
	require.Equal(t, "1", requests[1].Header.Get("x-svc-attempt"))
	s.calledAt("/cms").accepted(map[string]any{"status": "failed", "error": map[string]any{"code": "no-cms", "message": "gone"}})
	r.ends("failed")
	require.Equal(t, "no-cms", r.step("author").Error.Code)
	require.JSONEq(t, `{"error":{"code":"no-cms","message":"gone"},"httpStatus":202,"latencyMs":0,"retryClass":"permanent"}`, string(r.events("step.failed")[0].Data))
}

func TestCallback_TheWorkerIsKilledWhileTheStepWaits(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms")), client.Hook("after", s.receiver().URL("/after"))}, client.Always("author", "after")),
		s.withReceiver("/events"))
	r.waitsAt("author")
	process.Kill()
	l.again(process)
	s.calledAt("/cms").accepted(done(map[string]any{"draft": 1}))
	r.ends("completed")
	s.once("/cms", 1)
	s.once("/after", 1)
	l.atRest()
}

func TestCallback_5_IsTakenWhilePaused(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{later("author", s.receiver().URL("/cms")).With("bodyTemplate", "pass-through"), client.Mock("next")}, client.Always("author", "next")))
	r.waitsAt("author")
	var sent struct {
		Svc struct{ CallbackURL, CallbackToken, CallbackTokenHeader string } `json:"_svc"`
	}
	require.NoError(t, json.Unmarshal(s.receiver().Requests("/cms")[0].Body, &sent))
	s.call("workflow/executions/pause", map[string]any{"executionId": r.id}, nil)
	s.outsider(sent.Svc.CallbackTokenHeader, sent.Svc.CallbackToken).accepted(done(nil))
	require.Equal(t, "pending", r.step("next").Status)
	s.call("workflow/executions/resume", map[string]any{"executionId": r.id}, nil)
	r.ends("completed")
}

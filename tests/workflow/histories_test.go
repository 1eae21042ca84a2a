package workflow

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// recording names a folder into which the histories of this test are written, a file for
// each kind. They are what workflows/testdata/histories has.
const recording = "REDLINE_RECORD_HISTORIES"

// course is an execution of one kind, in which all that a caller may write is marked.
type course struct {
	kind string
	play func(env *kit.Env) *kit.Run
	ends string
}

// courses are the kinds of executions.
var courses = []course{
	{"webhook-tries", playTries, "completed"},
	{"webhook-refused", playRefused, "failed"},
	{"deadline", playDeadline, "completed"},
	{"deadline-untaken", playUntaken, "failed"},
	{"group", playGroup, "completed"},
	{"loop", playLoop, "failed"},
	{"agent", playAgent, "completed"},
	{"agent-blocking", playBlocking, "completed"},
	{"agent-refused", playAgentRefused, "failed"},
	{"pause", playPause, "completed"},
	{"retry", playRetry, "completed"},
	{"override", playOverride, "completed"},
	{"override-failed", playForcedFailure, "failed"},
	{"cancel", playCancel, "cancelled"},
	{"cancel-step", playCancelStep, "cancelled"},
	{"inbound", playInbound, "completed"},
	{"callback", playCallback, "completed"},
	{"callback-failed", playFailedCallback, "failed"},
	{"notification-email", playLetter, "completed"},
	{"notification-slack-refused", playSlack, "failed"},
}

var closedAs = map[string]enumspb.WorkflowExecutionStatus{
	"completed": enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, "failed": enumspb.WORKFLOW_EXECUTION_STATUS_FAILED,
	"cancelled": enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED,
}

func TestTemporal_HistoriesOfEveryKindHoldNoContents(t *testing.T) {
	for _, each := range courses {
		t.Run(each.kind, func(t *testing.T) {
			env := kit.NewWorkspace(t)
			o := kit.TemporalClientFor(t, temporalNamespace)
			r := each.play(env)
			r.Ends(each.ends)
			newest := o.Closes(r, closedAs[each.ends])
			for _, info := range o.Search("RedlineExecutionId = '" + r.ID + "'") {
				unmarked(o, each.kind, info.GetExecution(), r.ID)
			}
			record(o, "execution-"+each.kind, newest)
		})
	}
}

// The clock's payload stays with the rows, in the run of the instant too.
func TestTemporal_HistoriesOfASchedulesRunsHoldNoContents(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	id := scheduled(env, never, map[string]any{"payloadTemplate": map[string]any{"note": kit.Mark}})
	hasSchedule(o, env, id, "the schedule is there", isThere)
	fire(o, env, id)
	r := firstExecutionOf(env, id)
	r.Ends("completed")
	unmarked(o, "schedule", firings(o, id, 1)[0].GetExecution(), id)
	unmarked(o, "scheduled", o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED), r.ID)
	described, err := schedule(o, env, id).Describe(t.Context())
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprintf("%+v %+v", described.Schedule.Action, described.Memo), kit.Mark)
}

// historyOf reads a run's history.
func historyOf(o *kit.TemporalClient, of *commonpb.WorkflowExecution) *historypb.History {
	o.T.Helper()
	events := o.GetWorkflowHistory(o.T.Context(), of.GetWorkflowId(), of.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	whole := &historypb.History{}
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(o.T, err)
		whole.Events = append(whole.Events, event)
	}
	return whole
}

// unmarked asserts that a run has nothing marked: in its history, its memo and what it is
// found by.
func unmarked(o *kit.TemporalClient, kind string, of *commonpb.WorkflowExecution, naming string) {
	o.T.Helper()
	whole, err := proto.Marshal(historyOf(o, of)) // payloads stand in it as they are
	require.NoError(o.T, err)
	described, err := o.DescribeWorkflowExecution(o.T.Context(), of.GetWorkflowId(), of.GetRunId())
	require.NoError(o.T, err)
	shown, err := proto.Marshal(described)
	require.NoError(o.T, err)
	text := string(whole) + string(shown)
	require.Contains(o.T, text, naming, kind)
	if at := strings.Index(text, kit.Mark); at >= 0 {
		assert.Fail(o.T, "a history has contents", "%s: %q", kind, text[max(0, at-200):min(len(text), at+100)])
	}
}

// record keeps the history of a run for replays, where that is asked for.
func record(o *kit.TemporalClient, name string, of *commonpb.WorkflowExecution) {
	o.T.Helper()
	folder := os.Getenv(recording)
	if folder == "" {
		return
	}
	text, err := protojson.MarshalOptions{Indent: " "}.Marshal(historyOf(o, of))
	require.NoError(o.T, err)
	require.NoError(o.T, os.WriteFile(filepath.Join(folder, name+".json"), append(text, '\n'), 0o600))
}

// echoes lets the receiver answer calls at a path with a status and a marked body.
func echoes(env *kit.Env, path string, status int) string {
	env.Receiver().Answer(path, receiver.Answer{Status: status, Header: map[string]string{"content-type": "application/json"}, Body: `{"note":"` + kit.Mark + `"}`})
	return env.Receiver().URL(path) + "?token=" + kit.Mark
}

// brings is what a dispatch brings: a context, a receiver and its secret.
func brings(env *kit.Env, d *redline.DispatchRequest) {
	d.TriggerContext = map[string]any{"note": kit.Mark, "page": "https://example.com/" + kit.Mark, "webhookAuth": map[string]string{"call": kit.Mark}}
	d.WebhookURL, d.WebhookSecret = new(echoes(env, "/events", http.StatusOK)), new(kit.Mark+"-secret-of-the-receiver")
}

// asking is a person's node with a comment.
func asking(id string) redline.NodeInput {
	return client.With(client.With(client.Human(id, "ann"), "commentBody", kit.Mark), "reviewerEmails", []string{kit.Mark + "@example.com"})
}

func playTries(env *kit.Env) *kit.Run {
	echoes(env, "/tries", http.StatusOK)
	env.Receiver().AnswerBy("/tries", func(n int, _ receiver.Request) receiver.Answer {
		return receiver.Answer{Status: map[bool]int{true: http.StatusServiceUnavailable, false: http.StatusOK}[n == 1], Body: `{"note":"` + kit.Mark + `"}`}
	})
	call := client.With(client.With(client.With(client.Hook("call", env.Receiver().URL("/tries?token="+kit.Mark)), "requestHeaders", map[string]string{"x-note": kit.Mark}), "authMode", "token"), "authTokenHeader", "x-token")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{call, asking("review"), client.Mock("end")}, append(client.Both("review", "end"), client.Always("call", "review"))...), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve", kit.Mark)
	return r
}

func playRefused(env *kit.Env) *kit.Run {
	return kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", echoes(env, "/refused", http.StatusBadRequest))}), func(d *redline.DispatchRequest) { brings(env, d) })
}

func playDeadline(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Within(asking("review"), time.Second), asking("lead"), client.Mock("end")},
		client.When("review", "lead", `{"op":"or","args":[{"op":"eq","args":[{"var":"execution.input.note"},"`+kit.Mark+`"]},{"op":"eq","args":[{"var":"step.status"},"breached"]}]}`),
		client.Reject("review", "end"), client.Reject("lead", "end")), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("lead")
	r.Decide("lead", "ann", "approve", kit.Mark)
	return r
}

func playUntaken(env *kit.Env) *kit.Run {
	return kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Within(client.Human("review", "ann"), time.Second), asking("other"), client.Mock("end")},
		client.Always("other", "end"), client.Reject("other", "end"), client.Reject("review", "end"),
		client.When("review", "end", `{"op":"and","args":[{"op":"eq","args":[{"var":"step.status"},"breached"]},{"op":"eq","args":[{"var":"execution.input.note"},"other"]}]}`)), func(d *redline.DispatchRequest) { brings(env, d) })
}

func playGroup(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, panel(env, "cancelOnQuorum", 3, 2, []redline.NodeInput{client.Mock("publish"), client.Mock("note")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.Reject("ann", "note"), client.Reject("bob", "note"), client.Reject("cy", "note")), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("cy")
	r.Decide("ann", "ann", "approve", kit.Mark)
	r.Decide("bob", "bob", "approve", kit.Mark)
	return r
}

func playLoop(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, panel(env, "joinOnQuorum", 2, 2, []redline.NodeInput{client.Mock("publish")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.Back(client.GroupEnd("g"), "write", 1)), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("ann")
	r.Decide("ann", "ann", "reject", kit.Mark)
	env.Call(client.RecordDecision, r.Decision(newestStep(r, "bob").StepID, "bob", "reject", kit.Mark), nil)
	return r
}

// markedAgent registers an agent at a path, with a secret.
func markedAgent(env *kit.Env, id string, status int, body string) redline.NodeInput {
	url := echoes(env, "/"+id, status)
	env.Receiver().Answer("/"+id, receiver.Answer{Status: status, Body: body})
	kit.Register(env, id, map[string]any{"url": url, "secret": kit.Mark + "-secret-of-the-agent", "name": kit.Mark})
	return client.With(client.With(client.With(client.With(client.Agent("check", id), "promptOverride", kit.Mark), "urlPath", "page"), "userContextMapping", map[string]string{"note": "note"}), "inputMapping", map[string]string{"note": "execution.input.note"})
}

// settling is what somebody says for an agent.
func settling(r *kit.Run, responseID, word string) map[string]any {
	return r.Resolves("check", responseID, word, map[string]any{"output": map[string]any{"note": kit.Mark}, "reason": kit.Mark, "actorId": "bot"})
}

func playAgent(env *kit.Env) *kit.Run {
	r := kit.AsksAgent(env, markedAgent(env, "writer", http.StatusOK, `{"agentExecutionId":"`+kit.Mark+`","note":"`+kit.Mark+`"}`), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("check")
	env.Call(client.RecordResolution, settling(r, kit.Mark, "rejected"), nil)
	return r
}

func playBlocking(env *kit.Env) *kit.Run {
	node := client.With(client.With(markedAgent(env, "panel", http.StatusOK, `{"responseIds":["`+kit.Mark+`1","`+kit.Mark+`2","`+kit.Mark+`3"]}`), "blocking", true), "resolutionPolicy", map[string]any{"kind": "minResolved", "minCount": 2})
	r := kit.AsksAgent(env, node, func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("check")
	env.Call(client.RecordResolution, settling(r, kit.Mark+"1", "resolved"), nil)
	env.Call(client.RecordResolution, settling(r, kit.Mark+"3", "resolved"), nil)
	return r
}

func playAgentRefused(env *kit.Env) *kit.Run {
	return kit.AsksAgent(env, markedAgent(env, "sulker", http.StatusBadRequest, kit.Mark), func(d *redline.DispatchRequest) { brings(env, d) })
}

func playPause(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{asking("review"), client.Hook("call", echoes(env, "/paused", http.StatusOK))}, client.Both("review", "call")...), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("review")
	env.Call(client.PauseExecution, map[string]any{"executionId": r.ID, "actorId": "boss", "reason": kit.Mark}, nil)
	r.Decide("review", "ann", "approve", kit.Mark)
	env.Call(client.ResumeExecution, map[string]any{"executionId": r.ID, "actorId": "boss", "reason": kit.Mark}, nil)
	return r
}

func playRetry(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, publishing(env), func(d *redline.DispatchRequest) { brings(env, d) })
	r.Ends("failed")
	env.Call(client.RetryExecution, map[string]any{"executionId": r.ID, "actorId": "boss", "reason": kit.Mark}, nil)
	return r
}

// forced is an operator's act on a step.
func forced(r *kit.Run, node, action string) map[string]any {
	return r.By(node, map[string]any{"action": action, "reason": kit.Mark, "output": map[string]any{"note": kit.Mark}})
}

func playOverride(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{asking("review"), asking("lead"), asking("last"), client.Mock("end")},
		append(append(client.Both("review", "lead"), client.Both("lead", "last")...), client.Both("last", "end")...)...), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("review")
	env.Call(client.ReassignStep, r.By("review", map[string]any{"fromReviewerId": "ann", "toReviewerId": "bob", "reason": kit.Mark}), nil)
	env.Call(client.ResolveStep, forced(r, "review", "force-reject"), nil)
	env.Call(client.ResolveStep, forced(r, "lead", "force-approve"), nil)
	env.Call(client.ResolveStep, forced(r, "last", "force-complete"), nil)
	return r
}

func playForcedFailure(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{asking("review"), client.Mock("end")}, client.Both("review", "end")...), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("review")
	env.Call(client.ResolveStep, forced(r, "review", "force-fail"), nil)
	return r
}

func playCancel(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{asking("review"), client.Mock("end")}, client.Both("review", "end")...), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("review")
	env.Call(client.CancelExecution, map[string]any{"executionId": r.ID, "actorId": "boss", "reason": kit.Mark}, nil)
	return r
}

func playCancelStep(env *kit.Env) *kit.Run {
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{asking("review"), client.Mock("end")}, client.Both("review", "end")...), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("review")
	env.Call(client.CancelStep, r.By("review", map[string]any{"reason": kit.Mark}), nil)
	return r
}

func playInbound(env *kit.Env) *kit.Run {
	_, from := kit.Triggered(env, kit.InboundTrigger(map[string]any{"secret": kit.Mark + "-secret-of-the-trigger"}))
	from.Secret = kit.Mark + "-secret-of-the-trigger"
	return from.Starts(`{"type":"`+kit.Mark+`","payload":{"note":"`+kit.Mark+`"}}`, map[string]string{"x-note": kit.Mark})
}

// playLater lets a receiver take a call and say later how it ended.
func playLater(env *kit.Env, says map[string]any) *kit.Run {
	node := kit.Later("call", echoes(env, "/later", http.StatusOK))
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{node}), func(d *redline.DispatchRequest) { brings(env, d) })
	r.WaitsAt("call")
	kit.CalledAt(env, "/later").Accepted(says)
	return r
}

func playCallback(env *kit.Env) *kit.Run {
	return playLater(env, done(map[string]any{"note": kit.Mark}))
}

func playFailedCallback(env *kit.Env) *kit.Run {
	return playLater(env, map[string]any{"status": "failed", "error": map[string]any{"code": kit.Mark, "message": kit.Mark}})
}

func playLetter(env *kit.Env) *kit.Run {
	host, config := kit.OwnHost(env)
	require.NoError(env.T, host.Open())
	config["fromEmail"] = kit.Mark + "@tests.example.com"
	kit.MailBy(env, config)
	letter := client.With(client.Letter("mail", kit.Mark+"{{execution.triggerContext.note}}", kit.Mark+"@tests.example.com"), "subjectTemplate", kit.Mark)
	return kit.Notifies(env, letter, func(d *redline.DispatchRequest) { brings(env, d) })
}

func playSlack(env *kit.Env) *kit.Run {
	return kit.Notifies(env, client.Slack("post", kit.Mark, echoes(env, "/slack", http.StatusForbidden)), func(d *redline.DispatchRequest) { brings(env, d) })
}

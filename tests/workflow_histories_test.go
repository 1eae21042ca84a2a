package tests

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

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// recording names a folder into which the histories of this story are written, a file for
// each kind. They are what workflows/testdata/histories has.
const recording = "REDLINE_RECORD_HISTORIES"

// course is an execution of one kind, in which all that a caller may write is marked.
type course struct {
	kind string
	play func(s *scene) *run
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

func TestEngine_HistoriesOfEveryKindHoldNoContents(t *testing.T) {
	for _, each := range courses {
		t.Run(each.kind, func(t *testing.T) {
			s := begin(t)
			o := atTheEngine(t, engineNamespace)
			r := each.play(s)
			r.ends(each.ends)
			newest := o.closes(r, closedAs[each.ends])
			for _, info := range o.search("RedlineExecutionId = '" + r.id + "'") {
				o.unmarked(each.kind, info.GetExecution(), r.id)
			}
			o.record("execution-"+each.kind, newest)
		})
	}
}

// The clock's payload stays with the rows, in the run of the instant too.
func TestEngine_HistoriesOfASchedulesRunsHoldNoContents(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	id := s.scheduled(never, map[string]any{"payloadTemplate": map[string]any{"note": mark}})
	o.hasSchedule(s, id, "the schedule is there", isThere)
	o.fire(s, id)
	r := s.firstOf(id)
	r.ends("completed")
	o.unmarked("schedule", o.firings(id, 1)[0].GetExecution(), id)
	o.unmarked("scheduled", o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED), r.id)
	described, err := o.schedule(s, id).Describe(t.Context())
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprintf("%+v %+v", described.Schedule.Action, described.Memo), mark)
}

// history reads a run's history.
func (o *operator) history(of *commonpb.WorkflowExecution) *historypb.History {
	o.t.Helper()
	events := o.GetWorkflowHistory(o.t.Context(), of.GetWorkflowId(), of.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	whole := &historypb.History{}
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(o.t, err)
		whole.Events = append(whole.Events, event)
	}
	return whole
}

// unmarked asserts that a run has nothing marked: in its history, its memo and what it is
// found by.
func (o *operator) unmarked(kind string, of *commonpb.WorkflowExecution, naming string) {
	o.t.Helper()
	whole, err := proto.Marshal(o.history(of)) // payloads stand in it as they are
	require.NoError(o.t, err)
	described, err := o.DescribeWorkflowExecution(o.t.Context(), of.GetWorkflowId(), of.GetRunId())
	require.NoError(o.t, err)
	shown, err := proto.Marshal(described)
	require.NoError(o.t, err)
	text := string(whole) + string(shown)
	require.Contains(o.t, text, naming, kind)
	if at := strings.Index(text, mark); at >= 0 {
		assert.Fail(o.t, "a history has contents", "%s: %q", kind, text[max(0, at-200):min(len(text), at+100)])
	}
}

// record keeps the history of a run for replays, where that is asked for.
func (o *operator) record(name string, of *commonpb.WorkflowExecution) {
	o.t.Helper()
	folder := os.Getenv(recording)
	if folder == "" {
		return
	}
	text, err := protojson.MarshalOptions{Indent: " "}.Marshal(o.history(of))
	require.NoError(o.t, err)
	require.NoError(o.t, os.WriteFile(filepath.Join(folder, name+".json"), append(text, '\n'), 0o600))
}

// echoes lets the receiver answer calls at a path with a status and a marked body.
func (s *scene) echoes(path string, status int) string {
	s.receiver().Answer(path, receiver.Answer{Status: status, Header: map[string]string{"content-type": "application/json"}, Body: `{"note":"` + mark + `"}`})
	return s.receiver().URL(path) + "?token=" + mark
}

// brings is what a dispatch brings: a context, a receiver and its secret.
func (s *scene) brings(d *client.Dispatch) {
	d.TriggerContext = map[string]any{"note": mark, "page": "https://example.com/" + mark, "webhookAuth": map[string]string{"call": mark}}
	d.WebhookURL, d.WebhookSecret = s.echoes("/events", http.StatusOK), mark+"-secret-of-the-receiver"
}

// asking is a person's node with a comment.
func asking(id string) client.Node {
	return client.Human(id, "ann").With("commentBody", mark).With("reviewerEmails", []string{mark + "@example.com"})
}

func playTries(s *scene) *run {
	s.echoes("/tries", http.StatusOK)
	s.receiver().AnswerBy("/tries", func(n int, _ receiver.Request) receiver.Answer {
		return receiver.Answer{Status: map[bool]int{true: http.StatusServiceUnavailable, false: http.StatusOK}[n == 1], Body: `{"note":"` + mark + `"}`}
	})
	call := client.Hook("call", s.receiver().URL("/tries?token="+mark)).With("requestHeaders", map[string]string{"x-note": mark}).
		With("authMode", "token").With("authTokenHeader", "x-token")
	r := s.dispatch(s.define([]client.Node{call, asking("review"), client.Mock("end")}, append(client.Both("review", "end"), client.Always("call", "review"))...), s.brings)
	r.waitsAt("review")
	r.decide("review", "ann", "approve", mark)
	return r
}

func playRefused(s *scene) *run {
	return s.dispatch(s.define([]client.Node{client.Hook("call", s.echoes("/refused", http.StatusBadRequest))}), s.brings)
}

func playDeadline(s *scene) *run {
	r := s.dispatch(s.define([]client.Node{asking("review").Within(time.Second), asking("lead"), client.Mock("end")},
		client.When("review", "lead", `{"op":"or","args":[{"op":"eq","args":[{"var":"execution.input.note"},"`+mark+`"]},{"op":"eq","args":[{"var":"step.status"},"breached"]}]}`),
		client.Reject("review", "end"), client.Reject("lead", "end")), s.brings)
	r.waitsAt("lead")
	r.decide("lead", "ann", "approve", mark)
	return r
}

func playUntaken(s *scene) *run {
	return s.dispatch(s.define([]client.Node{client.Human("review", "ann").Within(time.Second), asking("other"), client.Mock("end")},
		client.Always("other", "end"), client.Reject("other", "end"), client.Reject("review", "end"),
		client.When("review", "end", `{"op":"and","args":[{"op":"eq","args":[{"var":"step.status"},"breached"]},{"op":"eq","args":[{"var":"execution.input.note"},"other"]}]}`)), s.brings)
}

func playGroup(s *scene) *run {
	r := s.dispatch(s.panel("cancelOnQuorum", 3, 2, []client.Node{client.Mock("publish"), client.Mock("note")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.Reject("ann", "note"), client.Reject("bob", "note"), client.Reject("cy", "note")), s.brings)
	r.waitsAt("cy")
	r.decide("ann", "ann", "approve", mark)
	r.decide("bob", "bob", "approve", mark)
	return r
}

func playLoop(s *scene) *run {
	r := s.dispatch(s.panel("joinOnQuorum", 2, 2, []client.Node{client.Mock("publish")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.Back(client.GroupEnd("g"), "write", 1)), s.brings)
	r.waitsAt("ann")
	r.decide("ann", "ann", "reject", mark)
	s.call(recordDecision, r.decision(r.newest("bob").StepID, "bob", "reject", mark), nil)
	return r
}

// markedAgent registers an agent at a path, with a secret.
func (s *scene) markedAgent(id string, status int, body string) client.Node {
	url := s.echoes("/"+id, status)
	s.receiver().Answer("/"+id, receiver.Answer{Status: status, Body: body})
	s.register(id, map[string]any{"url": url, "secret": mark + "-secret-of-the-agent", "name": mark})
	return client.Agent("check", id).With("promptOverride", mark).With("urlPath", "page").
		With("userContextMapping", map[string]string{"note": "note"}).With("inputMapping", map[string]string{"note": "execution.input.note"})
}

// settling is what somebody says for an agent.
func settling(r *run, responseID, word string) map[string]any {
	return r.resolves("check", responseID, word, map[string]any{"output": map[string]any{"note": mark}, "reason": mark, "actorId": "bot"})
}

func playAgent(s *scene) *run {
	r := s.asksAgent(s.markedAgent("writer", http.StatusOK, `{"agentExecutionId":"`+mark+`","note":"`+mark+`"}`), s.brings)
	r.waitsAt("check")
	s.call(recordResolution, settling(r, mark, "rejected"), nil)
	return r
}

func playBlocking(s *scene) *run {
	node := s.markedAgent("panel", http.StatusOK, `{"responseIds":["`+mark+`1","`+mark+`2","`+mark+`3"]}`).
		With("blocking", true).With("resolutionPolicy", map[string]any{"kind": "minResolved", "minCount": 2})
	r := s.asksAgent(node, s.brings)
	r.waitsAt("check")
	s.call(recordResolution, settling(r, mark+"1", "resolved"), nil)
	s.call(recordResolution, settling(r, mark+"3", "resolved"), nil)
	return r
}

func playAgentRefused(s *scene) *run {
	return s.asksAgent(s.markedAgent("sulker", http.StatusBadRequest, mark), s.brings)
}

func playPause(s *scene) *run {
	r := s.dispatch(s.define([]client.Node{asking("review"), client.Hook("call", s.echoes("/paused", http.StatusOK))}, client.Both("review", "call")...), s.brings)
	r.waitsAt("review")
	s.call(pauseExecution, map[string]any{"executionId": r.id, "actorId": "boss", "reason": mark}, nil)
	r.decide("review", "ann", "approve", mark)
	s.call(resumeExecution, map[string]any{"executionId": r.id, "actorId": "boss", "reason": mark}, nil)
	return r
}

func playRetry(s *scene) *run {
	r := s.dispatch(s.publishing(), s.brings)
	r.ends("failed")
	s.call(retryExecution, map[string]any{"executionId": r.id, "actorId": "boss", "reason": mark}, nil)
	return r
}

// forced is an operator's act on a step.
func forced(r *run, node, action string) map[string]any {
	return r.by(node, map[string]any{"action": action, "reason": mark, "output": map[string]any{"note": mark}})
}

func playOverride(s *scene) *run {
	r := s.dispatch(s.define([]client.Node{asking("review"), asking("lead"), asking("last"), client.Mock("end")},
		append(append(client.Both("review", "lead"), client.Both("lead", "last")...), client.Both("last", "end")...)...), s.brings)
	r.waitsAt("review")
	s.call(reassignStep, r.by("review", map[string]any{"fromReviewerId": "ann", "toReviewerId": "bob", "reason": mark}), nil)
	s.call(resolveStep, forced(r, "review", "force-reject"), nil)
	s.call(resolveStep, forced(r, "lead", "force-approve"), nil)
	s.call(resolveStep, forced(r, "last", "force-complete"), nil)
	return r
}

func playForcedFailure(s *scene) *run {
	r := s.dispatch(s.define([]client.Node{asking("review"), client.Mock("end")}, client.Both("review", "end")...), s.brings)
	r.waitsAt("review")
	s.call(resolveStep, forced(r, "review", "force-fail"), nil)
	return r
}

func playCancel(s *scene) *run {
	r := s.dispatch(s.define([]client.Node{asking("review"), client.Mock("end")}, client.Both("review", "end")...), s.brings)
	r.waitsAt("review")
	s.call("workflow/executions/cancel", map[string]any{"executionId": r.id, "actorId": "boss", "reason": mark}, nil)
	return r
}

func playCancelStep(s *scene) *run {
	r := s.dispatch(s.define([]client.Node{asking("review"), client.Mock("end")}, client.Both("review", "end")...), s.brings)
	r.waitsAt("review")
	s.call(cancelStep, r.by("review", map[string]any{"reason": mark}), nil)
	return r
}

func playInbound(s *scene) *run {
	_, from := s.triggered(inboundTrigger(map[string]any{"secret": mark + "-secret-of-the-trigger"}))
	from.secret = mark + "-secret-of-the-trigger"
	return from.starts(`{"type":"`+mark+`","payload":{"note":"`+mark+`"}}`, map[string]string{"x-note": mark})
}

// playLater lets a receiver take a call and say later how it ended.
func playLater(s *scene, says map[string]any) *run {
	node := later("call", s.echoes("/later", http.StatusOK))
	r := s.dispatch(s.define([]client.Node{node}), s.brings)
	r.waitsAt("call")
	s.calledAt("/later").accepted(says)
	return r
}

func playCallback(s *scene) *run { return playLater(s, done(map[string]any{"note": mark})) }

func playFailedCallback(s *scene) *run {
	return playLater(s, map[string]any{"status": "failed", "error": map[string]any{"code": mark, "message": mark}})
}

func playLetter(s *scene) *run {
	host, config := s.ownHost()
	require.NoError(s.t, host.Open())
	config["fromEmail"] = mark + "@stories.example.com"
	s.mailBy(config)
	letter := client.Letter("mail", mark+"{{execution.triggerContext.note}}", mark+"@stories.example.com").With("subjectTemplate", mark)
	return s.notifies(letter, s.brings)
}

func playSlack(s *scene) *run {
	return s.notifies(client.Slack("post", mark, s.echoes("/slack", http.StatusForbidden)), s.brings)
}

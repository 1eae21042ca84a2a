package console

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// A person sees why an execution waits, decides, and sees what was decided and why.
func TestExecution_IsReadAndDecided(t *testing.T) {
	env := kit.NewWorkspace(t)
	run := kit.Dispatch(env, kit.SignOff(env), kit.Input(map[string]any{"title": "Spring"}))
	run.WaitsAt("review")
	v := kit.Visit(env)
	shown := v.Open("/")
	require.Contains(t, shown.Text(), "review "+run.ID+" ann")
	shown = v.Open(strings.Split(shown.Links("review")[0], "#")[0])
	for _, words := range []string{"waiting", "ann", "Spring", "publish", "step.awaiting-approval"} {
		require.Contains(t, shown.Text(), words)
	}
	step := run.Step("review").StepID
	shown = v.Submit("/step/decide", "executionId", run.ID, "stepId", step, "reviewerId", "ann", "decision", "approve", "reason", "good as it is")
	require.Equal(t, http.StatusOK, shown.Code)
	require.Contains(t, shown.Text(), "Approved as ann.")
	kit.RequireEventually(t, "the execution is completed", func() bool {
		return strings.Contains(v.Open("/execution", "id", run.ID).Text(), "execution.completed")
	})
	shown = v.Open("/execution", "id", run.ID)
	require.Contains(t, shown.Text(), "good as it is")
	_, input, there := strings.Cut(shown.Text(), " Input ")
	require.True(t, there, "what the last step began with")
	require.Contains(t, input, "good as it is")
}

// What is refused is said as the interface said it, with the request to name.
func TestExecution_WhatIsRefusedIsSaid(t *testing.T) {
	env := kit.NewWorkspace(t)
	run := kit.Dispatch(env, kit.SignOff(env))
	run.WaitsAt("review")
	step := run.Step("review").StepID
	v := kit.Visit(env)
	shown := v.Submit("/step/decide", "executionId", run.ID, "stepId", step, "reviewerId", "ann", "decision", "perhaps")
	require.Equal(t, http.StatusBadRequest, shown.Code)
	require.Contains(t, shown.Text(), "decision")
	require.Regexp(t, `req_[a-z0-9]{26}`, shown.Text())
	shown = v.Submit("/step/decide", "executionId", run.ID, "stepId", step, "decision", "approve")
	require.Equal(t, http.StatusBadRequest, shown.Code)
	require.Contains(t, shown.Text(), "Say who decides")
}

func TestExecution_PausedResumedCancelled(t *testing.T) {
	env := kit.NewWorkspace(t)
	run := kit.Dispatch(env, kit.SignOff(env))
	run.WaitsAt("review")
	v := kit.Visit(env)
	require.Contains(t, v.Submit("/execution/pause", "executionId", run.ID, "reason", "lunch").Text(), "paused")
	require.Contains(t, v.Submit("/execution/resume", "executionId", run.ID).Text(), "Resumed.")
	shown := v.Submit("/execution/cancel", "executionId", run.ID, "reason", "no longer wanted")
	require.Contains(t, shown.Text(), "no longer wanted")
	require.Equal(t, redline.ExecutionStatusCancelled, run.View().Status)
}

func TestExecution_OfAnotherWorkspaceIsNotThere(t *testing.T) {
	env, other := kit.NewWorkspace(t), kit.NewWorkspaceAt(t, kit.Shared.URL())
	run := kit.Dispatch(env, kit.SignOff(env))
	run.WaitsAt("review")
	v := kit.Visit(other)
	shown := v.Open("/execution", "id", run.ID)
	require.Equal(t, http.StatusNotFound, shown.Code)
	require.Contains(t, shown.Text(), "another workspace")
	require.NotContains(t, v.Open("/executions").Text(), run.ID)
	for _, act := range []string{"cancel", "pause", "resume", "retry", "redeliver"} {
		require.Equal(t, http.StatusNotFound, v.Submit("/execution/"+act, "executionId", run.ID).Code, act)
	}
	require.Equal(t, redline.ExecutionStatusRunning, run.View().Status)
}

// Every text of a user is shown as text, in whatever script it is written.
func TestExecution_MarkupIsText(t *testing.T) {
	env := kit.NewWorkspace(t)
	const evil = `<script>alert(1)</script><img src=x onerror=alert(2)>"'{{.}}`
	nodes := []redline.NodeInput{client.Human("review", "ann"), client.Mock("publish")}
	nodes[0].Name = new(evil)
	definition := redline.DefinitionRequest{DefinitionID: kit.Unique("definition"), Name: evil, Nodes: nodes, Edges: client.Both("review", "publish")}
	kit.Create(env, definition)
	run := kit.Dispatch(env, definition.DefinitionID, kit.Input(map[string]any{"title": evil, "\u202eRTL😀": "\u200fשלום 🦊"}))
	run.WaitsAt("review")
	v := kit.Visit(env)
	v.Submit("/execution/pause", "executionId", run.ID, "reason", evil)
	for _, address := range []string{"/", "/executions", "/execution?id=" + run.ID} {
		shown := v.Open(address)
		require.Equal(t, http.StatusOK, shown.Code)
		require.Equal(t, 2, shown.Elements("script"), "those of the frame")
		if address != "/executions" {
			require.Contains(t, shown.Text(), `<script>alert(1)</script>`)
		}
	}
	require.Contains(t, v.Open("/execution", "id", run.ID).Text(), "שלום 🦊")
}

func TestExecutions_FoundByKeyAndCorrelation(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	var wanted redline.DispatchResult
	env.Call(client.StartExecution, map[string]any{"definitionId": definition, "idempotencyKey": "article-7", "correlationId": "spring"}, &wanted)
	other := kit.Dispatch(env, definition)
	v := kit.Visit(env)
	for name, value := range map[string]string{"key": "article-7", "correlation": "spring"} {
		text := v.Open("/executions", name, value).Text()
		require.Contains(t, text, wanted.ExecutionID, name)
		require.NotContains(t, text, other.ID, name)
	}
	require.Contains(t, v.Open("/executions", "key", "none").Text(), "No execution is like this.")
	require.Equal(t, http.StatusBadRequest, v.Open("/executions", "status", "done").Code)
}

func TestExecutions_PageByCursor(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env, []redline.NodeInput{client.Mock("only")})
	want := map[string]bool{}
	for range 53 {
		want[kit.Dispatch(env, definition).ID] = true
	}
	v := kit.Visit(env)
	first := v.Open("/executions", "definition", definition)
	next := first.Links("Next page")
	require.Len(t, next, 1)
	second := v.Open(next[0])
	require.Empty(t, second.Links("Next page"))
	both := first.Text() + second.Text()
	for id := range want {
		require.Equal(t, 1, strings.Count(both, id), id)
	}
}

// Ten thousand are walked page by page, each once, and one of them is found by its key.
func TestExecutions_TenThousand(t *testing.T) {
	const many = 10_000
	env := kit.NewWorkspace(t)
	run := kit.Dispatch(env, kit.Instant(env))
	run.Ends("completed")
	kit.MakeMany(run, many-1)
	v := kit.Visit(env)
	ids, last := regexp.MustCompile(`data-copy="(exec_[^"]+)"`), ""
	seen := map[string]bool{}
	for next := []string{"/executions"}; len(next) > 0; {
		require.Less(t, len(seen), many, "all were seen, and there is a page more")
		shown := v.Open(next[0])
		require.Equal(t, http.StatusOK, shown.Code)
		for _, found := range ids.FindAllStringSubmatch(shown.Body, -1) {
			require.False(t, seen[found[1]], found[1])
			seen[found[1]], last = true, found[1]
		}
		next = shown.Links("Next page")
	}
	require.Len(t, seen, many)
	found := v.Open("/executions", "key", "copy 1")
	require.Contains(t, found.Text(), last, "the oldest comes last")
	require.NotContains(t, found.Text(), run.ID)
	require.Equal(t, http.StatusOK, v.Open("/").Code)
}

// A hundred nodes that a loop goes through twice are 200 steps, each of which is shown.
func TestExecution_200StepsOfALoop(t *testing.T) {
	env := kit.NewWorkspace(t)
	run := kit.Dispatch(env, kit.LongLoop(env))
	run.WaitsAt(kit.LongLoopsPerson)
	run.Decide(kit.LongLoopsPerson, "ann", "reject", "again")
	kit.RequireEventually(t, "the second pass waits", func() bool { return len(kit.Steps(run.View(), kit.LongLoopsPerson)) == 2 })
	run.WaitsAt(kit.LongLoopsPerson)
	shown := kit.Visit(env).Open("/execution", "id", run.ID)
	require.Equal(t, http.StatusOK, shown.Code)
	require.Contains(t, shown.Text(), "waiting · pass 2")
	require.GreaterOrEqual(t, strings.Count(shown.Body, `id="step-`), 198)
}

// What failed is tried again from the page, with a reason that its time line keeps.
func TestExecution_FailedAndRetried(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Fails(env, "/publish")
	run := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("publish", env.Receiver().URL("/publish"))}))
	run.Ends("failed")
	v := kit.Visit(env)
	require.Contains(t, v.Open("/execution", "id", run.ID).Text(), "skip publish")
	shown := v.Submit("/execution/retry", "executionId", run.ID, "reason", "the printer is back", "actorId", "boss")
	require.Contains(t, shown.Text(), "Tried again from where it failed.")
	run.Ends("completed")
	require.Contains(t, v.Open("/execution", "id", run.ID).Text(), "the printer is back")
	again := v.Submit("/execution/retry", "executionId", run.ID)
	require.Equal(t, http.StatusBadRequest, again.Code)
	require.Contains(t, again.Text(), "FAILED_PRECONDITION")
}

// A step that failed and is skipped no longer fails its execution.
func TestExecution_RetriedWithoutAStep(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/publish", receiver.Status(http.StatusBadRequest))
	run := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("publish", env.Receiver().URL("/publish"))}))
	run.Ends("failed")
	v := kit.Visit(env)
	v.Submit("/execution/retry", "executionId", run.ID, "skip", run.Step("publish").StepID, "actorId", "boss")
	run.Ends("completed")
	require.Contains(t, v.Open("/execution", "id", run.ID).Text(), "skipped")
}

// One event, or all that did not arrive, is sent to the receiver again.
func TestExecution_DeliveriesSentAgain(t *testing.T) {
	env := kit.NewWorkspace(t)
	run := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	run.Ends("completed")
	first := run.Delivered()[0]
	before := len(env.Receiver().Requests("/events"))
	shown := kit.Visit(env).Submit("/execution/redeliver", "executionId", run.ID, "eventId", first.EventID)
	require.Contains(t, shown.Text(), "Queued again")
	env.Arrived("/events", receiver.Count(before+1))
	require.Contains(t, kit.Visit(env).Submit("/execution/redeliver", "executionId", run.ID).Text(), "Queued again")
}

func TestStep_ReassignedAndOverridden(t *testing.T) {
	env := kit.NewWorkspace(t)
	run := kit.Dispatch(env, kit.SignOff(env))
	run.WaitsAt("review")
	step := run.Step("review").StepID
	v := kit.Visit(env)
	of := []string{"executionId", run.ID, "stepId", step, "actorId", "boss"}
	shown := v.Submit("/step/reassign", append(of, "from", "ann", "to", "bob <b>", "reason", "on leave")...)
	require.Contains(t, shown.Text(), "Reassigned.")
	require.Contains(t, shown.Text(), "bob <b>")
	require.Contains(t, shown.Text(), "on leave")
	require.Equal(t, http.StatusBadRequest, v.Submit("/step/reassign", append(of, "from", "ann", "to", "carol")...).Code, "ann has nothing to do with it")
	shown = v.Submit("/step/resolve", append(of, "action", "force-approve", "reason", "bob is away, too")...)
	require.Contains(t, shown.Text(), "Done.")
	run.Ends("completed")
	require.Contains(t, v.Open("/execution", "id", run.ID).Text(), "bob is away, too")
}

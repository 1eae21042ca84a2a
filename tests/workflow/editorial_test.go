package workflow

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// editorial is an execution of the process by which a text is published: its author hands
// it in, an agent looks at it, two of three reviewers have to agree, legal has a time, its
// lead decides after it, and then it goes out or its author gets a mail.
type editorial struct {
	*kit.Run
	host   *receiver.MailHost
	author string
}

// edit dispatches the process; legal has a second where it is to be late, else a day.
func edit(t *testing.T, late bool) *editorial {
	t.Helper()
	env, host := posting(t)
	env.Receiver().Answer("/publish", receiver.JSON(`{"published":true}`))
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	kit.Register(env, "copy-checker", map[string]any{"url": env.Receiver().URL("/agent")})
	text, err := os.ReadFile("../../internal/definition/testdata/marketing-copy-approval.json")
	require.NoError(t, err)
	e := &editorial{host: host, author: kit.Mailbox()}
	changes := []string{
		"https://cms.example.com/drafts", env.Receiver().URL("/cms"), "https://publish.example.com/", env.Receiver().URL("/publish"),
		"author@example.com", e.author,
	}
	if late {
		changes = append(changes, "86400000", "1000")
	}
	env.Call(client.CreateDefinition, json.RawMessage(strings.NewReplacer(changes...).Replace(string(text))), nil)
	e.Run = kit.Dispatch(env, "marketing-copy-approval", kit.WithReceiver(env, "/events"), kit.Input(map[string]any{"draftUrl": "cms.example.com/7", "title": "Spring"}))
	return e
}

// reviewed brings an iteration to its reviewers: the author hands in, the agent says its
// word, which is advice only.
func (e *editorial) reviewed(iteration int, advice string) {
	env := e.S
	env.T.Helper()
	request := env.Arrived("/cms", receiver.Count(iteration))[iteration-1]
	e.inIteration("author", iteration)
	body := kit.ReadLaterCall(env.T, request)
	kit.NewOutsider(env, body.Callback.TokenHeader, body.Callback.Token).Accepted(done(map[string]any{"draft": iteration}))
	var call kit.AgentCall
	require.NoError(env.T, json.Unmarshal(env.Arrived("/agent", receiver.Count(iteration))[iteration-1].Body, &call))
	e.inIteration("ai-check", iteration)
	_, err := client.Call[redline.DecideResult](env.Ctx, byToken(env, call.Callback.Token), client.RecordResolution,
		map[string]any{"executionId": e.ID, "stepId": call.StepID, "responseId": "r1", "resolution": advice})
	require.NoError(env.T, err)
	e.inIteration("regional", iteration)
}

// inIteration waits until a node waits in an iteration, and returns its step.
func (e *editorial) inIteration(node string, iteration int) (waiting redline.Step) {
	e.S.T.Helper()
	kit.RequireEventually(e.S.T, fmt.Sprintf("%s waits in iteration %d", node, iteration), func() bool {
		found := kit.Steps(e.View(), node)
		if len(found) < iteration {
			return false
		}
		waiting = found[iteration-1]
		return waiting.Status == "waiting"
	})
	return waiting
}

// says records the decision of the person of a node: their ids begin with u_.
func (e *editorial) says(node, word string) {
	e.S.T.Helper()
	reviewer := "u_" + strings.ReplaceAll(node, "-", "_")
	_, err := e.S.Workspace.Decide(e.S.Ctx, e.Decision(newestStep(e.Run, node).StepID, reviewer, word, "because of "+node))
	require.NoError(e.S.T, err)
}

// agreed brings the process to legal at once.
func (e *editorial) agreed() *editorial {
	e.S.T.Helper()
	e.reviewed(1, "resolved")
	e.says("brand", "approve")
	e.says("product", "approve")
	e.inIteration("legal", 1)
	return e
}

// course are the external events as they are read and as they were delivered, which has
// to be the same: type, node and iteration, and what the data says that matters.
func (e *editorial) course() (lines []string) {
	t := e.S.T
	t.Helper()
	events := e.Events()
	got := kit.BySeq(t, e.S.Arrived("/events", receiver.Count(len(events))))
	require.Len(t, got, len(events))
	nodes := map[string]string{}
	for _, step := range e.View().Steps {
		nodes[step.StepID] = fmt.Sprintf(" %s i%d", step.NodeID, step.Metadata.Iteration)
	}
	last := int64(0)
	for i, event := range events {
		require.NoError(t, receiver.Verify(got[i], kit.Secret))
		sent, err := got[i].Read()
		require.NoError(t, err)
		require.Equal(t, []any{event.EventID, event.Seq, event.Type, event.StepID}, []any{sent.EventID, sent.Seq, sent.Event, sent.StepID})
		source, _, _ := strings.Cut(event.Type, ".")
		require.Equal(t, source == "step" || source == "execution", sent.Status != nil, event.Type)
		require.JSONEq(t, kit.OrNull(json.RawMessage(event.Data)), kit.OrNull(sent.Data))
		require.Greater(t, event.Seq, last)
		last = event.Seq
		line := event.Type
		if event.StepID != nil {
			line += nodes[*event.StepID]
		}
		lines = append(lines, line+saying(t, json.RawMessage(event.Data)))
	}
	return lines
}

// saying are what an event's data says beside ids, in a fixed order.
func saying(t *testing.T, data json.RawMessage) string {
	t.Helper()
	var said map[string]any
	var text []string
	require.NoError(t, json.Unmarshal([]byte(kit.OrNull(data)), &said))
	why, _ := said["failureReason"].(map[string]any)
	if said != nil {
		said["code"] = why["code"]
	}
	for _, key := range []string{"iteration", "actorId", "reason", "decision", "total", "quorum", "completedTotal", "expectedSteps", "httpStatus", "delivered", "lastRejectedBy", "code"} {
		if value, ok := said[key]; ok && value != nil {
			text = append(text, fmt.Sprintf(" %s=%v", key, value))
		}
	}
	return strings.Join(text, "")
}

// Iterations of the course, as far as the reviewers.
func opening(iteration int, advice string) []string {
	return slices.Concat([]string{
		fmt.Sprintf("step.awaiting-approval author i%d", iteration),
		fmt.Sprintf("step.completed author i%d httpStatus=200", iteration),
		fmt.Sprintf("step.awaiting-approval ai-check i%d", iteration),
		fmt.Sprintf("step.completed ai-check i%d decision=%s", iteration, advice),
	}, []string{
		fmt.Sprintf("step.awaiting-approval brand i%d", iteration),
		fmt.Sprintf("step.awaiting-approval product i%d", iteration),
		fmt.Sprintf("step.awaiting-approval regional i%d", iteration),
	})
}

// rejected is how brand ends an iteration: the others' steps are cancelled by whom, why.
func rejected(iteration int, actor, reason string) []string {
	return []string{
		fmt.Sprintf("step.completed brand i%d decision=reject", iteration),
		fmt.Sprintf("step.cancelled product i%d actorId=system:%s reason=%s", iteration, actor, reason),
		fmt.Sprintf("step.cancelled regional i%d actorId=system:%s reason=%s", iteration, actor, reason),
	}
}

// approved is how brand and product end an iteration.
func approved(iteration int) []string {
	return []string{
		fmt.Sprintf("step.completed brand i%d decision=approve", iteration),
		fmt.Sprintf("step.completed product i%d decision=approve", iteration),
		"group.quorum-met total=2 quorum=2 completedTotal=2 expectedSteps=2",
		fmt.Sprintf("step.cancelled regional i%d actorId=system:group-quorum reason=group-quorum-met", iteration),
		"step.awaiting-approval legal i1",
	}
}

// mailed proves that the author got one mail, with the reason of whom rejected last.
func (e *editorial) mailed(by string) {
	e.S.T.Helper()
	letters := lettersTo(e.host, e.author)
	require.Len(e.S.T, letters, 1)
	require.Equal(e.S.T, "Not published: Spring", letters[0].Header.Get("Subject"))
	require.Contains(e.S.T, letters[0].Body, "because of "+by)
	require.Empty(e.S.T, e.S.Receiver().Requests("/publish"))
}

func TestEditorial_TheWholeCourse(t *testing.T) {
	e := edit(t, true)
	e.reviewed(1, "rejected")
	e.says("brand", "reject")
	e.reviewed(2, "resolved")
	e.says("brand", "approve")
	e.says("product", "approve")
	e.inIteration("legal-lead", 1)
	e.says("legal-lead", "approve")
	e.Ends("completed")

	want := slices.Concat(
		[]string{"execution.dispatched"}, opening(1, "reject"), rejected(1, "loop-restart", "loop-restart"), []string{"loop.iteration-started iteration=2"},
		opening(2, "approve"), approved(2), []string{
			"step.breached legal i1 reason=sla",
			"step.awaiting-approval legal-lead i1",
			"step.completed legal-lead i1 decision=approve",
			"step.completed publish i1 httpStatus=200",
			"execution.completed",
		})
	require.Len(t, want, 29)
	require.Equal(t, want, e.course())

	first := e.Events()[0]
	require.EqualValues(t, 1, first.Seq)
	require.JSONEq(t, `{"definitionId":"marketing-copy-approval","definitionVersion":1,"rootStepIds":["`+kit.Steps(e.View(), "author")[0].StepID+`"]}`, string(first.Data))
	require.Empty(t, e.host.Letters())
	require.Len(t, e.S.Receiver().Requests("/publish"), 1, "two nodes may lead to it: it runs once")
	e.readsWhatCameBefore()
}

// readsWhatCameBefore proves that the second iteration began with what was said of the
// first.
func (e *editorial) readsWhatCameBefore() {
	t := e.S.T
	t.Helper()
	var sent struct {
		Iteration int
		Input     struct {
			Iteration        int
			PreviousAttempts []struct {
				Iteration                   int
				RejectedBy, RejectionReason string
				RejectorMandatory           bool
			}
		}
	}
	require.NoError(t, json.Unmarshal(e.S.Receiver().Requests("/cms")[1].Body, &sent))
	require.Equal(t, []int{2, 2}, []int{sent.Iteration, sent.Input.Iteration})
	require.Len(t, sent.Input.PreviousAttempts, 1)
	before := sent.Input.PreviousAttempts[0]
	require.Equal(t, []any{1, "u_brand", "because of brand", true}, []any{before.Iteration, before.RejectedBy, before.RejectionReason, before.RejectorMandatory})
	for _, request := range slices.Concat(e.S.Receiver().Requests("/agent")) {
		var call kit.AgentCall
		require.NoError(t, json.Unmarshal(request.Body, &call))
		require.Equal(t, `"https://cms.example.com/7"`, string(call.Input["url"]))
	}
}

func TestEditorial_ARejectionInTheFourthIteration(t *testing.T) {
	e := edit(t, false)
	want := []string{"execution.dispatched"}
	for i := range 3 {
		e.reviewed(i+1, "resolved")
		e.says("brand", "reject")
		want = slices.Concat(want, opening(i+1, "approve"), rejected(i+1, "loop-restart", "loop-restart"), []string{fmt.Sprintf("loop.iteration-started iteration=%d", i+2)})
	}
	e.reviewed(4, "resolved")
	e.says("brand", "reject")
	e.Ends("completed")
	want = slices.Concat(want, opening(4, "approve"), rejected(4, "group-quorum", "group-quorum-missed"), []string{
		"loop.exhausted iteration=4 lastRejectedBy=u_brand",
		"step.completed tell-author i1 delivered=1",
		"execution.completed",
	})
	require.Equal(t, want, e.course())
	e.mailed("brand")
}

func TestEditorial_LegalRejects(t *testing.T) {
	e := edit(t, false).agreed()
	e.says("legal", "reject")
	e.Ends("completed")
	require.Equal(t, slices.Concat([]string{"execution.dispatched"}, opening(1, "approve"), approved(1), []string{
		"step.completed legal i1 decision=reject",
		"step.completed tell-author i1 delivered=1",
		"execution.completed",
	}), e.course())
	e.mailed("legal")
}

func TestEditorial_TheLeadOfLegalRejects(t *testing.T) {
	e := edit(t, true)
	e.reviewed(1, "resolved")
	e.says("brand", "approve")
	e.says("product", "approve")
	e.inIteration("legal-lead", 1)
	e.says("legal-lead", "reject")
	e.Ends("completed")
	require.Equal(t, []string{
		"step.completed legal-lead i1 decision=reject", "step.completed tell-author i1 delivered=1", "execution.completed",
	}, e.course()[15:])
	e.mailed("legal-lead")
}

func TestEditorial_PublishingFailsFiveTimesAndIsTriedAgain(t *testing.T) {
	e := edit(t, false)
	e.S.Receiver().AnswerBy("/publish", func(n int, _ receiver.Request) receiver.Answer {
		if n <= 5 {
			return receiver.Status(503)
		}
		return receiver.JSON(`{"published":true}`)
	})
	e.agreed()
	before := len(e.View().Steps)
	e.says("legal", "approve")
	hurry(e.Run)
	view := e.Ends("failed")
	require.Equal(t, "step-failed", view.FailureReason.Code)
	require.Len(t, view.Steps, before+1)
	require.Equal(t, "webhook-http-status", newestStep(e.Run, "publish").Error.Code)
	kit.CalledOnce(e.S, "/publish", 5)

	e.Retry()
	view = e.Ends("completed")
	require.Len(t, view.Steps, before+2, "publish again, and nothing else")
	require.Equal(t, []any{redline.StepStatusCompleted, int64(2)}, []any{newestStep(e.Run, "publish").Status, newestStep(e.Run, "publish").Metadata.Attempt})
	require.Len(t, e.S.Receiver().Requests("/publish"), 6)
	require.Equal(t, slices.Concat([]string{"execution.dispatched"}, opening(1, "approve"), approved(1), []string{
		"step.completed legal i1 decision=approve",
		"step.failed publish i1 httpStatus=503",
		"execution.failed code=step-failed",
		"execution.retried actorId=boss reason=again",
		"step.completed publish i1 httpStatus=200",
		"execution.completed",
	}), e.course())
	require.Empty(t, e.host.Letters())
}

// hurry lets the waits between the tries of the execution's calls pass at once, and has
// Temporal look again, until the execution has failed.
func hurry(r *kit.Run) {
	env := r.S
	env.T.Helper()
	rows := env.DB()
	kit.RequireEventually(env.T, "all tries are made", func() bool {
		_, err := rows.Exec(env.Ctx, `
WITH waiting AS (
    UPDATE steps SET next_try_at = clock_timestamp()
    WHERE workspace_id = $1 AND execution_id = $2 AND status = 'running' AND locked_until IS NULL AND next_try_at > clock_timestamp() RETURNING 1)
INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready) SELECT 'execution', $2, $1, $1, clock_timestamp(), true WHERE EXISTS (SELECT FROM waiting)
ON CONFLICT (kind, key) DO UPDATE SET revision = excluded.revision, run_at = excluded.run_at, ready = true`,
			env.Workspace.ID, r.ID)
		require.NoError(env.T, err)
		return r.View().Status == "failed"
	})
}

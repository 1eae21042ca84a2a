package workflow

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// races are how often a race is run and how many of them each side has to win at least.
type races struct{ times, wins int }

// racing is how many races go on at a time.
const racing = 16

// some show that a race is one and that nothing breaks in it; TestLong_Races has many.
var some, many = races{times: 40, wins: 1}, races{times: 200, wins: 11}

// contest dispatches and waits until ann is asked, then lets both sides at it at once,
// many times. It returns the executions as they ended.
func (n races) contest(env *kit.Env, definition string, aim func(step redline.Step), sides ...func(r *kit.Run, step redline.Step)) []*kit.Run {
	env.T.Helper()
	runs := make([]*kit.Run, n.times)
	var working sync.WaitGroup
	for worker := range racing {
		working.Go(func() {
			for i := worker; i < n.times && !env.T.Failed(); i += racing {
				runs[i] = kit.Dispatch(env, definition)
				step := runs[i].WaitsOrEnded("review")
				aim(step)
				kit.Concurrently(len(sides), func(side int) { sides[side](runs[i], step) })
			}
		})
	}
	working.Wait()
	require.False(env.T, env.T.Failed(), "every contest took place")
	return runs
}

// atOnce aims at nothing.
func atOnce(redline.Step) {}

// winners are those whose act took effect, as they were answered, by the execution.
type winners struct {
	mu sync.Mutex
	of map[string][]string
}

func (w *winners) note(r *kit.Run, who string, won bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string][]string{}
	}
	if won {
		w.of[r.ID] = append(w.of[r.ID], who)
	}
}

// each proves that of every execution one side was answered that it won, the one whom the
// outcome shows, and that each side wins least of them.
func (w *winners) each(t *testing.T, least int, runs []*kit.Run, outcome func(r *kit.Run) (winner string), sides ...string) {
	t.Helper()
	wins := map[string]int{}
	for _, r := range runs {
		winner := outcome(r)
		require.Equal(t, []string{winner}, w.of[r.ID], r.ID)
		wins[winner]++
	}
	for _, side := range sides {
		require.GreaterOrEqual(t, wins[side], least, "the race is one")
	}
	t.Log(wins)
}

// says lets a person decide; who loses may be refused, or told that it is over.
func says(env *kit.Env, won *winners, who, word string) func(r *kit.Run, step redline.Step) {
	end := map[string]string{"approve": "resolved", "reject": "rejected"}[word]
	return func(r *kit.Run, step redline.Step) {
		answer, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, who, word))
		won.note(r, who, answer.Recorded)
		if !unlessLate(env, err) {
			return
		}
		status := map[bool]string{true: end, false: "already-terminal"}[answer.Recorded]
		assert.Equal(env.T, []any{status, answer.Recorded}, []any{string(answer.AggregatorStatus), answer.ResumeScheduled}, "%s of %s", word, who)
	}
}

// oneOutcome proves that a step ended once, that one edge was taken, none if it was
// cancelled, and that the execution ended once. It counts the ends of the step by their type.
func oneOutcome(t *testing.T, runs []*kit.Run, followers ...string) map[string]int {
	t.Helper()
	ends := map[string]int{}
	for _, r := range runs {
		view := settled(r)
		review := kit.Steps(view, "review")[0]
		taken := 0
		for _, node := range followers {
			taken += len(kit.Steps(view, node))
		}
		require.Equal(t, map[bool]int{true: 0, false: 1}[review.Status == "cancelled"], taken, "%s took one edge", r.ID)
		ended := 0
		for _, e := range r.Events("step.completed", "step.breached", "step.cancelled") {
			if e.StepID != nil && *e.StepID == review.StepID {
				ended++
			}
		}
		require.Equal(t, 1, ended, "%s ended its review once", r.ID)
		require.Len(t, r.Events("execution.completed", "execution.failed", "execution.cancelled"), 1, r.ID)
		ends[string(review.Status)]++
	}
	return ends
}

// settled waits for the end of an execution, whichever it is.
func settled(r *kit.Run) (last redline.Execution) {
	r.S.T.Helper()
	kit.RequireEventually(r.S.T, r.ID+" ends", func() bool { last = r.View(); return kit.Final(string(last.Status)) })
	return last
}

// TestLong_Races runs each race so often that a side which nearly always wins is found.
func TestLong_Races(t *testing.T) {
	for name, race := range map[string]func(t *testing.T, n races){
		"approve against reject": approveAgainstReject, "decision against deadline": decisionAgainstDeadline,
		"cancel against completion": cancelAgainstCompletion, "quorum against the last member": quorumAgainstTheLastMember,
		"resolution against the end of its time": resolutionAgainstTheEndOfItsTime,
		"callback of success against failure":    callbackCompletedAgainstFailed, "callback against cancellation": callbackAgainstCancellation,
		"callback against deadline": callbackAgainstTheDeadline,
	} {
		t.Run(name, func(t *testing.T) { race(t, many) })
	}
}

func TestRaces_ApproveAgainstReject(t *testing.T) { approveAgainstReject(t, some) }

func approveAgainstReject(t *testing.T, n races) {
	t.Helper()
	env := kit.NewWorkspace(t)
	definition := kit.Define(env,
		[]redline.NodeInput{client.Panel("review", []string{"ann"}, []string{"bob"}), client.Mock("yes"), client.Mock("no")},
		client.Approve("review", "yes"), client.Reject("review", "no"))
	var won winners
	runs := n.contest(env, definition, atOnce, says(env, &won, "ann", "approve"), says(env, &won, "bob", "reject"))
	require.Equal(t, map[string]int{"completed": n.times}, oneOutcome(t, runs, "yes", "no"))
	won.each(t, n.wins, runs, func(r *kit.Run) string {
		return map[int]string{1: "ann", 0: "bob"}[len(kit.Steps(r.View(), "yes"))]
	}, "ann", "bob")
}

func TestRaces_DecisionAgainstDeadline(t *testing.T) { decisionAgainstDeadline(t, some) }

func decisionAgainstDeadline(t *testing.T, n races) {
	t.Helper()
	env := kit.NewWorkspace(t)
	definition := kit.Define(env,
		[]redline.NodeInput{client.Within(client.Human("review", "ann"), time.Second), client.Mock("yes"), client.Mock("no"), client.Mock("late")},
		client.Approve("review", "yes"), client.Reject("review", "no"), client.When("review", "late", `{"op":"eq","args":[{"var":"step.status"},"breached"]}`))
	// How long after the deadline Temporal asks depends on the machine, so every outcome
	// aims the next try the other way. All of them together go as far as two seconds.
	stride := 2 * time.Second / time.Duration(n.times)
	var after atomic.Int64
	nearTheDeadline := func(step redline.Step) {
		kit.Pause(env.Ctx, time.Until(time.UnixMilli(*step.DueAt))+time.Duration(after.Load()))
	}
	var won winners
	decides := func(r *kit.Run, step redline.Step) {
		answer, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, "ann", "approve"))
		inTime := unlessLate(env, err) && assert.True(t, answer.Recorded)
		after.Add(map[bool]int64{true: 1, false: -1}[inTime] * int64(stride))
		won.note(r, "ann", inTime)
		won.note(r, "deadline", !inTime)
	}
	runs := n.contest(env, definition, nearTheDeadline, decides)
	ends := oneOutcome(t, runs, "yes", "no", "late")
	require.Equal(t, n.times, ends["completed"]+ends["breached"])
	won.each(t, n.wins, runs, func(r *kit.Run) string {
		return map[string]string{"completed": "ann", "breached": "deadline"}[string(r.Step("review").Status)]
	}, "ann", "deadline")
}

func TestRaces_CancelAgainstCompletion(t *testing.T) { cancelAgainstCompletion(t, some) }

func cancelAgainstCompletion(t *testing.T, n races) {
	t.Helper()
	env := kit.NewWorkspace(t)
	definition := kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Mock("yes"), client.Mock("no")},
		client.Approve("review", "yes"), client.Reject("review", "no"))
	var won winners
	cancels := func(r *kit.Run, _ redline.Step) { won.note(r, "cancel", r.Cancel()) }
	runs := n.contest(env, definition, atOnce, says(env, &won, "ann", "approve"), cancels)
	ends := oneOutcome(t, runs, "yes", "no")
	require.Equal(t, n.times, ends["completed"]+ends["cancelled"])
	won.each(t, n.wins, runs, func(r *kit.Run) string {
		view := r.View()
		require.Equal(t, kit.Steps(view, "review")[0].Status, redline.StepStatus(view.Status), r.ID)
		return map[string]string{"completed": "ann", "cancelled": "cancel"}[string(view.Status)]
	}, "ann", "cancel")
}

func TestRaces_QuorumAgainstTheLastMember(t *testing.T) { quorumAgainstTheLastMember(t, some) }

func quorumAgainstTheLastMember(t *testing.T, n races) {
	t.Helper()
	env := kit.NewWorkspace(t)
	id := kit.Unique("definition")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: id, Name: "Race",
		Nodes: []redline.NodeInput{client.Human("review", "ann"), client.Human("other", "bob"), client.Mock("yes"), client.Mock("no")},
		Edges: []redline.EdgeInput{
			client.On("approve", client.GroupEnd("g"), "yes"), client.Reject("review", "no"), client.Reject("other", "no"),
		},
		Groups: []redline.StepGroupInput{{GroupID: "g", MemberNodeIds: []string{"review", "other"}, ExpectedSteps: 2, Quorum: 1, OnQuorumMet: new(redline.StepGroupInputOnQuorumMetCancelOnQuorum)}},
	})
	var won winners
	bob := func(r *kit.Run, _ redline.Step) { says(env, &won, "bob", "approve")(r, r.Step("other")) }
	runs := n.contest(env, id, atOnce, says(env, &won, "ann", "approve"), bob)
	won.each(t, n.wins, runs, func(r *kit.Run) string {
		view := settled(r)
		statuses := map[string]string{string(kit.Steps(view, "review")[0].Status): "ann", string(kit.Steps(view, "other")[0].Status): "bob"}
		require.Len(t, statuses, 2, r.ID)
		require.Contains(t, statuses, "cancelled", r.ID)
		require.Len(t, kit.Steps(view, "yes"), 1)
		require.Len(t, r.Events("group.quorum-met"), 1)
		return statuses["completed"]
	}, "ann")
}

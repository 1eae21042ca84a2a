package tests

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// races is how often each race is run, by so many at a time.
const races, racing = 200, 16

// contest dispatches and waits until ann is asked, then lets both sides at it at once,
// many times. It gives the executions as they ended.
func (s *scene) contest(definition string, aim func(step client.Step), sides ...func(r *run, step client.Step)) []*run {
	s.t.Helper()
	runs := make([]*run, races)
	var working sync.WaitGroup
	for worker := range racing {
		working.Go(func() {
			for i := worker; i < races && !s.t.Failed(); i += racing {
				runs[i] = s.dispatch(definition)
				step := runs[i].waitsAt("review")
				aim(step)
				together(len(sides), func(side int) { sides[side](runs[i], step) })
			}
		})
	}
	working.Wait()
	return runs
}

// atOnce aims at nothing.
func atOnce(client.Step) {}

// winners are those whose act took effect, as they were answered, by the execution.
type winners struct {
	mu sync.Mutex
	of map[string][]string
}

func (w *winners) note(r *run, who string, won bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string][]string{}
	}
	if won {
		w.of[r.id] = append(w.of[r.id], who)
	}
}

// each proves that of every execution one side was answered that it won, the one whom the
// outcome shows, and that no side always wins.
func (w *winners) each(t *testing.T, runs []*run, outcome func(r *run) (winner string), sides ...string) {
	t.Helper()
	wins := map[string]int{}
	for _, r := range runs {
		winner := outcome(r)
		require.Equal(t, []string{winner}, w.of[r.id], r.id)
		wins[winner]++
	}
	for _, side := range sides {
		require.Greater(t, wins[side], races/20, "the race is one")
	}
	t.Log(wins)
}

// says lets a person decide; who loses may be refused, or told that it is over.
func (s *scene) says(won *winners, who, word string) func(r *run, step client.Step) {
	end := map[string]string{"approve": "resolved", "reject": "rejected"}[word]
	return func(r *run, step client.Step) {
		answer, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, who, word))
		won.note(r, who, answer.Recorded)
		if !s.unlessLate(err) {
			return
		}
		status := map[bool]string{true: end, false: "already-terminal"}[answer.Recorded]
		assert.Equal(s.t, []any{status, answer.Recorded}, []any{answer.AggregatorStatus, answer.ResumeScheduled}, "%s of %s", word, who)
	}
}

// oneOutcome proves that a step ended once, that one edge was taken, none if it was
// cancelled, and that the execution ended once. It counts the ends of the step by their type.
func oneOutcome(t *testing.T, runs []*run, followers ...string) map[string]int {
	t.Helper()
	ends := map[string]int{}
	for _, r := range runs {
		view := r.settled()
		review := steps(view, "review")[0]
		taken := 0
		for _, node := range followers {
			taken += len(steps(view, node))
		}
		require.Equal(t, map[bool]int{true: 0, false: 1}[review.Status == "cancelled"], taken, "%s took one edge", r.id)
		ended := 0
		for _, e := range r.events("step.completed", "step.breached", "step.cancelled") {
			if e.StepID != nil && *e.StepID == review.StepID {
				ended++
			}
		}
		require.Equal(t, 1, ended, "%s ended its review once", r.id)
		require.Len(t, r.events("execution.completed", "execution.failed", "execution.cancelled"), 1, r.id)
		ends[review.Status]++
	}
	return ends
}

// settled waits for the end of an execution, whichever it is.
func (r *run) settled() (last client.Execution) {
	r.s.t.Helper()
	eventually(r.s.t, r.id+" ends", func() bool { last = r.view(); return final(last.Status) })
	return last
}

func TestRaces_ApproveAgainstReject(t *testing.T) {
	s := begin(t)
	definition := s.define(
		[]client.Node{client.Panel("review", []string{"ann"}, []string{"bob"}), client.Mock("yes"), client.Mock("no")},
		client.Approve("review", "yes"), client.Reject("review", "no"))
	var won winners
	runs := s.contest(definition, atOnce, s.says(&won, "ann", "approve"), s.says(&won, "bob", "reject"))
	require.Equal(t, map[string]int{"completed": races}, oneOutcome(t, runs, "yes", "no"))
	won.each(t, runs, func(r *run) string {
		return map[int]string{1: "ann", 0: "bob"}[len(steps(r.view(), "yes"))]
	}, "ann", "bob")
}

func TestRaces_DecisionAgainstDeadline(t *testing.T) {
	s := begin(t)
	definition := s.define(
		[]client.Node{client.Human("review", "ann").Within(time.Second), client.Mock("yes"), client.Mock("no"), client.Mock("late")},
		client.Approve("review", "yes"), client.Reject("review", "no"), client.When("review", "late", `{"op":"eq","args":[{"var":"step.status"},"breached"]}`))
	// How long after the deadline the engine asks depends on the machine, so every outcome
	// aims the next try the other way.
	var after atomic.Int64
	nearTheDeadline := func(step client.Step) {
		pause(s.ctx, time.Until(time.UnixMilli(*step.DueAt))+time.Duration(after.Load()))
	}
	var won winners
	decides := func(r *run, step client.Step) {
		answer, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, "ann", "approve"))
		inTime := s.unlessLate(err) && assert.True(t, answer.Recorded)
		after.Add(map[bool]int64{true: 1, false: -1}[inTime] * int64(10*time.Millisecond))
		won.note(r, "ann", inTime)
		won.note(r, "deadline", !inTime)
	}
	runs := s.contest(definition, nearTheDeadline, decides)
	ends := oneOutcome(t, runs, "yes", "no", "late")
	require.Equal(t, races, ends["completed"]+ends["breached"])
	won.each(t, runs, func(r *run) string {
		return map[string]string{"completed": "ann", "breached": "deadline"}[r.step("review").Status]
	}, "ann", "deadline")
}

func TestRaces_CancelAgainstCompletion(t *testing.T) {
	s := begin(t)
	definition := s.define([]client.Node{client.Human("review", "ann"), client.Mock("yes"), client.Mock("no")},
		client.Approve("review", "yes"), client.Reject("review", "no"))
	var won winners
	cancels := func(r *run, _ client.Step) { won.note(r, "cancel", r.cancel()) }
	runs := s.contest(definition, atOnce, s.says(&won, "ann", "approve"), cancels)
	ends := oneOutcome(t, runs, "yes", "no")
	require.Equal(t, races, ends["completed"]+ends["cancelled"])
	won.each(t, runs, func(r *run) string {
		view := r.view()
		require.Equal(t, steps(view, "review")[0].Status, view.Status, r.id)
		return map[string]string{"completed": "ann", "cancelled": "cancel"}[view.Status]
	}, "ann", "cancel")
}

func TestRaces_QuorumAgainstTheLastMember(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	s.create(client.Definition{
		DefinitionID: id, Name: "Race",
		Nodes: []client.Node{client.Human("review", "ann"), client.Human("other", "bob"), client.Mock("yes"), client.Mock("no")},
		Edges: []client.Edge{
			client.On("approve", client.GroupEnd("g"), "yes"), client.Reject("review", "no"), client.Reject("other", "no"),
		},
		Groups: []client.Group{{GroupID: "g", MemberNodeIDs: []string{"review", "other"}, ExpectedSteps: 2, Quorum: 1, OnQuorumMet: "cancelOnQuorum"}},
	})
	var won winners
	bob := func(r *run, _ client.Step) { s.says(&won, "bob", "approve")(r, r.step("other")) }
	runs := s.contest(id, atOnce, s.says(&won, "ann", "approve"), bob)
	won.each(t, runs, func(r *run) string {
		view := r.settled()
		statuses := map[string]string{steps(view, "review")[0].Status: "ann", steps(view, "other")[0].Status: "bob"}
		require.Len(t, statuses, 2, r.id)
		require.Contains(t, statuses, "cancelled", r.id)
		require.Len(t, steps(view, "yes"), 1)
		require.Len(t, r.events("group.quorum-met"), 1)
		return statuses["completed"]
	}, "ann")
}

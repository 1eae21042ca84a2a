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

// says lets a person decide; who loses may be refused, and nothing else.
func (s *scene) says(who, word string) func(r *run, step client.Step) {
	return func(r *run, step client.Step) {
		_, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, who, word))
		if err != nil {
			assert.Equal(s.t, "FAILED_PRECONDITION", client.Refusal(err).Status, "%s of %s", word, who)
		}
	}
}

// oneOutcome proves that a step ended once, that one edge was taken and that the
// execution ended once. It counts the ends of the step by their type.
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
		if review.Status != "cancelled" {
			require.Equal(t, 1, taken, "%s took one edge", r.id)
		}
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
	runs := s.contest(definition, atOnce, s.says("ann", "approve"), s.says("bob", "reject"))
	require.Equal(t, map[string]int{"completed": races}, oneOutcome(t, runs, "yes", "no"))
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
	decides := func(r *run, step client.Step) {
		_, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, "ann", "approve"))
		if err == nil {
			after.Add(int64(10 * time.Millisecond))
			return
		}
		after.Add(-int64(10 * time.Millisecond))
		assert.Equal(t, "FAILED_PRECONDITION", client.Refusal(err).Status)
	}
	ends := oneOutcome(t, s.contest(definition, nearTheDeadline, decides), "yes", "no", "late")
	require.Equal(t, races, ends["completed"]+ends["breached"])
	require.Greater(t, ends["breached"], races/20, "the race is one")
	require.Greater(t, ends["completed"], races/20, "the race is one")
	t.Logf("%d decided in time, %d breached", ends["completed"], ends["breached"])
}

func TestRaces_CancelAgainstCompletion(t *testing.T) {
	s := begin(t)
	definition := s.define([]client.Node{client.Human("review", "ann"), client.Mock("yes"), client.Mock("no")},
		client.Approve("review", "yes"), client.Reject("review", "no"))
	cancels := func(r *run, _ client.Step) { r.cancel() }
	ends := oneOutcome(t, s.contest(definition, atOnce, s.says("ann", "approve"), cancels), "yes", "no")
	require.Equal(t, races, ends["completed"]+ends["cancelled"])
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
	bob := func(r *run, _ client.Step) { s.says("bob", "approve")(r, r.step("other")) }
	for _, r := range s.contest(id, atOnce, s.says("ann", "approve"), bob) {
		view := r.settled()
		statuses := []string{steps(view, "review")[0].Status, steps(view, "other")[0].Status}
		require.ElementsMatch(t, []string{"completed", "cancelled"}, statuses, r.id)
		require.Len(t, steps(view, "yes"), 1)
		require.Len(t, r.events("group.quorum-met"), 1)
	}
}

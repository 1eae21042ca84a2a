package operation

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// callers work all the time while processes die, through those that answer.
	callers, answering = 4, 3
	// mostBetween is the largest number of answers between two kills.
	mostBetween = 20
	// faster is how many processes of the service die in the time that a server takes to die
	// and to come back, as in other soaks.
	faster = 4
)

// soak is customers at work while processes die under their hands.
type soak struct {
	*kit.IsolatedStack
	s          *kit.Env
	book       *kit.Ledger
	definition string
	processes  []*stack.Service
	answers    atomic.Int64
	dispatched atomic.Int64
	decided    atomic.Int64
	repeated   atomic.Int64
	done       chan struct{}
}

// TestSoak_RandomKills kills a process of the service at random after a random
// number of answers, while customers dispatch and decide through the others.
func TestSoak_RandomKills(t *testing.T) {
	n := faster * kit.Kills(t)
	isolated := kit.NewIsolatedStack(t)
	k := &soak{IsolatedStack: isolated, done: make(chan struct{})}
	for _, role := range []string{"serve", "api", "api", "worker", "worker"} {
		k.processes = append(k.processes, isolated.StartProcess(role, kit.ShortAttempts, kit.Tirelessly))
	}
	k.s = kit.Hooked(isolated.NewWorkspace(k.processes[0]))
	kit.EndpointAt(k.s, "/hook")
	k.book = &kit.Ledger{S: k.s, Path: "/events"}
	k.definition = kit.PipelineWithin(k.s, time.Second)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))

	var working sync.WaitGroup
	for caller := range callers {
		working.Go(func() { k.work(k.s.Through(k.processes[caller%answering].URL)) })
	}
	for range n {
		k.strike(random)
	}
	close(k.done)
	working.Wait()
	k.book.Check()
	k.checkEndpoint()
	k.AtRest()
	t.Logf("%d kills; %d executions and %d decisions acknowledged, %d calls repeated; %d requests at the receiver",
		n, k.dispatched.Load(), k.decided.Load(), k.repeated.Load(), len(k.s.Receiver().Requests("")))
}

// checkEndpoint waits until the endpoint was told of every event, each by one
// message with one body.
func (k *soak) checkEndpoint() {
	k.T.Helper()
	events := map[string]bool{}
	for _, f := range k.book.Followers {
		for _, event := range f.Settle() {
			events[event.EventID] = true
		}
	}
	reported := func() map[string]string {
		found := map[string]string{}
		for id, body := range kit.BodiesAt(k.s, "/hook") {
			var message struct{ Data struct{ EventID string } }
			require.NoError(k.T, json.Unmarshal([]byte(body), &message))
			require.Empty(k.T, found[message.Data.EventID], "one message for an event")
			found[message.Data.EventID] = id
		}
		return found
	}
	kit.RequireWithin(k.T, kit.Recovery, "the endpoint is told of every event", func() bool { return len(reported()) >= len(events) })
	for event := range reported() {
		require.True(k.T, events[event], "nothing is told that no poller can read")
	}
}

// strike waits for a random number of answers, kills one process and starts it again.
func (k *soak) strike(random *rand.Rand) {
	k.T.Helper()
	target := k.answers.Load() + 1 + random.Int64N(mostBetween)
	kit.RequireEventually(k.T, "customers are answered between the kills", func() bool { return k.answers.Load() >= target })
	victim := k.processes[random.IntN(len(k.processes))]
	victim.Kill()
	k.Restart(victim)
}

// work takes one execution after the other through its life.
func (k *soak) work(env *kit.Env) {
	for n := 0; ; n++ {
		select {
		case <-k.done:
			return
		default:
		}
		if !k.life(env, kit.Unique("key")) {
			return
		}
	}
}

// life dispatches, waits for the person's turn and decides, each until it is answered.
func (k *soak) life(env *kit.Env, word string) bool {
	data := client.Dispatch{DefinitionID: k.definition, IdempotencyKey: word}
	kit.WithReceiver(env, "/events")(&data)
	answer, err := kit.UntilAnswered(k.T, counted(k, func() (client.Dispatched, error) { return env.Workspace.Dispatch(env.Ctx, data) }))
	if !kit.NoError(k.T, err) {
		return false
	}
	k.dispatched.Add(1)
	r := k.book.Add(&kit.Run{S: env, ID: answer.ExecutionID, CorrelationID: answer.CorrelationID})
	step, ok := turn(r)
	if !assert.True(k.T, ok, "%s never waits for its reviewer", r.ID) {
		return false
	}
	decided, err := kit.UntilAnswered(k.T, counted(k, func() (client.Decided, error) {
		return env.Workspace.Decide(env.Ctx, r.Decision(step, "ann", "approve"))
	}))
	k.decided.Add(1)
	return kit.NoError(k.T, err) && assert.True(k.T, decided.Recorded || decided.AggregatorStatus == "idempotent", "%+v", decided)
}

// turn waits until ann is asked and returns the step's id.
func turn(r *kit.Run) (string, bool) {
	deadline, idle := time.Now().Add(kit.Patience), kit.FollowPause
	for time.Now().Before(deadline) {
		if view, ok := r.Glance(); ok {
			for _, step := range kit.Steps(view, "review") {
				if step.Status == "waiting" {
					return step.StepID, true
				}
			}
		}
		kit.Pause(r.S.Ctx, idle)
		idle = min(2*idle, kit.LongestPause)
	}
	return "", false
}

// counted counts answers and repetitions of one call.
func counted[T any](k *soak, call func() (T, error)) func() (T, error) {
	return func() (T, error) {
		result, err := call()
		if err == nil {
			k.answers.Add(1)
		} else {
			k.repeated.Add(1)
		}
		return result, err
	}
}

package tests

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/stack"
)

const (
	// usualKills belong to every run of the tests.
	usualKills = 10
	// callers work all the time while processes die, through those that answer.
	callers, answering = 4, 3
	// mostBetween is the largest number of answers between two kills.
	mostBetween = 20
)

// kills is how many processes are killed; REDLINE_SOAK sets it.
func kills(t *testing.T) int {
	t.Helper()
	set := os.Getenv("REDLINE_SOAK")
	if set == "" {
		return usualKills
	}
	n, err := strconv.Atoi(set)
	require.NoError(t, err, "REDLINE_SOAK")
	return n
}

// soak is customers at work while processes die under their hands.
type soak struct {
	*lab
	s          *scene
	book       *ledger
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
	n := kills(t)
	l := newLab(t)
	k := &soak{lab: l, done: make(chan struct{})}
	for _, role := range []string{"serve", "api", "api", "worker", "worker"} {
		k.processes = append(k.processes, l.start(role, shortAttempts, tirelessly))
	}
	k.s = l.begin(k.processes[0]).hooked()
	k.s.endpointAt("/hook")
	k.book = &ledger{s: k.s, path: "/events"}
	k.definition = k.s.pipelineWithin(time.Second)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))

	var working sync.WaitGroup
	for caller := range callers {
		working.Go(func() { k.work(k.s.through(k.processes[caller%answering].URL)) })
	}
	for range n {
		k.strike(random)
	}
	close(k.done)
	working.Wait()
	k.book.check()
	k.checkEndpoint()
	k.atRest()
	t.Logf("%d kills; %d executions and %d decisions acknowledged, %d calls repeated; %d requests at the receiver",
		n, k.dispatched.Load(), k.decided.Load(), k.repeated.Load(), len(k.s.receiver().Requests("")))
}

// checkEndpoint waits until the endpoint was told of every event, each by one
// message with one body.
func (k *soak) checkEndpoint() {
	k.t.Helper()
	events := map[string]bool{}
	for _, f := range k.book.followers {
		for _, event := range f.settle() {
			events[event.EventID] = true
		}
	}
	reported := func() map[string]string {
		found := map[string]string{}
		for id, body := range k.s.bodies("/hook") {
			var message struct{ Data struct{ EventID string } }
			require.NoError(k.t, json.Unmarshal([]byte(body), &message))
			require.Empty(k.t, found[message.Data.EventID], "one message for an event")
			found[message.Data.EventID] = id
		}
		return found
	}
	within(k.t, recovery, "the endpoint is told of every event", func() bool { return len(reported()) >= len(events) })
	for event := range reported() {
		require.True(k.t, events[event], "nothing is told that no poller can read")
	}
}

// strike waits for a random number of answers, kills one process and starts it again.
func (k *soak) strike(random *rand.Rand) {
	k.t.Helper()
	target := k.answers.Load() + 1 + random.Int64N(mostBetween)
	eventually(k.t, "customers are answered between the kills", func() bool { return k.answers.Load() >= target })
	victim := k.processes[random.IntN(len(k.processes))]
	victim.Kill()
	k.again(victim)
}

// work takes one execution after the other through its life.
func (k *soak) work(s *scene) {
	for n := 0; ; n++ {
		select {
		case <-k.done:
			return
		default:
		}
		if !k.life(s, unique("key")) {
			return
		}
	}
}

// life dispatches, waits for the person's turn and decides, each until it is answered.
func (k *soak) life(s *scene, word string) bool {
	data := client.Dispatch{DefinitionID: k.definition, IdempotencyKey: word}
	s.withReceiver("/events")(&data)
	answer, err := persist(k.t, counted(k, func() (client.Dispatched, error) { return s.workspace.Dispatch(s.ctx, data) }))
	if !fine(k.t, err) {
		return false
	}
	k.dispatched.Add(1)
	r := k.book.add(&run{s: s, id: answer.ExecutionID, correlationID: answer.CorrelationID})
	step, ok := r.turn()
	if !assert.True(k.t, ok, "%s never waits for its reviewer", r.id) {
		return false
	}
	decided, err := persist(k.t, counted(k, func() (client.Decided, error) {
		return s.workspace.Decide(s.ctx, r.decision(step, "ann", "approve"))
	}))
	k.decided.Add(1)
	return fine(k.t, err) && assert.True(k.t, decided.Recorded || decided.AggregatorStatus == "idempotent", "%+v", decided)
}

// turn waits until ann is asked and gives the step's id.
func (r *run) turn() (string, bool) {
	deadline, idle := time.Now().Add(patience), followPause
	for time.Now().Before(deadline) {
		if view, ok := r.glance(); ok {
			for _, step := range steps(view, "review") {
				if step.Status == "waiting" {
					return step.StepID, true
				}
			}
		}
		pause(r.s.ctx, idle)
		idle = min(2*idle, longestPause)
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

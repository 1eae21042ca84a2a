package operation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// answering is how many of the processes take calls: the first ones.
	answering = 3
	// mostBetween is the largest number of answers between two kills.
	mostBetween = 20
	// serverEvery is how many kills of the service's processes there are for one of a server,
	// which takes as long as all of them to die and to come back.
	serverEvery = 5
)

// soak is customers at work while processes die under their hands.
type soak struct {
	*kit.IsolatedStack
	*customers
	parts     *stack.Stack
	processes []*stack.Service
	random    *rand.Rand
	// victims counts kills by what died.
	victims map[string]int
}

// TestSoak_RandomKills kills one of all processes at random, those of the service more often
// than Postgres, Temporal and the index, each after a random number of answers, while
// customers work in all parts of the service. The servers are those of a stack of its own.
func TestSoak_RandomKills(t *testing.T) {
	n := kit.Kills(t)
	parts := kit.OwnParts(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	k := &soak{IsolatedStack: kit.NewIsolatedStackOn(t, parts), parts: parts, random: rand.New(rand.NewPCG(seed, seed)), victims: map[string]int{}}
	for _, role := range []string{"serve", "api", "api", "worker", "worker"} {
		k.processes = append(k.processes, k.StartProcess(role, kit.ShortAttempts, kit.Tirelessly, "REDLINE_EMBEDDER=lexical"))
	}
	env := k.NewWorkspace(k.processes[0])
	through := make([]*kit.Env, answering)
	for i := range through {
		through[i] = env.Through(k.processes[i].URL)
	}
	k.customers = newCustomers(env, func() *kit.Env { return through[rand.IntN(answering)] }, true)
	k.begin()
	for range n {
		k.strike()
	}
	k.rest()
	k.check()
	k.indexed()
	k.AtRest(kit.WhileAway...)
	t.Logf("%d kills; %s; %d requests at the receiver", n, k.counts(), len(env.Receiver().Requests("")))
	for _, name := range slices.Sorted(maps.Keys(k.victims)) {
		t.Logf("%4d %s", k.victims[name], name)
	}
}

// indexed waits until the index has all that the rows have.
func (k *soak) indexed() {
	k.T.Helper()
	kit.RequireWithin(k.T, kit.Patience, "the index has all that the rows have", func() bool {
		report, err := k.CheckIndex()
		require.NoError(k.T, err)
		return report.Missing+report.Surplus == 0 && report.Judgments >= len(k.records)
	})
}

// strike waits for a random number of answers, kills one process and starts it again.
func (k *soak) strike() {
	k.T.Helper()
	target := k.answers.Load() + 1 + k.random.Int64N(mostBetween)
	kit.RequireWithin(k.T, kit.Recovery, "customers are answered between the kills", func() bool { return k.answers.Load() >= target })
	if k.random.IntN(serverEvery) == 0 {
		k.strikeServer([]string{"postgres", "temporal", "weaviate"}[k.random.IntN(3)])
		return
	}
	victim := k.random.IntN(len(k.processes))
	k.victims[fmt.Sprint(k.processes[victim].Role, " ", victim)]++
	k.processes[victim].Kill()
	k.Restart(k.processes[victim])
}

// strikeServer kills a server and brings it back.
func (k *soak) strikeServer(name string) {
	k.T.Helper()
	k.victims[name]++
	if name == "postgres" {
		require.NoError(k.T, k.parts.KillPostgres(k.T.Context()))
	} else {
		require.NoError(k.T, k.parts.Part(k.T.Context(), name, "kill"))
	}
	require.NoError(k.T, k.parts.Part(k.T.Context(), name, "start"))
}

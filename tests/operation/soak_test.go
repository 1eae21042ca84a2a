package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// answering is how many of the processes take calls: the first ones.
	answering = 3
	// mostBetween is the largest number of answers between two moments at which something dies.
	mostBetween = 20
	// mostAtOnce is how many processes die at one moment at most.
	mostAtOnce = 3
	// serverEvery is how many kills of the service's processes there are for one of a server,
	// which takes as long as all of them to die and to come back.
	serverEvery = 5
	// aRound is how many kills there are until all that was promised meanwhile is looked at.
	aRound = 100
)

// soak is customers at work while processes die under their hands.
type soak struct {
	*kit.IsolatedStack
	*customers
	processes []*stack.Service
	// servers come back in their order, as one needs the one before.
	servers, service []mortal
	random           *rand.Rand
	// victims counts kills by what died, recorded is how many judgments there are of all rounds.
	victims  map[string]int
	recorded int
}

// mortal is what is killed and brought back.
type mortal struct {
	name         string
	kill, revive func(context.Context) error
}

// TestSoak_RandomKills kills up to three of all processes at one moment, chosen at random, those
// of the service more often than Postgres, Temporal and the index, each time after a random
// number of answers, while customers work in all parts of the service. The servers are those of
// a stack of its own.
func TestSoak_RandomKills(t *testing.T) {
	n := kit.Kills(t)
	parts := kit.OwnParts(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	k := &soak{IsolatedStack: kit.NewIsolatedStackOn(t, parts), random: rand.New(rand.NewPCG(seed, seed)), victims: map[string]int{}}
	k.servers = serversOf(parts)
	for i, role := range []string{"serve", "api", "api", "worker", "worker"} {
		process := k.StartProcess(role, kit.ShortAttempts, kit.Tirelessly)
		k.processes = append(k.processes, process)
		k.service = append(k.service, mortal{
			name: fmt.Sprint(role, " ", i), revive: process.Start,
			kill: func(context.Context) error { process.Kill(); return nil },
		})
	}
	for done := 0; done < n; done += aRound {
		k.round(min(aRound, n-done))
	}
	for _, name := range slices.Sorted(maps.Keys(k.victims)) {
		t.Logf("%4d %s", k.victims[name], name)
	}
}

// serversOf are the servers of a stack.
func serversOf(parts *stack.Stack) (all []mortal) {
	for _, name := range []string{"postgres", "temporal", "weaviate"} {
		server := mortal{
			name: name, kill: func(ctx context.Context) error { return parts.Part(ctx, name, "kill") },
			revive: func(ctx context.Context) error { return parts.Part(ctx, name, "start") },
		}
		if name == "postgres" {
			server.kill = parts.KillPostgres
		}
		all = append(all, server)
	}
	return all
}

// round lets so many processes die under the hands of new customers, and proves that nothing
// that was acknowledged to them is lost, stands twice or is stuck.
func (k *soak) round(kills int) {
	t := k.T
	t.Helper()
	began := time.Now()
	env := k.NewWorkspace(k.processes[0])
	through := make([]*kit.Env, answering)
	for i := range through {
		through[i] = env.Through(k.processes[i].URL)
	}
	k.customers = newCustomers(env, func() *kit.Env { return through[rand.IntN(answering)] }, true)
	k.begin()
	for left := kills; left > 0; {
		left -= k.strike(left)
	}
	k.rest()
	struck := time.Since(began)
	k.check()
	k.recorded += len(k.records)
	k.indexed()
	k.AtRest(kit.WhileAway...)
	t.Logf("%d kills in %s, with the check %s; %s; %d requests at the receiver", kills, struck.Round(time.Second), time.Since(began).Round(time.Second),
		k.counts(), len(env.Receiver().Requests("")))
}

// indexed waits until the index has all that the rows have.
func (k *soak) indexed() {
	k.T.Helper()
	kit.RequireWithin(k.T, kit.Patience, "the index has all that the rows have", func() bool {
		report, err := k.CheckIndex()
		require.NoError(k.T, err)
		return report.Missing+report.Surplus == 0 && report.Judgments >= k.recorded
	})
}

// strike waits for a random number of answers, kills some processes at one moment and brings
// them back, the servers first. It returns how many these were.
func (k *soak) strike(most int) int {
	k.T.Helper()
	target := k.answers.Load() + 1 + k.random.Int64N(mostBetween)
	kit.RequireWithin(k.T, kit.Recovery, "customers are answered between the kills", func() bool { return k.answers.Load() >= target })
	servers, service := k.choose(min(most, 1+k.random.IntN(mostAtOnce)))
	victims := slices.Concat(servers, service)
	k.together(victims, func(m mortal) error { return m.kill(k.T.Context()) })
	for _, server := range servers {
		require.NoError(k.T, server.revive(k.T.Context()), server.name)
	}
	k.together(service, func(m mortal) error { return m.revive(k.T.Context()) })
	for _, victim := range victims {
		k.victims[victim.name]++
	}
	return len(victims)
}

// choose chooses n who die.
func (k *soak) choose(n int) (servers, service []mortal) {
	ofServers := 0
	for range n {
		if k.random.IntN(serverEvery) == 0 {
			ofServers++
		}
	}
	for _, at := range k.random.Perm(len(k.service))[:n-ofServers] {
		service = append(service, k.service[at])
	}
	chosen := k.random.Perm(len(k.servers))[:ofServers]
	slices.Sort(chosen)
	for _, at := range chosen {
		servers = append(servers, k.servers[at])
	}
	return servers, service
}

// together does the same to all of them at once.
func (k *soak) together(all []mortal, do func(mortal) error) {
	k.T.Helper()
	var working sync.WaitGroup
	failed := make([]error, len(all))
	for i, one := range all {
		working.Go(func() { failed[i] = do(one) })
	}
	working.Wait()
	require.NoError(k.T, errors.Join(failed...))
}

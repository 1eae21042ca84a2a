package api_test

import (
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// mostAbove is how much memory a process takes at most beside what it has at rest, whatever
// one workspace sends.
const mostAbove = 512 << 20

// atOnce is how many calls a caller sends side by side.
const atOnce = 16

// memory is what the process holds, in bytes: what it got from the system and did not give
// back.
func memory() int64 {
	found := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(found)
	return int64(found[0].Value.Uint64() - found[1].Value.Uint64())
}

// requireBounded wants that work, of which the test is the only one, keeps the memory of the
// process within bounds.
func requireBounded(t *testing.T, work func()) {
	t.Helper()
	debug.FreeOSMemory()
	before := memory()
	var most atomic.Int64
	ended, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for every := time.NewTicker(2 * time.Millisecond); ; {
			select {
			case <-every.C:
				most.Store(max(most.Load(), memory()))
			case <-ended:
				return
			}
		}
	}()
	work()
	close(ended)
	<-looked
	above := most.Load() - before
	t.Logf("%d MiB above before", above>>20)
	require.Less(t, above, int64(mostAbove))
}

// sideBySide makes as many calls at once and wants none of them to fail on our side.
func sideBySide(env *kit.Env, operation string, data func(i int) map[string]any) {
	env.T.Helper()
	failures := make(chan error, atOnce)
	var calls sync.WaitGroup
	for i := range atOnce {
		calls.Go(func() {
			_, err := client.Call[any](env.Ctx, env.Keyed, operation, data(i))
			failures <- err
		})
	}
	calls.Wait()
	for range atOnce {
		if err := <-failures; err != nil {
			require.NotContains(env.T, []string{"INTERNAL", "UNAVAILABLE"}, client.Refusal(err).Status)
			env.T.Log(client.Refusal(err).Reason)
		}
	}
}

// flaggedThreads are annotations with as many flagged comments each as one may have.
func flaggedThreads(annotations, comments int) map[string]any {
	var all []map[string]any
	for range annotations {
		var thread []map[string]any
		for range comments {
			thread = append(thread, kit.Wrote("ann", "hi", map[string]any{"triggerNotification": true}))
		}
		all = append(all, kit.Annotated(kit.Unique("n"), thread...))
	}
	return kit.Made("d", all...)
}

func TestLong_ManyWhoWantEveryCommentOfManyTakeLittleMemory(t *testing.T) {
	s := handlerServer(t, "REDLINE_DATABASE_MAX_CONNS=20")
	env := kit.NewWorkspaceAt(t, s.URL)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	for i := range 50 {
		users := make([]string, 100)
		for j := range users {
			users[j] = fmt.Sprintf("%s%d-%d", strings.Repeat("long", 20), i, j)
		}
		kit.Wants(env, map[string]any{"inbox": "ALL", "email": "ALL"}, users)
	}
	requireBounded(t, func() {
		sideBySide(env, client.AddAnnotations, func(int) map[string]any { return flaggedThreads(10, 100) })
	})
}

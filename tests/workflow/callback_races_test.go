package workflow

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// callbackRace is a definition of an asynchronous node called review and of what follows
// each of its ends.
func callbackRace(env *kit.Env, node redline.NodeInput) string {
	env.T.Helper()
	return kit.Define(env, []redline.NodeInput{node, client.Mock("yes"), client.Mock("no"), client.Mock("late")},
		client.Approve("review", "yes"),
		client.When("review", "no", `{"op":"eq","args":[{"var":"step.status"},"failed"]}`),
		client.When("review", "late", `{"op":"eq","args":[{"var":"step.status"},"breached"]}`))
}

// callsBack answers for the receiver of a step and counts what was accepted.
func callsBack(env *kit.Env, body map[string]any, accepted *atomic.Int64) func(r *kit.Run, step redline.Step) {
	return func(_ *kit.Run, step redline.Step) {
		requests := env.Receiver().Requests("/cms")
		i := slices.IndexFunc(requests, func(r receiver.Request) bool { return r.Header.Get("x-svc-event-id") == step.StepID })
		token := kit.ReadLaterCall(env.T, requests[i]).Callback.Token
		text, _ := json.Marshal(body) // maps of texts
		reply, err := kit.NewOutsider(env, "x-svc-callback-token", token).Session.Send(env.Ctx, kit.CompletePath, text, nil)
		if err != nil {
			env.T.Error(err)
			return
		}
		if strings.Contains(string(reply.Body), `"accepted"`) {
			accepted.Add(1)
		} else {
			assert.Contains(env.T, string(reply.Body), `"already-terminal"`)
		}
	}
}

var failedWork = map[string]any{"status": "failed", "error": map[string]any{"code": "no-cms"}}

func TestRaces_Callback_2_CompletedAgainstFailed(t *testing.T) {
	callbackCompletedAgainstFailed(t, some)
}

func callbackCompletedAgainstFailed(t *testing.T, n races) {
	t.Helper()
	env := kit.NewWorkspace(t)
	definition := callbackRace(env, kit.Later("review", env.Receiver().URL("/cms")))
	var accepted atomic.Int64
	runs := n.contest(env, definition, atOnce,
		callsBack(env, done(map[string]any{"decision": "approve"}), &accepted), callsBack(env, failedWork, &accepted))
	ended := 0
	for _, r := range runs {
		view := r.Ends("completed")
		require.Len(t, slices.Concat(kit.Steps(view, "yes"), kit.Steps(view, "no")), 1, r.ID)
		require.Len(t, r.Events("step.failed"), len(kit.Steps(view, "no")), r.ID)
		ended++
	}
	require.Equal(t, []int64{int64(n.times), int64(n.times)}, []int64{int64(ended), accepted.Load()})
}

func TestRaces_Callback_3_AgainstCancellation(t *testing.T) { callbackAgainstCancellation(t, some) }

func callbackAgainstCancellation(t *testing.T, n races) {
	t.Helper()
	env := kit.NewWorkspace(t)
	definition := callbackRace(env, kit.Later("review", env.Receiver().URL("/cms")))
	var accepted atomic.Int64
	cancels := func(r *kit.Run, _ redline.Step) { r.Cancel() }
	runs := n.contest(env, definition, atOnce, callsBack(env, done(map[string]any{"decision": "approve"}), &accepted), cancels)
	ends := oneOutcome(t, runs, "yes", "no", "late")
	require.Equal(t, n.times, ends["completed"]+ends["cancelled"])
	require.Equal(t, accepted.Load(), int64(ends["completed"]), "what was accepted counted")
}

// deadlineAim is how long after its deadline a step is answered, so that both sides have a
// chance. How soon Temporal asks depends on the machine and on what else it does, so
// every outcome aims the next races the other way.
type deadlineAim struct {
	mu    sync.Mutex
	after time.Duration
	of    map[string]time.Duration
}

// take returns how long the answer to a step waits.
func (a *deadlineAim) take(stepID string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[string]time.Duration{}
	}
	a.of[stepID] = a.after
	return a.after
}

// learn aims by an outcome. One of a race that was aimed long ago moves nothing.
func (a *deadlineAim) learn(stepID string, inTime bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if aimed := a.of[stepID]; inTime {
		a.after = max(a.after, 2*aimed+100*time.Millisecond)
	} else {
		a.after = min(a.after, aimed/2)
	}
}

// timeOver lets the time of a step be over and its run ask, and goes on when it is to be answered.
func timeOver(env *kit.Env, aim *deadlineAim) func(step redline.Step) {
	rows := env.DB()
	var asking sync.Mutex
	return func(step redline.Step) {
		asking.Lock()
		_, err := rows.Exec(env.Ctx, `
WITH late AS (UPDATE steps SET due_at = CASE WHEN due_at IS NOT NULL THEN clock_timestamp() END,
                               timeout_at = CASE WHEN timeout_at IS NOT NULL THEN clock_timestamp() END
              WHERE workspace_id = $1 AND id = $2 RETURNING execution_id)
INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready) SELECT 'execution', execution_id, $1, $1, clock_timestamp(), true FROM late
ON CONFLICT (kind, key) DO UPDATE SET revision = excluded.revision, run_at = excluded.run_at, ready = true`,
			env.Workspace.ID, step.StepID)
		asking.Unlock()
		if err != nil {
			env.T.Error(err)
		}
		kit.Pause(env.Ctx, aim.take(step.StepID))
	}
}

func TestRaces_Callback_3_AgainstTheDeadline(t *testing.T) { callbackAgainstTheDeadline(t, some) }

func callbackAgainstTheDeadline(t *testing.T, n races) {
	t.Helper()
	env := kit.NewWorkspace(t)
	definition := callbackRace(env, client.Within(kit.Later("review", env.Receiver().URL("/cms")), time.Hour))
	var aim deadlineAim
	var accepted atomic.Int64
	callsBack := func(r *kit.Run, step redline.Step) {
		var taken atomic.Int64
		callsBack(env, done(map[string]any{"decision": "approve"}), &taken)(r, step)
		accepted.Add(taken.Load())
		aim.learn(step.StepID, taken.Load() == 1)
	}
	ends := oneOutcome(t, n.contest(env, definition, timeOver(env, &aim), callsBack), "yes", "no", "late")
	require.Equal(t, n.times, ends["completed"]+ends["breached"])
	require.Equal(t, accepted.Load(), int64(ends["completed"]), "what was accepted counted")
	require.GreaterOrEqual(t, ends["breached"], n.wins, "the race is one, aimed at %s", aim.after)
	require.GreaterOrEqual(t, ends["completed"], n.wins, "the race is one, aimed at %s", aim.after)
}

package workflow

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// A worker that dies while it sends: those who were reached get no second mail, the one
// whom the host had in its hands at most one more, under the same id.
func TestNotificationOfAWorkerThatDiesWhileSending(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker")
	env := isolated.NewWorkspace(api)
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	kit.MailBy(env, config)
	boxes := []string{kit.Mailbox(), kit.Mailbox(), kit.Mailbox()}
	held, release := host.HoldOnly(boxes[1])
	r := kit.Notifies(env, client.Letter("mail", "x", boxes...), kit.WithReceiver(env, "/events"))
	kit.RequireReached(t, "the host has the second mail", held)
	rows := isolated.DB()
	kit.RequireEventually(t, "two are known as reached", func() bool {
		var n int
		err := rows.QueryRow(t.Context(), `SELECT count(*) FROM step_mails WHERE class = 'ok'`).Scan(&n)
		return err == nil && n == 2
	})
	worker.Kill()
	release()
	isolated.Restart(worker)
	const hold = 5 * time.Minute // the call is begun again when its hold ends
	kit.RequireWithin(t, hold, "the step ends", func() bool {
		view, ok := r.Glance()
		return ok && view.Status == "completed"
	})
	step := r.Step("mail")
	require.Equal(t, map[string]any{"channel": "email", "delivered": 3.0, "failed": []any{}}, output(t, step))
	require.Empty(t, history(r, "step.retried"), "a call that was cut off is no failed try")
	again := lettersTo(host, boxes[1])
	require.Len(t, again, 2)
	require.Equal(t, again[0].Header.Get("Message-Id"), again[1].Header.Get("Message-Id"))
	require.Len(t, lettersTo(host, boxes[0]), 1)
	require.Len(t, lettersTo(host, boxes[2]), 1)
	isolated.AtRest()
}

// A worker that dies while Slack has the request: it is sent again as it was.
func TestNotificationToSlackOfAWorkerThatDies(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker")
	env := isolated.NewWorkspace(api)
	gate := env.Receiver().HoldFirst("/slack")
	r := kit.Notifies(env, client.Slack("tell", "x", env.Receiver().URL("/slack")))
	kit.RequireReached(t, "Slack", gate.Reached())
	worker.Kill()
	gate.Release()
	isolated.Restart(worker)
	r.Ends("completed")
	kit.CalledOnce(env, "/slack", 2)
	require.Empty(t, history(r, "step.retried"))
	isolated.AtRest()
}

// failedOnce are executions whose host was away for their first try.
func failedOnce(env *kit.Env, to ...string) []*kit.Run {
	env.T.Helper()
	runs := make([]*kit.Run, len(to))
	for i := range to {
		runs[i] = kit.Notifies(env, client.Letter("mail", "x", to[i]))
		kit.RequireEventually(env.T, "its first try has failed", func() bool { return len(history(runs[i], "step.retried")) == 1 })
	}
	return runs
}

func TestCancelStep_3_OfANotificationEndsItsTries(t *testing.T) {
	env := kit.NewWorkspace(t)
	host, config := kit.OwnHost(env)
	kit.MailBy(env, config)
	gone, later := kit.Mailbox(), kit.Mailbox()
	runs := failedOnce(env, gone, later)
	cancelStep(runs[0], "mail")
	require.NoError(t, host.Open())
	require.Equal(t, redline.ExecutionStatusCancelled, runs[0].View().Status)
	runs[1].Ends("completed")
	require.Empty(t, lettersTo(host, gone), "the other one's try came after this one's would have")
}

func TestPause_NoTryOfANotificationBegins(t *testing.T) {
	env := kit.NewWorkspace(t)
	host, config := kit.OwnHost(env)
	kit.MailBy(env, config)
	held, later := kit.Mailbox(), kit.Mailbox()
	runs := failedOnce(env, held, later)
	require.True(t, pause(runs[0]).Paused)
	require.NoError(t, host.Open())
	runs[1].Ends("completed")
	require.Empty(t, lettersTo(host, held), "the other one's try came after this one's would have")
	resume(runs[0])
	runs[0].Ends("completed")
	require.Len(t, lettersTo(host, held), 1)
}

func TestResolveStep_3_OfARunningNotification(t *testing.T) {
	env, host := posting(t)
	to := kit.Mailbox()
	held, release := host.Hold()
	r := kit.Notifies(env, client.Letter("mail", "x", to))
	kit.RequireReached(t, "the host has the mail", held)
	resolve(r, "mail", "force-complete", map[string]any{"output": map[string]any{"told": "by phone"}})
	view := r.Ends("completed")
	release()
	var data map[string]any
	require.NoError(t, json.Unmarshal(r.Events("step.completed")[0].Data, &data))
	require.Equal(t, "email", data["channel"])
	require.EqualValues(t, 0, data["delivered"])
	require.Contains(t, data, "overridden")
	require.Equal(t, "by phone", output(t, view.Steps[0])["told"])
	kit.Notifies(env, client.Letter("mail", "x", kit.Mailbox())).Ends("completed")
	require.Equal(t, view.Steps, r.View().Steps, "what came late is dropped")
}

func TestRetry_ANotificationThatFailed(t *testing.T) {
	env, host := posting(t)
	to := kit.Mailbox()
	host.RefuseRecipient(to, 550)
	r := kit.Notifies(env, client.Letter("mail", "x", to))
	r.Ends("failed")
	host.RefuseRecipient(to, 250)
	r.Retry()
	r.Ends("completed")
	require.Len(t, lettersTo(host, to), 1)
	require.Equal(t, int64(2), newestStep(r, "mail").Metadata.Attempt)
}

package tests

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// A worker that dies while it sends: those who were reached get no second mail, the one
// whom the host had in its hands at most one more, under the same id.
func TestNotificationOfAWorkerThatDiesWhileSending(t *testing.T) {
	l := newLab(t)
	api, worker := l.start("api"), l.start("worker")
	s := l.begin(api)
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	s.mailBy(config)
	boxes := []string{mailbox(), mailbox(), mailbox()}
	held, release := host.HoldOnly(boxes[1])
	r := s.notifies(client.Letter("mail", "x", boxes...), s.withReceiver("/events"))
	reached(t, "the host has the second mail", held)
	rows := l.rows()
	eventually(t, "two are known as reached", func() bool {
		var n int
		err := rows.QueryRow(t.Context(), `SELECT count(*) FROM step_mails WHERE class = 'ok'`).Scan(&n)
		return err == nil && n == 2
	})
	worker.Kill()
	release()
	l.again(worker)
	const hold = 5 * time.Minute // the call is begun again when its hold ends
	within(t, hold, "the step ends", func() bool {
		view, ok := r.glance()
		return ok && view.Status == "completed"
	})
	step := r.step("mail")
	require.Equal(t, map[string]any{"channel": "email", "delivered": 3.0, "failed": []any{}}, output(t, step))
	require.Empty(t, r.history("step.retried"), "a call that was cut off is no failed try")
	again := lettersTo(host, boxes[1])
	require.Len(t, again, 2)
	require.Equal(t, again[0].Header.Get("Message-Id"), again[1].Header.Get("Message-Id"))
	require.Len(t, lettersTo(host, boxes[0]), 1)
	require.Len(t, lettersTo(host, boxes[2]), 1)
	l.atRest()
}

// A worker that dies while Slack has the request: it is sent again as it was.
func TestNotificationToSlackOfAWorkerThatDies(t *testing.T) {
	l := newLab(t)
	api, worker := l.start("api"), l.start("worker")
	s := l.begin(api)
	gate := s.receiver().HoldFirst("/slack")
	r := s.notifies(client.Slack("tell", "x", s.receiver().URL("/slack")))
	reached(t, "Slack", gate.Reached())
	worker.Kill()
	gate.Release()
	l.again(worker)
	r.ends("completed")
	s.once("/slack", 2)
	require.Empty(t, r.history("step.retried"))
	l.atRest()
}

// failedOnce are executions whose host was away for their first try.
func (s *scene) failedOnce(to ...string) []*run {
	s.t.Helper()
	runs := make([]*run, len(to))
	for i := range to {
		runs[i] = s.notifies(client.Letter("mail", "x", to[i]))
		eventually(s.t, "its first try has failed", func() bool { return len(runs[i].history("step.retried")) == 1 })
	}
	return runs
}

func TestCancelStep_3_OfANotificationEndsItsTries(t *testing.T) {
	s := begin(t)
	host, config := s.ownHost()
	s.mailBy(config)
	gone, later := mailbox(), mailbox()
	runs := s.failedOnce(gone, later)
	runs[0].cancelStep("mail")
	require.NoError(t, host.Open())
	require.Equal(t, "cancelled", runs[0].view().Status)
	runs[1].ends("completed")
	require.Empty(t, lettersTo(host, gone), "the other one's try came after this one's would have")
}

func TestPause_NoTryOfANotificationBegins(t *testing.T) {
	s := begin(t)
	host, config := s.ownHost()
	s.mailBy(config)
	held, later := mailbox(), mailbox()
	runs := s.failedOnce(held, later)
	require.True(t, runs[0].pause().Paused)
	require.NoError(t, host.Open())
	runs[1].ends("completed")
	require.Empty(t, lettersTo(host, held), "the other one's try came after this one's would have")
	runs[0].resume()
	runs[0].ends("completed")
	require.Len(t, lettersTo(host, held), 1)
}

func TestResolveStep_3_OfARunningNotification(t *testing.T) {
	s, host := posting(t)
	to := mailbox()
	held, release := host.Hold()
	r := s.notifies(client.Letter("mail", "x", to))
	reached(t, "the host has the mail", held)
	r.resolve("mail", "force-complete", map[string]any{"output": map[string]any{"told": "by phone"}})
	view := r.ends("completed")
	release()
	var data map[string]any
	require.NoError(t, json.Unmarshal(r.events("step.completed")[0].Data, &data))
	require.Equal(t, "email", data["channel"])
	require.EqualValues(t, 0, data["delivered"])
	require.Contains(t, data, "overridden")
	require.Equal(t, "by phone", output(t, view.Steps[0])["told"])
	s.notifies(client.Letter("mail", "x", mailbox())).ends("completed")
	require.Equal(t, view.Steps, r.view().Steps, "what came late is dropped")
}

func TestRetry_ANotificationThatFailed(t *testing.T) {
	s, host := posting(t)
	to := mailbox()
	host.RefuseRecipient(to, 550)
	r := s.notifies(client.Letter("mail", "x", to))
	r.ends("failed")
	host.RefuseRecipient(to, 250)
	r.retry()
	r.ends("completed")
	require.Len(t, lettersTo(host, to), 1)
	require.Equal(t, 2, r.newest("mail").Metadata.Attempt)
}

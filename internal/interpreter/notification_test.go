package interpreter_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/interpreter"
)

func letter(id string) string {
	return fmt.Sprintf(`{"nodeId":%q,"type":"notification","config":{"channel":"email","recipients":["a@example.com"],"bodyTemplate":"x"}}`, id)
}

func slack(id string) string {
	return fmt.Sprintf(`{"nodeId":%q,"type":"notification","config":{"channel":"slack","slackTarget":"https://hooks.example.com/x","bodyTemplate":"x"}}`, id)
}

func (s *env) last(kind string) string {
	for _, e := range s.events {
		if e.Type == kind {
			return string(e.Data)
		}
	}
	return ""
}

func TestANotificationIsCalledAndGoesOn(t *testing.T) {
	s := begin(t, letter("mail")+","+mock("after"), edge("mail", "after", "always"))
	s.ask()
	require.Equal(t, interpreter.StepRunning, s.step("mail").Status)
	require.Equal(t, 60*time.Second, s.interpreter().CallLimit(s.id("mail")), "all mails together")
	s.finish("mail", interpreter.Outcome{Call: s.call("mail"), Kind: interpreter.Success, Delivered: 2, Output: []byte(`{"delivered":2}`)})
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.JSONEq(t, `{"channel":"email","delivered":2}`, s.last("step.completed"))
	require.Empty(t, s.step("mail").Decision)
	require.JSONEq(t, `{"delivered":2}`, string(s.step("mail").Output))
	require.JSONEq(t, `{"delivered":2}`, string(s.step("after").Input))
}

func TestANotificationThatReachesNobodyIsTriedAgain(t *testing.T) {
	s := begin(t, slack("tell"), "")
	s.ask()
	require.Equal(t, 10*time.Second, s.interpreter().CallLimit(s.id("tell")))
	for _, wait := range []int64{2_000, 8_000, 32_000, 128_000} {
		s.finish("tell", interpreter.Outcome{Call: s.call("tell"), Kind: interpreter.Transient, Code: "notification-slack-api-error", Message: "no"})
		require.Equal(t, s.now+wait, s.step("tell").NextTryAt)
		s.now += wait
	}
	s.finish("tell", interpreter.Outcome{Call: s.call("tell"), Kind: interpreter.Transient, Code: "notification-slack-api-error", Message: "no"})
	require.Equal(t, interpreter.Failed, s.state.Status)
	require.JSONEq(t, `{"error":{"code":"notification-slack-api-error","message":"no (after 5 tries)"},"channel":"slack","retryClass":"transient"}`, s.last("step.failed"))
}

func TestANotificationMayFailForGood(t *testing.T) {
	s := begin(t, letter("mail")+","+mock("after"), edge("mail", "after", "always"))
	s.ask()
	s.finish("mail", interpreter.Outcome{Call: s.call("mail"), Kind: interpreter.Permanent, Code: "notification-email-not-configured", Message: "off"})
	require.Equal(t, interpreter.StepFailed, s.step("mail").Status)
	require.Equal(t, interpreter.Completed, s.state.Status, "an edge took it")
	require.JSONEq(t, `{"error":{"code":"notification-email-not-configured","message":"off"},"channel":"email","retryClass":"permanent"}`, s.last("step.failed"))
}

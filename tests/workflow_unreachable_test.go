package tests

import (
	"encoding/json"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// usesUpItsTries lets an execution make all tries of its only step, which fails with a
// code. It gives the data of the event that says so.
func (r *run) usesUpItsTries(code string) string {
	r.s.t.Helper()
	r.hurry()
	view := r.ends("failed")
	require.Equal(r.s.t, []string{code, "step-failed"}, []string{view.Steps[0].Error.Code, view.FailureReason.Code})
	require.Contains(r.s.t, view.Steps[0].Error.Message, "after 5 tries")
	require.Len(r.s.t, r.history("step.retried"), 4)
	failed := r.events("step.failed")
	require.Len(r.s.t, failed, 1)
	return string(failed[0].Data)
}

func TestAgentStepFailsWhenItsTriesAreUsedUp(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.Status(503))
	s.anAgentAt("/agent")
	r := s.asksAgent(client.Agent("check", "checker"))
	require.JSONEq(t, `{"error":{"code":"agent-unreachable","message":"the agent answered 503 (after 5 tries)"}}`, r.usesUpItsTries("agent-unreachable"))
	requests := s.receiver().Requests("/agent")
	require.Len(t, requests, 5)
	for i, request := range requests {
		require.Equal(t, strconv.Itoa(i), request.Header.Get("x-svc-attempt"))
		require.Equal(t, requests[0].Header.Get("x-svc-event-id"), request.Header.Get("x-svc-event-id"))
	}
}

func TestWebhookStepFailsWhenNobodyAnswers(t *testing.T) {
	s := begin(t)
	nobody := openHole(t, func(conn net.Conn) { _ = conn.Close() })
	_, port, err := net.SplitHostPort(nobody.address)
	require.NoError(t, err)
	r := s.dispatch(s.define([]client.Node{client.Hook("call", "https://"+net.JoinHostPort(receiver.Name, port)+"/")}))
	var failed struct {
		Error      client.Reason
		HTTPStatus *int
		RetryClass string
	}
	require.NoError(t, json.Unmarshal([]byte(r.usesUpItsTries("webhook-unreachable")), &failed))
	require.Equal(t, []any{"webhook-unreachable", (*int)(nil), "transient"}, []any{failed.Error.Code, failed.HTTPStatus, failed.RetryClass})
	require.EqualValues(t, 5, nobody.taken.Load(), "a connection for each try")
	require.JSONEq(t, `{}`, string(r.step("call").Output))
}

// An address that may not be called any more is refused at the call: nothing is sent,
// nothing tried again.
func TestStepsAtAddressesThatTurnedPrivateFail(t *testing.T) {
	s, _ := beginAt(t, turnedPrivate)
	s.anAgentAt("/agent")
	for code, node := range map[string]client.Node{
		"agent-url-blocked":   client.Agent("call", "checker"),
		"webhook-url-blocked": client.Hook("call", s.receiver().URL("/hook")),
	} {
		r := s.dispatch(s.define([]client.Node{node}))
		view := r.ends("failed")
		require.Equal(t, []string{code, "step-failed"}, []string{view.Steps[0].Error.Code, view.FailureReason.Code})
		require.Contains(t, string(r.events("step.failed")[0].Data), code)
		require.Empty(t, r.history("step.retried"))
	}
	require.Empty(t, s.receiver().Requests("/agent"))
	require.Empty(t, s.receiver().Requests("/hook"))
}

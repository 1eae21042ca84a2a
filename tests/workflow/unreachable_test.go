package workflow

import (
	"encoding/json"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// usesUpItsTries lets an execution make all tries of its only step, which fails with a
// code. It returns the data of the event that says so.
func usesUpItsTries(r *kit.Run, code string) string {
	r.S.T.Helper()
	hurry(r)
	view := r.Ends("failed")
	require.Equal(r.S.T, []string{code, "step-failed"}, []string{view.Steps[0].Error.Code, view.FailureReason.Code})
	require.Contains(r.S.T, view.Steps[0].Error.Message, "after 5 tries")
	require.Len(r.S.T, history(r, "step.retried"), 4)
	failed := r.Events("step.failed")
	require.Len(r.S.T, failed, 1)
	return string(failed[0].Data)
}

func TestAgentStepFailsWhenItsTriesAreUsedUp(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.Status(503))
	anAgentAt(env, "/agent")
	r := kit.AsksAgent(env, client.Agent("check", "checker"))
	require.JSONEq(t, `{"error":{"code":"agent-unreachable","message":"the agent answered 503 (after 5 tries)"}}`, usesUpItsTries(r, "agent-unreachable"))
	requests := env.Receiver().Requests("/agent")
	require.Len(t, requests, 5)
	for i, request := range requests {
		require.Equal(t, strconv.Itoa(i), request.Header.Get("x-svc-attempt"))
		require.Equal(t, requests[0].Header.Get("x-svc-event-id"), request.Header.Get("x-svc-event-id"))
	}
}

func TestWebhookStepFailsWhenNobodyAnswers(t *testing.T) {
	env := kit.NewWorkspace(t)
	nobody := kit.OpenHole(t, 1, func(conn net.Conn) { _ = conn.Close() })
	_, port, err := net.SplitHostPort(nobody.Addresses[0])
	require.NoError(t, err)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", "https://"+net.JoinHostPort(receiver.Name, port)+"/")}))
	var failed struct {
		Error      redline.Reason
		HTTPStatus *int
		RetryClass string
	}
	require.NoError(t, json.Unmarshal([]byte(usesUpItsTries(r, "webhook-unreachable")), &failed))
	require.Equal(t, []any{"webhook-unreachable", (*int)(nil), "transient"}, []any{failed.Error.Code, failed.HTTPStatus, failed.RetryClass})
	require.EqualValues(t, 5, nobody.Taken.Load(), "a connection for each try")
	require.JSONEq(t, `{}`, string(r.Step("call").Output))
}

// An address that may not be called any more is refused at the call: nothing is sent,
// nothing tried again.
func TestStepsAtAddressesThatTurnedPrivateFail(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.TurnedPrivate)
	anAgentAt(env, "/agent")
	for code, node := range map[string]redline.NodeInput{
		"agent-url-blocked":   client.Agent("call", "checker"),
		"webhook-url-blocked": client.Hook("call", env.Receiver().URL("/hook")),
	} {
		r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{node}))
		view := r.Ends("failed")
		require.Equal(t, []string{code, "step-failed"}, []string{view.Steps[0].Error.Code, view.FailureReason.Code})
		require.Contains(t, string(r.Events("step.failed")[0].Data), code)
		require.Empty(t, history(r, "step.retried"))
	}
	require.Empty(t, env.Receiver().Requests("/agent"))
	require.Empty(t, env.Receiver().Requests("/hook"))
}

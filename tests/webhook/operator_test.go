package webhook

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// waitingView is a place where deliveries wait, as the operator's tool prints it.
type waitingView struct {
	WorkspaceID, DestinationID, Kind string
	Deliveries                       int
	NextAttemptAt                    *string
}

// waitingOf are the places of a workspace where deliveries wait.
func waitingOf(env *kit.Env) []waitingView {
	env.T.Helper()
	var found []waitingView
	require.NoError(env.T, json.Unmarshal([]byte(kit.Operate(env.T, "webhook", "pending", "--json", "--workspace", env.Workspace.ID)), &found))
	return found
}

// putOff moves what waits for an endpoint to tomorrow.
func putOff(env *kit.Env, endpointID string) {
	env.T.Helper()
	rows := env.DB()
	kit.RequireEventually(env.T, "a delivery that waits is put off", func() bool {
		tag, err := rows.Exec(env.Ctx, `UPDATE open_deliveries SET due_at = clock_timestamp() + interval '1 day' WHERE destination_id = $1 AND locked_until = '-infinity'`, endpointID)
		require.NoError(env.T, err)
		return tag.RowsAffected() == 1
	})
}

func TestOperator_SendsWhatWaitsForAnEndpointNow(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	env.Receiver().Answer("/back", receiver.Status(500))
	e := kit.EndpointAt(env, "/back", map[string]any{"uid": "desk-1"}, kit.OnlyCompleted)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	failed := kit.Attempted(env, kit.Of(e.ID), 1)[0]
	putOff(env, e.ID)
	waiting := waitingOf(env)
	require.Len(t, waiting, 1)
	require.NotNil(t, waiting[0].NextAttemptAt)
	waiting[0].NextAttemptAt = nil
	require.Equal(t, waitingView{WorkspaceID: env.Workspace.ID, DestinationID: e.ID, Kind: "endpoint", Deliveries: 1}, waiting[0])

	env.Receiver().Answer("/back", receiver.Status(200))
	tried := len(env.Receiver().Requests("/back"))
	require.JSONEq(t, `{"endpointId":"`+e.ID+`","deliveries":1}`, kit.Operate(t, "webhook", "resend", env.Workspace.ID, "desk-1", "--json"))
	arrived := env.Arrived("/back", receiver.Count(tried+1))
	require.Equal(t, failed.MessageID, arrived[tried].Header.Get("webhook-id"))
	kit.RequireEventually(t, "nothing waits", func() bool { return len(waitingOf(env)) == 0 })

	require.JSONEq(t, `{"endpointId":"`+e.ID+`","deliveries":0}`, kit.Operate(t, "webhook", "resend", env.Workspace.ID, e.ID, "--json"))
	kit.Operate(t, "webhook", "resend", env.Workspace.ID, e.ID, failed.MessageID)
	arrived = env.Arrived("/back", receiver.Count(tried+2))
	require.Equal(t, failed.MessageID, arrived[tried+1].Header.Get("webhook-id"))
	audit := kit.Audited(t, kit.Operate(t, "audit", "--json", "--workspace", env.Workspace.ID, "--operation", "admin webhook resend"))
	require.Len(t, audit, 3)
	require.Equal(t, []string{"test", e.ID}, []string{audit[0].Actor, audit[0].TargetID})
}

func TestOperator_SendsNothingToAnEndpointThatIsDisabledOrUnknown(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/off", map[string]any{"disabled": true})
	for ref, why := range map[string]string{e.ID: "the endpoint is disabled", "desk-9": "NOT_FOUND"} {
		_, err := kit.Shared.Run(t.Context(), nil, "admin", "--as", "test", "webhook", "resend", env.Workspace.ID, ref)
		require.ErrorContains(t, err, why)
	}
	other := kit.Hooked(kit.Elsewhere(env))
	_, err := kit.Shared.Run(t.Context(), nil, "admin", "--as", "test", "webhook", "resend", other.Workspace.ID, e.ID)
	require.ErrorContains(t, err, "NOT_FOUND", "an endpoint of another workspace is unknown")
	require.Empty(t, kit.Audited(t, kit.Operate(t, "audit", "--json", "--workspace", env.Workspace.ID, "--operation", "admin webhook resend")))
}

package tests

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
)

// owedView is a place where deliveries wait, as the operator's tool prints it.
type owedView struct {
	WorkspaceID, DestinationID, Kind string
	Deliveries                       int
	NextAttemptAt                    *string
}

// owed are the places of a workspace where deliveries wait.
func (s *scene) owed() []owedView {
	s.t.Helper()
	var found []owedView
	require.NoError(s.t, json.Unmarshal([]byte(operate(s.t, "webhook", "pending", "--json", "--workspace", s.workspace.ID)), &found))
	return found
}

// putOff moves what waits for an endpoint to tomorrow.
func (s *scene) putOff(endpointID string) {
	s.t.Helper()
	rows := s.rows()
	eventually(s.t, "a delivery that waits is put off", func() bool {
		tag, err := rows.Exec(s.ctx, `UPDATE open_deliveries SET due_at = clock_timestamp() + interval '1 day' WHERE destination_id = $1 AND held_until IS NULL`, endpointID)
		require.NoError(s.t, err)
		return tag.RowsAffected() == 1
	})
}

func TestOperator_SendsWhatWaitsForAnEndpointNow(t *testing.T) {
	s := begin(t).hooked()
	s.receiver().Answer("/back", receiver.Status(500))
	e := s.endpointAt("/back", map[string]any{"uid": "desk-1"}, onlyCompleted)
	s.dispatch(s.instant()).ends("completed")
	failed := s.attempted(of(e.ID), 1)[0]
	s.putOff(e.ID)
	waiting := s.owed()
	require.Len(t, waiting, 1)
	require.NotNil(t, waiting[0].NextAttemptAt)
	waiting[0].NextAttemptAt = nil
	require.Equal(t, owedView{WorkspaceID: s.workspace.ID, DestinationID: e.ID, Kind: "endpoint", Deliveries: 1}, waiting[0])

	s.receiver().Answer("/back", receiver.Status(200))
	tried := len(s.receiver().Requests("/back"))
	require.JSONEq(t, `{"endpointId":"`+e.ID+`","deliveries":1}`, operate(t, "webhook", "resend", s.workspace.ID, "desk-1", "--json"))
	arrived := s.arrived("/back", receiver.Count(tried+1))
	require.Equal(t, failed.MessageID, arrived[tried].Header.Get("webhook-id"))
	eventually(t, "nothing waits", func() bool { return len(s.owed()) == 0 })

	require.JSONEq(t, `{"endpointId":"`+e.ID+`","deliveries":0}`, operate(t, "webhook", "resend", s.workspace.ID, e.ID, "--json"))
	operate(t, "webhook", "resend", s.workspace.ID, e.ID, failed.MessageID)
	arrived = s.arrived("/back", receiver.Count(tried+2))
	require.Equal(t, failed.MessageID, arrived[tried+1].Header.Get("webhook-id"))
	audit := audited(t, operate(t, "audit", "--json", "--workspace", s.workspace.ID, "--operation", "admin webhook resend"))
	require.Len(t, audit, 3)
	require.Equal(t, []string{"story", e.ID}, []string{audit[0].Actor, audit[0].TargetID})
}

func TestOperator_SendsNothingToAnEndpointThatIsDisabledOrUnknown(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/off", map[string]any{"disabled": true})
	for ref, why := range map[string]string{e.ID: "the endpoint is disabled", "desk-9": "NOT_FOUND"} {
		_, err := shared.Run(t.Context(), nil, "admin", "--as", "story", "webhook", "resend", s.workspace.ID, ref)
		require.ErrorContains(t, err, why)
	}
	other := s.elsewhere().hooked()
	_, err := shared.Run(t.Context(), nil, "admin", "--as", "story", "webhook", "resend", other.workspace.ID, e.ID)
	require.ErrorContains(t, err, "NOT_FOUND", "an endpoint of another workspace is unknown")
	require.Empty(t, audited(t, operate(t, "audit", "--json", "--workspace", s.workspace.ID, "--operation", "admin webhook resend")))
}

package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

func TestEndpoints_SecretsSurviveARotationOfKeys(t *testing.T) {
	r := modelstest.NewRotation(t)
	w := r.Before.Create(t, "owner@example.com")
	hooksOf := func(s *modelstest.Tenants) *delivery.Endpoints { return delivery.NewEndpoints(r.DB, s.Box, 0) }
	_, err := hooksOf(r.Before).Configure(t.Context(), w.ID, modelstest.Owner(w), delivery.SettingsChange{Enabled: new(true)})
	require.NoError(t, err)
	made, err := hooksOf(r.Before).Create(t.Context(), w.ID, modelstest.Owner(w), delivery.NewEndpoint{URL: "https://hooks.example.com"})
	require.NoError(t, err)
	_, plain, err := hooksOf(r.Before).Secret(t.Context(), w.ID, modelstest.Owner(w), made.ID)
	require.NoError(t, err)
	require.NoError(t, workspace.NewRewrap(r.DB, r.During.Box, models.AllSealedColumns).Run(t.Context(), modelstest.Quiet))
	_, again, err := hooksOf(r.After).Secret(t.Context(), w.ID, modelstest.Owner(w), made.ID)
	require.NoError(t, err)
	assert.Equal(t, plain, again)
}

// However much waits for it, a deletion does not touch the waiting rows; they are
// ended in the background.
func TestLong_Endpoints_DeletingLeavesWhatWaitsToTheBackground(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e := h.endpoint(h.ws, delivery.NewEndpoint{})
	h.publish(h.ws, added("a"))
	const waiting = 100_000
	h.exec(`INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at) SELECT 'msg_' || n, $1, n, 'e', '{}', now() FROM generate_series(2, $2::integer) n`, h.ws, waiting)
	h.exec(`WITH d AS (INSERT INTO deliveries (workspace_id, destination_id, message_id) SELECT $1, $2, 'msg_' || n FROM generate_series(2, $3::integer) n RETURNING id)
		INSERT INTO open_deliveries (id, destination_id, origin, due_at) SELECT id, $2, '', now() FROM d`, h.ws, e, waiting)
	_, err := h.store.Delete(t.Context(), h.ws, h.caller, e)
	require.NoError(t, err)
	assert.Equal(t, waiting, h.Count(t, `SELECT count(*) FROM deliveries WHERE destination_id = $1 AND state = 'pending'`, e))
	assert.Equal(t, waiting, h.Count(t, `SELECT count(*) FROM deliveries d JOIN destinations k ON k.id = d.destination_id WHERE d.id <= k.cancel_id`), "all of it is to end")
	assert.Equal(t, []string{e}, <-h.woken)
}

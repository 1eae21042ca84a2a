package models_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
)

func TestEndpoints_SecretsSurviveARotationOfKeys(t *testing.T) {
	r := newRotation(t)
	w := r.before.create(t, "owner@example.com")
	hooksOf := func(s *tenants) *models.Webhooks { return models.NewWebhooks(r.db, s.box, 0) }
	_, err := hooksOf(r.before).Configure(t.Context(), w.ID, owner(w), models.WebhookChange{Enabled: new(true)})
	require.NoError(t, err)
	made, err := hooksOf(r.before).Create(t.Context(), w.ID, owner(w), models.NewEndpoint{URL: "https://hooks.example.com"})
	require.NoError(t, err)
	_, plain, err := hooksOf(r.before).Secret(t.Context(), w.ID, owner(w), made.ID)
	require.NoError(t, err)
	require.NoError(t, models.NewRewrap(r.db, r.during.box, models.AllSealedColumns).Run(t.Context(), quiet))
	_, again, err := hooksOf(r.after).Secret(t.Context(), w.ID, owner(w), made.ID)
	require.NoError(t, err)
	assert.Equal(t, plain, again)
}

// Whatever waits for it, a deletion touches the endpoint alone; the rest is done
// behind it.
func TestEndpoints_DeletingLeavesWhatWaitsToTheBackground(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e := h.endpoint(h.ws, models.NewEndpoint{})
	h.raise(h.ws, added("a"))
	const waiting = 100_000
	h.exec(`INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at) SELECT 'msg_' || n, $1, n, 'e', '{}', now() FROM generate_series(2, $2::integer) n`, h.ws, waiting)
	h.exec(`INSERT INTO deliveries (workspace_id, destination_id, origin, message_id, due_at) SELECT $1, $2, '', 'msg_' || n, now() FROM generate_series(2, $3::integer) n`, h.ws, e, waiting)
	_, err := h.store.Delete(t.Context(), h.ws, h.caller, e)
	require.NoError(t, err)
	assert.Equal(t, waiting, h.count(t, `SELECT count(*) FROM deliveries WHERE destination_id = $1 AND state = 'pending'`, e))
	assert.Equal(t, waiting, h.count(t, `SELECT count(*) FROM deliveries d JOIN destinations k ON k.id = d.destination_id WHERE d.id <= k.cut_id`), "all of it is to end")
	assert.Equal(t, []string{e}, <-h.woken)
}

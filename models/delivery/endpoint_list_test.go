package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/delivery"
)

// attempts makes so many attempts at an endpoint that ended with a class, younger than
// those that were made before.
func (h *hooks) attempts(endpointID, class string, n int) {
	h.t.Helper()
	h.exec(`INSERT INTO attempts (delivery_id, id, workspace_id, destination_id, message_id, event, attempt, cause, class, started_at, url)
		SELECT (SELECT count(*) FROM attempts) + n, 'att_' || $2 || $3 || n, $1, $2, 'msg_' || $3 || n, 'comment.add', 1, 'schedule', $3, clock_timestamp(), 'https://hooks.example.com/a'
		FROM generate_series(1, $4::integer) n`, h.ws, endpointID, class, n)
}

// attemptsRead is how many rows of attempts were read so far.
func (h *hooks) attemptsRead() (read int) {
	h.t.Helper()
	for _, conn := range h.DB.Pool.AcquireAllIdle(h.t.Context()) { // each counts for itself until told to say so
		_, err := conn.Exec(h.t.Context(), `SELECT pg_stat_force_next_flush()`)
		require.NoError(h.t, err)
		conn.Release()
	}
	return h.Count(h.t, `SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'attempts'`)
}

// A page costs the same whatever else there is: what is rare stands behind thousands of
// attempts that went otherwise, and all attempts at one endpoint are older than thousands
// at another one.
func TestAttempts_APageIsReadWithoutTheRest(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	good, bad := h.endpoint(h.ws, delivery.NewEndpoint{}), h.endpoint(h.ws, delivery.NewEndpoint{})
	const few, many = 5, 4000
	h.attempts(good, "tls", few)
	h.attempts(bad, "ok", few)
	h.attempts(good, "ok", many)
	h.attempts(bad, "timeout", many)
	h.exec(`ANALYZE attempts`)
	for _, c := range []struct {
		filter delivery.AttemptFilter
		want   int
	}{
		{delivery.AttemptFilter{EndpointID: good}, 10},
		{delivery.AttemptFilter{EndpointID: good, Class: "tls"}, few},
		{delivery.AttemptFilter{EndpointID: good, Succeeded: new(false)}, few},
		{delivery.AttemptFilter{EndpointID: good, Class: "tls", Succeeded: new(false)}, few},
		{delivery.AttemptFilter{EndpointID: bad, Class: "ok"}, few},
		{delivery.AttemptFilter{EndpointID: bad, Succeeded: new(true)}, few},
		{delivery.AttemptFilter{EndpointID: bad, Class: "timeout", Succeeded: new(true)}, 0},
	} {
		before := h.attemptsRead()
		page, err := h.store.Attempts(t.Context(), h.ws, c.filter, nil, 10)
		require.NoError(t, err)
		assert.Len(t, page.Items, c.want)
		assert.Less(t, h.attemptsRead()-before, 100, "%+v", c.filter)
	}
}

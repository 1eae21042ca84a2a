package delivery_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/modelstest"
)

// fill stores n messages, one for the endpoint and the next for nobody in turn; every
// thousandth of the endpoint's has failed.
func (h *hooks) fill(endpointID string, n int) {
	h.t.Helper()
	h.exec(`INSERT INTO destinations (id, workspace_id, kind) VALUES ($1, $2, 'endpoint')`, endpointID, h.ws)
	h.exec(`INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at)
		SELECT 'msg_' || lpad(n::text, 26, '0'), $1, n, 'comment.add', '{}', clock_timestamp() FROM generate_series(1, $2::integer) n`, h.ws, n)
	h.exec(`INSERT INTO deliveries (workspace_id, destination_id, message_id, state, class)
		SELECT $1, $2, 'msg_' || lpad(n::text, 26, '0'), CASE WHEN n % 2000 = 0 THEN 'dead' ELSE 'delivered' END, 'ok'
		FROM generate_series(2, $3::integer, 2) n`, h.ws, endpointID, n)
}

// rowsRead is how many entries of indexes and rows of tables were read of messages and
// deliveries.
func (h *hooks) rowsRead() (rows int64) {
	h.t.Helper()
	return modelstest.RowsRead(h.t, h.DB, "messages") + modelstest.RowsRead(h.t, h.DB, "deliveries")
}

// A page reads the same number of rows wherever it stands, of all messages and of
// those of an endpoint, forwards and back.
func TestMessages_2_APageReadsTheSameEverywhere(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e := h.endpoint(h.ws, delivery.NewEndpoint{})
	const messages, size = 20_000, 50
	h.fill(e, messages)
	at := func(n int, back bool) *list.TwoWayPosition {
		return &list.TwoWayPosition{ID: fmt.Sprintf("msg_%026d", n), Front: back, Back: back}
	}
	for _, f := range []delivery.MessageFilter{{}, {EndpointID: e}} {
		for _, from := range []*list.TwoWayPosition{nil, at(19_000, false), at(10_000, false), at(1_000, false), at(10, true), at(15_000, true)} {
			before := h.rowsRead()
			page, err := h.store.Messages(t.Context(), h.ws, f, false, from, size)
			require.NoError(t, err)
			require.Len(t, page.Items, size)
			assert.LessOrEqual(t, h.rowsRead()-before, int64(6*size), "%+v from %+v", f, from)
		}
	}
}

// A read that finds little stops after so many messages and leads on; nothing is left
// out on the way, in either direction.
func TestLong_Messages_AFilterThatKeepsLittleIsReadInBoundedSteps(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e := h.endpoint(h.ws, delivery.NewEndpoint{})
	const messages = 50_000
	h.fill(e, messages)
	f := delivery.MessageFilter{EndpointID: e, Status: "failed"}
	var from *list.TwoWayPosition
	var found []string
	steps := 0
	for {
		before := h.rowsRead()
		page, err := h.store.Messages(t.Context(), h.ws, f, false, from, 250)
		require.NoError(t, err)
		require.LessOrEqual(t, h.rowsRead()-before, int64(80_000))
		for _, m := range page.Items {
			found = append(found, m.ID)
			require.Equal(t, "failed", m.Deliveries[0].Status())
		}
		steps++
		require.Equal(t, from == nil, page.Prev == nil)
		if page.Next == nil {
			from = page.Prev
			break
		}
		from = page.Next
	}
	require.Len(t, found, messages/2000)
	require.Greater(t, steps, 2)
	var back []string
	for from != nil {
		page, err := h.store.Messages(t.Context(), h.ws, f, false, from, 250)
		require.NoError(t, err)
		require.NotNil(t, page.Next)
		var ids []string
		for _, m := range page.Items {
			ids = append(ids, m.ID)
		}
		back = append(ids, back...)
		from = page.Prev
	}
	require.Subset(t, found, back)
	require.Equal(t, found[:len(back)], back, "all but the last page, in the same order")
}

// Messages of one transaction have ids in the order of their sequence.
func TestMessages_AreListedInTheOrderOfTheirSequence(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	for range 20 {
		h.publish(h.ws, added("a"), added("b"), delivery.Event{Event: "webhook.test", Data: map[string]any{}})
	}
	page, err := h.store.Messages(t.Context(), h.ws, delivery.MessageFilter{}, true, nil, 100)
	require.NoError(t, err)
	require.Len(t, page.Items, 60)
	stored := h.messages(h.ws)
	for i, m := range page.Items {
		assert.Equal(t, stored[59-i].ID, m.ID)
		assert.Equal(t, stored[59-i].Body, m.Payload)
	}
}

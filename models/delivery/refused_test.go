package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// unstorable is what no text column holds.
const unstorable = "a\x00b"

// outcomesOf are outcomes of one class for all rows.
func outcomesOf(class webhook.Class, status int, rows []*delivery.Claimed) []delivery.Outcome {
	outcomes := make([]delivery.Outcome, len(rows))
	for i, row := range rows {
		outcomes[i] = delivery.Outcome{Claimed: row, Class: class, Status: status, Body: "fine"}
	}
	return outcomes
}

func TestAnOutcomeThatCannotBeStoredKeepsNoOtherBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		class  webhook.Class
		status int
		all    string
	}{
		"succeeded": {webhook.OK, 200, "delivered ok"},
		"failed":    {webhook.ServerError, 500, "pending http-5xx"},
	} {
		p := newPost(t)
		p.endpoint(hook, nil)
		p.endpoint(otherHook, nil)
		p.enqueue(hook, 2, "schedule")
		p.enqueue(otherHook, 1, "schedule")
		outcomes := append(outcomesOf(c.class, c.status, p.claimEndpoint(hook).Rows), outcomesOf(c.class, c.status, p.claimEndpoint(otherHook).Rows)...)
		outcomes[1].Body = unstorable
		did, err := p.Record(t.Context(), outcomes)
		require.NoError(t, err, name)
		assert.Equal(t, 3, did.Kept, name)
		assert.Equal(t, map[string]int{c.all: 2}, p.states(hook), "%s: nobody sends it again", name)
		assert.Equal(t, map[string]int{c.all: 1}, p.states(otherHook), name)
		assert.Zero(t, p.number(`SELECT count(*) FROM open_deliveries WHERE locked_until > '-infinity'`), name)
		assert.Len(t, p.attempts(hook), 1, "%s: the other has its own", name)
		assert.Len(t, p.attempts(otherHook), 1, name)
		if c.class != webhook.OK {
			assert.Equal(t, 3, p.number(`SELECT count(*) FROM deliveries JOIN open_deliveries USING (id) WHERE round = 1 AND due_at > clock_timestamp()`), "by the schedule")
		}
	}
}

// A row that takes not even its class is left to its hold, alone.
func TestAnOutcomeWithoutAClassThatCanBeStoredKeepsNoOtherBack(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 2, "schedule")
	outcomes := outcomesOf(webhook.OK, 200, p.claimEndpoint(hook).Rows)
	outcomes[0].Class = unstorable
	did, err := p.Record(t.Context(), outcomes)
	require.NoError(t, err)
	assert.Equal(t, 1, did.Kept)
	assert.Equal(t, map[string]int{"delivered ok": 1, "sending": 1}, p.states(hook))
}

package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hastened makes what waits for an endpoint due.
func (p *post) hastened(endpointID string) int {
	p.t.Helper()
	made, err := p.MakeDue(p.t.Context(), endpointID)
	require.NoError(p.t, err)
	return made
}

func TestAllThatWaitsForADestinationIsMadeDue(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	const other = "ep_other"
	p.endpoint(hook, nil)
	p.endpoint(other, nil)
	p.enqueue(hook, 2500, "schedule")
	p.enqueue(other, 1, "schedule")
	p.exec(`UPDATE open_deliveries SET due_at = due_at + interval '1 day'`)
	p.exec(`UPDATE open_deliveries SET locked_until = clock_timestamp() + interval '1 minute' WHERE id = (SELECT min(id) FROM open_deliveries WHERE destination_id = $1)`, hook)
	waiting, err := p.Waiting(t.Context(), sender)
	require.NoError(t, err)
	require.Len(t, waiting, 2)
	assert.Equal(t, []any{hook, "endpoint", 2500}, []any{waiting[0].DestinationID, waiting[0].Kind, waiting[0].Deliveries})
	assert.Equal(t, 2499, p.hastened(hook), "what is under way stays as it is")
	assert.Equal(t, 2499, p.number(`SELECT count(*) FROM open_deliveries WHERE destination_id = $1 AND due_at <= clock_timestamp()`, hook))
	assert.Zero(t, p.number(`SELECT count(*) FROM open_deliveries WHERE destination_id = $1 AND due_at <= clock_timestamp()`, other))
	assert.Zero(t, p.hastened(hook))
	all, err := p.Waiting(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, waiting[1].DestinationID, all[len(all)-1].DestinationID)
	none, err := p.Waiting(t.Context(), "ws_nobody")
	require.NoError(t, err)
	assert.Empty(t, none)
}

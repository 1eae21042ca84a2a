package delivery_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/modelstest"
)

// A change makes so many deliveries itself; a job makes the others, each once.
func TestAJobMakesTheRestOfTheDeliveriesOfAChange(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	const endpoints, events = 120, 90
	_, err := h.DB.Pool.Exec(t.Context(), `INSERT INTO endpoints (id, workspace_id, url)
SELECT 'ep_' || n, $1, 'https://hooks.test' FROM generate_series(1, $2) AS n`, h.ws, endpoints)
	require.NoError(t, err)
	published := make([]delivery.Event, events)
	for i := range published {
		published[i] = added("spring")
	}
	h.publish(h.ws, published...)
	count := func(table string) int { return h.Count(t, `SELECT count(*) FROM `+table) }
	require.Equal(t, delivery.MostDeliveries/endpoints*endpoints, count("deliveries"))

	j := &job.Job{}
	require.NoError(t, h.DB.Pool.QueryRow(t.Context(), `SELECT workspace_id, id, kind, input FROM jobs`).Scan(&j.WorkspaceID, &j.ID, &j.Kind, &j.Input))
	require.Equal(t, job.Fanout, j.Kind)
	require.Equal(t, 1, count("work"))
	_, err = h.DB.Pool.Exec(t.Context(), `INSERT INTO deliveries (workspace_id, destination_id, message_id)
SELECT workspace_id, 'ep_7', max(id) FROM messages GROUP BY 1`) // somebody resent one meanwhile
	require.NoError(t, err)
	for more := true; more; {
		before := count("deliveries")
		more, err = h.store.FanOutRest(t.Context(), j, 500)
		require.NoError(t, err)
		require.LessOrEqual(t, count("deliveries")-before, 500+endpoints)
	}
	require.Equal(t, endpoints*events, count("deliveries"))
	require.Equal(t, endpoints*events-1, count("open_deliveries"))
	require.Equal(t, endpoints*events, h.Count(t, `SELECT count(DISTINCT (message_id, destination_id)) FROM deliveries`))
}

func TestPublish_BodiesHaveIDsOnlyWhereTheQuotaOfTheDayIsUsedUp(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.endpoint(h.ws, delivery.NewEndpoint{})
	text := added("spring")
	text.Data = map[string]any{"annotationId": "a", "commentText": "hello"}
	h.publish(h.ws, text)
	for _, day := range []string{"current_date", "current_date - 1"} {
		_, err := h.DB.Pool.Exec(t.Context(), `INSERT INTO storage_use (workspace_id, kind, day, bytes, is_full) VALUES ($1, 'messages', `+day+`, 1, true)
ON CONFLICT (workspace_id, kind) DO UPDATE SET day = excluded.day`, h.ws)
		require.NoError(t, err)
		h.publish(h.ws, text)
	}
	var whole, truncated []bool
	for _, m := range h.messages(h.ws) {
		require.Len(t, m.To, 1)
		require.Contains(t, string(m.Body), `"annotationId":"a"`)
		whole = append(whole, strings.Contains(string(m.Body), "hello"))
		truncated = append(truncated, strings.Contains(string(m.Body), `"truncated":true`))
	}
	require.Equal(t, []bool{true, false, true}, whole)
	require.Equal(t, []bool{false, true, false}, truncated)
}

// However much each of the events of a change says, all together take so many bytes: those that follow have ids only.
func TestPublish_BodiesOfOneChangeHaveIDsOnlyBeyondSoManyBytes(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.endpoint(h.ws, delivery.NewEndpoint{})
	long := added("spring")
	long.Data = map[string]any{"annotationId": "a", "commentText": strings.Repeat("a", 200<<10)}
	h.publish(h.ws, slices.Repeat([]delivery.Event{long}, 100)...)
	whole, bytes := 0, 0
	for _, m := range h.messages(h.ws) {
		bytes += len(m.Body)
		if !strings.Contains(string(m.Body), `"truncated":true`) {
			whole++
		}
	}
	require.Equal(t, 82, whole)
	require.Less(t, bytes, 17<<20)
}

// However many events a change has, who gets them is looked up once for those that are alike. Each goes to whom it goes to by
// itself, with a number and a body of its own.
func TestPublish_WhoGetsManyEqualEventsIsAskedOnce(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	all := h.endpoint(h.ws, delivery.NewEndpoint{})
	h.endpoint(h.ws, delivery.NewEndpoint{FilterTypes: []string{"comment.add"}})
	h.endpoint(h.ws, delivery.NewEndpoint{Channels: []string{"document:spring"}})
	h.endpoint(h.ws, delivery.NewEndpoint{Channels: []string{"definition:spring"}})
	h.endpoint(h.ws, delivery.NewEndpoint{Disabled: true})
	h.simple(delivery.SimpleChange{Enabled: new(true), URL: new("https://hooks.example.com/")})
	update, aside, except, run := added("spring"), added("spring"), added("spring"), added("spring")
	update.Event, aside.Aside, except.Except, run.DefinitionID = "comment.update", true, all, "spring"
	kinds := []delivery.Event{added("spring"), added("autumn"), update, aside, except, run}
	for _, kind := range kinds {
		h.publish(h.ws, kind)
	}
	alone := h.messages(h.ws)

	events := slices.Repeat(kinds, 50)
	for i := range events {
		events[i].Data = map[string]any{"n": i}
	}
	before := modelstest.RowsRead(t, h.DB, "endpoints")
	h.publish(h.ws, events...)
	require.LessOrEqual(t, modelstest.RowsRead(t, h.DB, "endpoints")-before, int64(len(kinds)*6))
	together := h.messages(h.ws)[len(alone):]
	require.Len(t, together, len(events))
	for i, m := range together {
		as := alone[i%len(kinds)]
		require.Equal(t, as.To, m.To, i)
		require.Equal(t, []any{as.Event, as.Tags}, []any{m.Event, m.Tags}, i)
		require.Equal(t, together[0].Sequence+int64(i), m.Sequence)
		require.Contains(t, string(m.Body), fmt.Sprintf(`"n":%d,`, i))
		require.Contains(t, string(m.Body), fmt.Sprintf(`"sequence":%d`, m.Sequence))
	}
}

// A number is the time in microseconds. Should the clock go back, it rises all the same.
func TestPublish_NumbersAreTimesAndTellNothingOfOthers(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.publish(h.ws, added("a"))
	_, err := h.DB.Pool.Exec(t.Context(), `UPDATE messages SET sequence = sequence + 3600000000`) // an hour ahead
	require.NoError(t, err)
	h.publish(h.ws, added("a"), added("b"))
	other := h.workspace()
	h.on(other)
	before := time.Now().Add(-time.Minute)
	h.publish(other, added("a"))
	own := h.messages(h.ws)
	require.Equal(t, []int64{own[0].Sequence + 1, own[0].Sequence + 2}, []int64{own[1].Sequence, own[2].Sequence})
	require.WithinDuration(t, before.Add(time.Minute), time.UnixMicro(h.messages(other)[0].Sequence), time.Minute)
}

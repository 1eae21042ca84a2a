package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
)

// messagesLeft expires what is old and gives the messages that are left, with a
// star where the body is.
func (p *post) messagesLeft() []string {
	p.t.Helper()
	require.NoError(p.t, p.ExpireMessages(p.t.Context(), 30, 90, 2))
	rows, err := p.db.Pool.Query(p.t.Context(), `SELECT m.id || CASE WHEN b.message_id IS NULL THEN '' ELSE '*' END
		FROM messages m LEFT JOIN message_bodies b ON b.message_id = m.id WHERE m.event = 'comment.add' ORDER BY m.id`)
	require.NoError(p.t, err)
	defer rows.Close()
	left := []string{}
	for rows.Next() {
		var id string
		require.NoError(p.t, rows.Scan(&id))
		left = append(left, id)
	}
	return left
}

// grown makes all that there is older.
func (p *post) grown(by string) {
	p.t.Helper()
	for _, change := range []string{
		`UPDATE messages SET created_at = created_at - $1::text::interval`, `UPDATE message_bodies SET created_at = created_at - $1::text::interval`,
	} {
		p.exec(change, by)
	}
}

// A message that is still to be delivered, or is being delivered, keeps its body
// whatever its age, and is delivered with it; then both go.
func TestAnOpenDeliveryKeepsItsMessage(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.endpoint(otherHook, nil)
	p.message("msg_1_both", "comment.add", "schedule", hook, otherHook)
	p.message("msg_2_one", "comment.add", "schedule", hook)
	p.message("msg_3_nobody", "comment.add", "schedule")
	p.lock(hook)
	p.lock(otherHook)
	p.grown("31 days")
	assert.Equal(t, []string{"msg_1_both*", "msg_2_one*", "msg_3_nobody"}, p.messagesLeft(), "what waits keeps its body")
	p.grown("60 days")
	assert.Equal(t, []string{"msg_1_both*", "msg_2_one*"}, p.messagesLeft(), "and itself")
	claimed := p.claimEndpoint(hook).Rows
	require.Len(t, claimed, 2)
	assert.Equal(t, []string{"msg_1_both*", "msg_2_one*"}, p.messagesLeft(), "as does what is under way")
	for _, row := range claimed {
		assert.JSONEq(t, `{"event":"comment.add"}`, string(row.Message.Body))
	}
	p.record(webhook.OK, claimed...)
	assert.Equal(t, []string{"msg_1_both*"}, p.messagesLeft(), "one of its deliveries is open")
	p.record(webhook.ServerError, p.claimEndpoint(otherHook).Rows...)
	assert.Equal(t, []string{"msg_1_both*"}, p.messagesLeft(), "it is to be tried again")
	p.later()
	p.record(webhook.Gone, p.claimEndpoint(otherHook).Rows...)
	assert.Empty(t, p.messagesLeft())
	assert.Zero(t, p.number(`SELECT count(*) FROM deliveries WHERE message_id = ANY ('{msg_1_both,msg_2_one}')`))
	assert.Len(t, p.attempts(hook), 2, "attempts have an age of their own")
}

// changes makes rows of so many changes at two endpoints each, all of an age: a
// message, its body, two deliveries that have ended, and an attempt of each.
const changes = `
WITH m AS (
    INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at)
    SELECT 'msg_' || $2 || n, 'ws_sender', n, 'comment.add', '{document:one}', now() - $2::text::interval + n * interval '1 ms'
    FROM generate_series(1, $1::integer) n RETURNING id, created_at
), b AS (
    INSERT INTO message_bodies (message_id, workspace_id, body, created_at)
    SELECT id, 'ws_sender', convert_to(repeat(md5(id), 30), 'UTF8'), created_at FROM m
), a AS (
    INSERT INTO attempts (delivery_id, id, workspace_id, destination_id, message_id, event, attempt, cause, class, http_status, duration_ms, started_at, url)
    SELECT row_number() OVER () + (SELECT count(*) FROM attempts), 'att_' || id || e, 'ws_sender', e, id, 'comment.add', 1, 'schedule', 'ok', 200, 12, created_at, 'https://hooks.test/a'
    FROM m, unnest('{ep_hook,ep_other}'::text[]) e
)
INSERT INTO deliveries (workspace_id, destination_id, message_id, state, attempt, class, begun_at)
SELECT 'ws_sender', e, id, 'delivered', 1, 'ok', created_at FROM m, unnest('{ep_hook,ep_other}'::text[]) e`

// The oldest rows are found by their age, however many are kept.
func TestWhatIsOldIsReadWithoutTheRest(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	tx, err := p.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SET LOCAL session_replication_role = replica`) // no look at what rows refer to
	require.NoError(t, err)
	for _, kept := range []struct {
		n   int
		age string
	}{{20, "100 days"}, {5000, "1 day"}} {
		_, err = tx.Exec(t.Context(), changes, kept.n, kept.age)
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit(t.Context()))
	p.exec(`ANALYZE`)
	blocks := func(aged pg.Aged, age string) int {
		return modelstest.KeyedBlocks(t, p.db, aged.Statement(2000), []any{age, "-infinity"})
	}
	for name, aged := range delivery.Aged {
		assert.Less(t, blocks(aged, "200 days"), 20, "%s: nothing is old", name)
		assert.Less(t, blocks(aged, "90 days"), 1000, "%s: twenty changes are", name)
	}
}

// BenchmarkRetention gives how many rows a second one process removes, and of how
// many changes a second these are: each has a message, its body, two deliveries and
// an attempt of each.
func BenchmarkRetention(b *testing.B) {
	const made, rowsOfChange = 20_000, 6
	db := pgtest.New(b)
	d := delivery.New(db, nil, delivery.Rules{}, mail.DeliveryRows)
	exec := func(sql string, args ...any) {
		_, err := db.Pool.Exec(b.Context(), sql, args...)
		require.NoError(b, err)
	}
	exec(`INSERT INTO owners (id, email_key) VALUES ('own', 'own')`)
	exec(`INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
		VALUES ('ws_sender', 'own', 'n', 'n', 'e', 'o', sha256('w'), 'h', '')`)
	exec(changes, made, "1 day") // what is kept
	exec(`ANALYZE`)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		exec(changes, made, "100 days")
		b.StartTimer()
		_, err := d.ExpireAttempts(b.Context(), 90, 2000)
		require.NoError(b, err)
		require.NoError(b, d.ExpireMessages(b.Context(), 30, 90, 2000))
	}
	b.StopTimer()
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(b.N*made*rowsOfChange)/seconds, "rows/s")
	b.ReportMetric(float64(b.N*made)/seconds, "changes/s")
	b.ReportMetric(0, "ns/op")
	var left int
	require.NoError(b, db.Pool.QueryRow(b.Context(), `SELECT count(*) FROM messages`).Scan(&left))
	require.Equal(b, made, left)
}

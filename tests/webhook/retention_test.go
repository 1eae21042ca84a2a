package webhook

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// stored returns how many messages of the workspace have their bodies still.
func stored(env *kit.Env, rows *pgx.Conn) (n int) {
	env.T.Helper()
	require.NoError(env.T, rows.QueryRow(env.Ctx, `SELECT count(*) FROM messages m JOIN message_bodies b ON b.message_id = m.id
WHERE m.workspace_id = $1`, env.Workspace.ID).Scan(&n))
	return n
}

// agesIn lets so many days pass for what tables have of the workspace.
func agesIn(env *kit.Env, rows *pgx.Conn, days int, tables ...string) {
	env.T.Helper()
	for _, table := range tables {
		_, err := rows.Exec(env.Ctx, `UPDATE `+table+` SET created_at = created_at - make_interval(days => $1) WHERE workspace_id = $2`, days, env.Workspace.ID)
		require.NoError(env.T, err)
	}
}

// Payloads are kept 30 days and messages 90. One that an endpoint has not taken yet
// is kept until it has, and arrives as it was.
func TestRetention_WhatIsNotDeliveredYetStays(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.FastWebhooks)
	kit.Hooked(env).Receiver().Answer("/late", receiver.Answer{Status: 503, Header: map[string]string{"retry-after": "20"}})
	kit.EndpointAt(env, "/fine", map[string]any{"filterTypes": []string{"execution.dispatched"}})
	e := kit.EndpointAt(env, "/late", map[string]any{"filterTypes": []string{"execution.completed"}})
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.Heard(env, "/fine", 1)
	late := kit.Attempted(env, kit.Of(e.ID), 1)[0]
	rows := env.DB()
	require.Greater(t, stored(env, rows), 1)
	agesIn(env, rows, 91, "messages", "message_bodies")
	kit.RequireEventually(t, "what was delivered goes", func() bool { return stored(env, rows) == 1 })
	env.Receiver().Answer("/late", receiver.Status(200))
	kit.RequireEventually(t, "the endpoint takes it", func() bool { return kit.Attempts(env, kit.Of(e.ID)).Attempts[0].Status == "succeeded" })
	requests := env.Receiver().Requests("/late")
	first, last := requests[0], requests[len(requests)-1]
	require.Equal(t, late.MessageID, last.Header.Get("webhook-id"))
	require.Equal(t, string(first.Body), string(last.Body))
}

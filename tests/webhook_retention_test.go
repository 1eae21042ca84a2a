package tests

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
)

// stored returns how many messages of the workspace have their bodies still.
func (s *scene) stored(rows *pgx.Conn) (n int) {
	s.t.Helper()
	require.NoError(s.t, rows.QueryRow(s.ctx, `SELECT count(*) FROM messages m JOIN message_bodies b ON b.message_id = m.id
WHERE m.workspace_id = $1`, s.workspace.ID).Scan(&n))
	return n
}

// agesIn lets so many days pass for what tables have of the workspace.
func (s *scene) agesIn(rows *pgx.Conn, days int, tables ...string) {
	s.t.Helper()
	for _, table := range tables {
		_, err := rows.Exec(s.ctx, `UPDATE `+table+` SET created_at = created_at - make_interval(days => $1) WHERE workspace_id = $2`, days, s.workspace.ID)
		require.NoError(s.t, err)
	}
}

// Payloads are kept 30 days and messages 90. One that an endpoint has not taken yet
// is kept until it has, and arrives as it was.
func TestRetention_WhatIsNotDeliveredYetStays(t *testing.T) {
	s, _ := beginAt(t, fastWebhooks)
	s.hooked().receiver().Answer("/late", receiver.Answer{Status: 503, Header: map[string]string{"retry-after": "20"}})
	s.endpointAt("/fine", map[string]any{"filterTypes": []string{"execution.dispatched"}})
	e := s.endpointAt("/late", map[string]any{"filterTypes": []string{"execution.completed"}})
	s.dispatch(s.instant()).ends("completed")
	s.heard("/fine", 1)
	late := s.attempted(of(e.ID), 1)[0]
	rows := s.rows()
	require.Greater(t, s.stored(rows), 1)
	s.agesIn(rows, 91, "messages", "message_bodies")
	eventually(t, "what was delivered goes", func() bool { return s.stored(rows) == 1 })
	s.receiver().Answer("/late", receiver.Status(200))
	eventually(t, "the endpoint takes it", func() bool { return s.attempts(of(e.ID)).Attempts[0].Status == "succeeded" })
	requests := s.receiver().Requests("/late")
	first, last := requests[0], requests[len(requests)-1]
	require.Equal(t, late.MessageID, last.Header.Get("webhook-id"))
	require.Equal(t, string(first.Body), string(last.Body))
}

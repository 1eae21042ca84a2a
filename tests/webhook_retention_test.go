package tests

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
)

// stored gives how many messages have their bodies still.
func stored(t *testing.T, rows *pgx.Conn) (n int) {
	t.Helper()
	require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM messages m JOIN message_bodies b ON b.message_id = m.id`).Scan(&n))
	return n
}

// Payloads are kept 30 days and messages 90. One that an endpoint has not taken yet
// is kept until it has, and arrives as it was.
func TestRetention_WhatIsNotDeliveredYetStays(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	often := "REDLINE_WEBHOOK_SCHEDULE=" + strings.TrimSuffix(strings.Repeat("2s,", 100), ",")
	worker := l.start("worker", often)
	s.receiver().Answer("/late", receiver.Status(500))
	s.endpointAt("/fine", map[string]any{"filterTypes": []string{"execution.dispatched"}})
	e := s.endpointAt("/late", map[string]any{"filterTypes": []string{"execution.completed"}})
	s.dispatch(s.instant()).ends("completed")
	s.heard("/fine", 1)
	late := s.attempted(of(e.ID), 1)[0]
	worker.Kill()

	rows := l.rows()
	require.Greater(t, stored(t, rows), 1)
	for _, table := range []string{"messages", "message_bodies"} {
		_, err := rows.Exec(t.Context(), `UPDATE `+table+` SET created_at = created_at - interval '91 days'`)
		require.NoError(t, err)
	}
	l.start("worker", often)
	eventually(t, "what was delivered goes", func() bool { return stored(t, rows) == 1 })
	s.receiver().Answer("/late", receiver.Status(200))
	eventually(t, "the endpoint takes it", func() bool { return s.attempts(of(e.ID)).Attempts[0].Status == "succeeded" })
	requests := s.receiver().Requests("/late")
	first, last := requests[0], requests[len(requests)-1]
	require.Equal(t, late.MessageID, last.Header.Get("webhook-id"))
	require.Equal(t, string(first.Body), string(last.Body))
}

package kit

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// DB opens a connection to the isolated stack's database, past its proxy.
func (isolated *IsolatedStack) DB() *pgx.Conn {
	isolated.T.Helper()
	conn, err := pgx.Connect(isolated.T.Context(), isolated.DatabaseURL)
	require.NoError(isolated.T, err)
	isolated.T.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// AuditRow is a row as `redline admin audit --json` prints it.
type AuditRow struct {
	ID            string   `json:"id"`
	At            string   `json:"at"`
	WorkspaceID   string   `json:"workspaceId"`
	Actor         string   `json:"actor"`
	IP            string   `json:"ip"`
	Operation     string   `json:"operation"`
	TargetID      string   `json:"targetId"`
	ChangedFields []string `json:"changedFields"`
	RequestID     string   `json:"requestId"`
	Outcome       string   `json:"outcome"`
}

// Audited returns the rows that `redline admin audit --json` printed.
func Audited(t *testing.T, printed string) []AuditRow {
	t.Helper()
	var rows []AuditRow
	require.NoError(t, json.Unmarshal([]byte(printed), &rows), printed)
	return rows
}

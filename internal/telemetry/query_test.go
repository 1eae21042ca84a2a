package telemetry

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestStatementsAreNamedByWhatTheyDo(t *testing.T) {
	for statement, want := range map[string]string{
		`SELECT a FROM executions WHERE id = $1`:                                                 "select executions",
		"\n\tINSERT INTO rate_buckets AS b (bucket) VALUES ($1) ON CONFLICT DO UPDATE SET x = 1": "insert rate_buckets",
		`UPDATE "workspaces" SET name = 'x'`:                                                     "update workspaces",
		`DELETE FROM rate_uses WHERE id = 1`:                                                     "delete rate_uses",
		`WITH l AS (SELECT 1 FROM destinations) UPDATE deliveries SET state = $1`:                "select destinations",
		`SELECT pg_advisory_xact_lock(1)`:                                                        "select",
		`begin`:                                                                                  "begin",
		`-- ping`:                                                                                "other",
		`vacuum`:                                                                                 "other",
	} {
		require.Equal(t, want, nameOf(statement), statement)
	}
}

func TestStatementsAreTimed(t *testing.T) {
	m := NewMetrics()
	timer := NewQueryTimer(m)
	for range 2 {
		timer.TraceQueryEnd(timer.TraceQueryStart(t.Context(), nil, pgx.TraceQueryStartData{SQL: "SELECT 1 FROM x"}), nil, pgx.TraceQueryEndData{})
	}
	timer.TraceBatchEnd(timer.TraceBatchStart(t.Context(), nil, pgx.TraceBatchStartData{}), nil, pgx.TraceBatchEndData{})
	timer.TraceQueryEnd(t.Context(), nil, pgx.TraceQueryEndData{})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Contains(t, w.Body.String(), `redline_db_query_seconds_count{query="select x"} 2`)
	require.Contains(t, w.Body.String(), `redline_db_query_seconds_count{query="batch"} 1`)
}

package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/redline-svc/redline/internal/telemetry"
)

func TestOnlyListedFieldsAreLogged(t *testing.T) {
	var out bytes.Buffer
	log := telemetry.NewLogger(&out, slog.LevelInfo, "api")
	log.Info("x", "operation", "/v2/x", "token", "hunter2", "email", "a@b.c", "error", errors.New("why"),
		slog.Group("request", "operation", "hunter3"))
	log.With("secret", "hunter4").WithGroup("g").Info("y", "status", "hunter5")
	log.Debug("hunter6")
	require.NotContains(t, out.String(), "hunter")
	require.NotContains(t, out.String(), "a@b.c")
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(out.String(), "\n", 2)[0]), &line))
	require.Equal(t, "/v2/x", line["operation"])
	require.Equal(t, "why", line["error"])
	require.Equal(t, "api", line["role"])
	require.NotEmpty(t, line["version"])
}

func TestTheLinterOfLogCallsKnowsTheList(t *testing.T) {
	config, err := os.ReadFile("../../.golangci.yml")
	require.NoError(t, err)
	var linters struct {
		Linters struct {
			Settings struct {
				Sloglint struct {
					Keys []string `yaml:"allowed-keys"`
				} `yaml:"sloglint"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	require.NoError(t, yaml.Unmarshal(config, &linters))
	keys := linters.Linters.Settings.Sloglint.Keys
	require.Greater(t, len(keys), 20)
	for _, key := range keys {
		var out bytes.Buffer
		telemetry.NewLogger(&out, slog.LevelInfo, "api").Info("x", key, "hunter2")
		require.Contains(t, out.String(), "hunter2", key)
	}
}

func TestMetricsHaveThePublishedNames(t *testing.T) {
	m := telemetry.NewMetrics()
	end := m.Operation("/v2/x").Begin()
	text := scrape(t, m)
	require.Contains(t, text, "redline_http_in_flight 1")
	end("OK")
	m.AuthFailure("key")
	m.RateLimited("workspace")
	m.Dependency("postgres", true)
	m.WebhookMessages.WithLabelValues("comment.add").Inc()
	m.WebhookAttempts.WithLabelValues("ok").Inc()
	m.WebhookAttemptSeconds.Observe(1)
	m.FirstAttemptLag.Observe(1)
	m.OverdueFound.WithLabelValues("execution").Inc()
	m.ExpiredLocks.WithLabelValues("job").Inc()
	m.ActivitiesFailing.WithLabelValues("execution.call").Set(1)
	m.EgressRefused.WithLabelValues("private").Inc()
	m.NotificationsDropped.Inc()
	m.EmailSends.WithLabelValues("mention", "sent").Inc()
	m.JobsEnded.WithLabelValues("migration", "failed").Inc()
	m.QueueRows.WithLabelValues("execution").Set(2)
	m.QueueOldest.WithLabelValues("execution").Set(2)
	m.SecretRows.WithLabelValues("a").Set(2)
	m.QuerySeconds.WithLabelValues("x").Observe(1)
	text = scrape(t, m)
	for _, want := range []string{
		"redline_http_in_flight 0", `redline_http_requests_total{operation="/v2/x",status="OK"} 1`,
		`redline_http_request_seconds_count{operation="/v2/x"} 1`, `redline_auth_failures_total{level="key"} 1`,
		`redline_rate_limited_total{limit="workspace"} 1`, `redline_dependency_up{name="postgres"} 1`, "redline_build_info{version=",
		"redline_webhook_messages_total", "redline_webhook_attempts_total", "redline_webhook_attempt_seconds_count",
		"redline_webhook_first_attempt_lag_seconds_count", "redline_overdue_found_total", "redline_queue_expired_locks_total", "redline_egress_refused_total", "redline_email_sends_total", "redline_notifications_dropped_total 1",
		"redline_db_query_seconds_count", "redline_queue_rows", "redline_queue_oldest_seconds", "redline_webhook_pending",
		"redline_webhook_oldest_pending_seconds", "redline_webhook_throttled_origins", "redline_secret_rows",
		`redline_activities_failing{activity="execution.call"} 1`, `redline_jobs_ended_total{kind="migration",state="failed"} 1`,
	} {
		require.Contains(t, text, want)
	}
	extra := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "redline_extra", Help: "One more."}, func() float64 { return 3 })
	require.NoError(t, m.Register(extra))
	require.Error(t, m.Register(extra), "a name is taken once")
}

func scrape(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestTraceIDsExistWithoutACollector(t *testing.T) {
	require.Empty(t, telemetry.TraceID(t.Context()))
	flush, err := telemetry.StartTracing(t.Context(), "", 0.05, "api")
	require.NoError(t, err)
	ctx, span := telemetry.Tracer().Start(t.Context(), "x")
	require.Len(t, telemetry.TraceID(ctx), 32)
	require.False(t, span.IsRecording())
	span.End()
	require.NoError(t, flush(context.Background()))
	flush, err = telemetry.StartTracing(t.Context(), "http://127.0.0.1:1", 1, "api")
	require.NoError(t, err, "a collector that is away does not stop the start")
	_, span = telemetry.Tracer().Start(t.Context(), "x")
	require.True(t, span.IsRecording())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, flush(ended), "what could not be sent is said")
}

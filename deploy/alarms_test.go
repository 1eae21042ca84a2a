package deploy_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/redline-svc/redline/internal/telemetry"
)

// Prometheus takes an alarm on a metric that nobody shows, and it never fires.
func TestEveryAlarmIsOnAMetricOfTheService(t *testing.T) {
	text, err := os.ReadFile("alarms.yml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	shown := shownMetrics()
	named := regexp.MustCompile(`redline_[a-z_]+`)
	alarms := map[string]bool{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			require.False(t, alarms[rule.Alert], "%s is there twice", rule.Alert)
			alarms[rule.Alert] = true
			require.NotEmpty(t, rule.Annotations.Summary, rule.Alert)
			metrics := named.FindAllString(rule.Expr, -1)
			require.NotEmpty(t, metrics, rule.Alert)
			for _, metric := range metrics {
				require.Regexp(t, `(?m)^# TYPE `+metric+` `, shown, rule.Alert)
			}
		}
	}
	require.True(t, alarms["RedlineActivitiesFailing"])
}

// shownMetrics is what a process shows that has counted something of each kind.
func shownMetrics() string {
	m := telemetry.NewMetrics()
	m.ActivitiesFailing.WithLabelValues("execution.call").Set(1)
	m.QueueOldest.WithLabelValues("execution").Set(1)
	m.OverdueFound.WithLabelValues("execution").Inc()
	m.EmailSends.WithLabelValues("mention", "waits").Inc()
	m.Dependency("postgres", true)
	m.Operation("/v2/x").Begin()("INTERNAL")
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

package deploy_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/redline-svc/redline/internal/telemetry"
)

// rule is what is read of an alarm.
type rule struct {
	Alert, Expr string
	Annotations struct{ Summary, Description string }
}

func alarms(t *testing.T) (all []rule) {
	t.Helper()
	text, err := os.ReadFile("alarms.yml")
	require.NoError(t, err)
	var file struct{ Groups []struct{ Rules []rule } }
	require.NoError(t, yaml.Unmarshal(text, &file))
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// Prometheus takes an alarm on a metric that nobody shows, and it never fires.
func TestEveryAlarmIsOnAMetricOfTheService(t *testing.T) {
	shown, seen := shownMetrics(t), map[string]bool{}
	for _, alarm := range alarms(t) {
		require.False(t, seen[alarm.Alert], "%s is there twice", alarm.Alert)
		seen[alarm.Alert] = true
		require.NotEmpty(t, alarm.Annotations.Summary, alarm.Alert)
		requireShown(t, shown, alarm.Alert, alarm.Expr)
	}
	require.True(t, seen["RedlineActivitiesFailing"])
}

// The page for operators says of each alarm what to do, and of none that is not there.
func TestEveryAlarmIsExplained(t *testing.T) {
	page := strings.Join(lines(t, "../docs/operate.md"), "\n")
	var named, there []string
	for _, found := range regexp.MustCompile("(?m)^\\| `(Redline\\w+)` \\|").FindAllStringSubmatch(page, -1) {
		named = append(named, found[1])
	}
	for _, alarm := range alarms(t) {
		there = append(there, alarm.Alert)
	}
	require.Equal(t, there, named, "in one order")
}

// A panel on a metric or label that nobody shows stays empty, and nobody knows why.
func TestEveryPanelIsOnAMetricOfTheService(t *testing.T) {
	text, err := os.ReadFile("grafana/redline.json")
	require.NoError(t, err)
	var dashboard struct {
		UID    string
		Panels []struct {
			ID      int
			Title   string
			Type    string
			Targets []struct{ Expr, RefID string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	shown, panels := shownMetrics(t), map[int]bool{}
	var all strings.Builder
	for _, panel := range dashboard.Panels {
		require.False(t, panels[panel.ID], "%d is there twice", panel.ID)
		panels[panel.ID] = true
		require.Equal(t, panel.Type == "row", len(panel.Targets) == 0, panel.Title)
		for _, target := range panel.Targets {
			requireShown(t, shown, panel.Title, target.Expr)
			all.WriteString(target.Expr)
		}
	}
	for name := range shown {
		require.Regexp(t, `\b`+name+`(_bucket)?\b`, all.String(), "every metric has its place on the dashboard")
	}
}

var (
	metricName = regexp.MustCompile(`redline_[a-z_]+`)
	selectors  = regexp.MustCompile(`\{([^}]*)\}`)
	selector   = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	grouping   = regexp.MustCompile(`(?:by|on) \(([^)]*)\)`)
)

// requireShown requires that the metrics of an expression are shown, with the labels in it.
func requireShown(t *testing.T, shown map[string][]string, of, expr string) {
	t.Helper()
	names := metricName.FindAllString(expr, -1)
	require.NotEmpty(t, names, of)
	known := []string{"le", "instance"} // of a histogram, and Prometheus' own
	for _, name := range names {
		labels, is := shown[regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")]
		require.True(t, is, "%s: %s", of, name)
		known = append(known, labels...)
	}
	for _, found := range selectors.FindAllStringSubmatch(expr, -1) {
		for _, label := range selector.FindAllStringSubmatch(found[1], -1) {
			require.Contains(t, known, label[1], of)
		}
	}
	for _, found := range grouping.FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(found[1], ",") {
			require.Contains(t, known, strings.TrimSpace(label), of)
		}
	}
}

var description = regexp.MustCompile(`fqName: "(redline_[a-z_]+)".*variableLabels: \{([^}]*)\}`)

// shownMetrics are the names of what a process shows, each with its labels.
func shownMetrics(t *testing.T) map[string][]string {
	t.Helper()
	m := telemetry.NewMetrics()
	require.NoError(t, m.Register(telemetry.PoolInUse(func() float64 { return 0 })))
	descriptions := make(chan *prometheus.Desc, 1000)
	m.Describe(descriptions)
	close(descriptions)
	shown := map[string][]string{}
	for d := range descriptions {
		if found := description.FindStringSubmatch(d.String()); found != nil {
			shown[found[1]] = slices.DeleteFunc(strings.Split(found[2], ","), func(label string) bool { return label == "" })
		}
	}
	require.Contains(t, shown, "redline_http_requests_total")
	return shown
}

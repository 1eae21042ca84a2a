package platform

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// leastSeries is what the test below must be counted as, at least.
var leastSeries = map[string]float64{
	`redline_http_requests_total{operation="/v2/workflow/executions/dispatch",status="OK"}`:  1,
	`redline_http_requests_total{operation="/v2/workspace/get",status="RESOURCE_EXHAUSTED"}`: 1,
	`redline_http_request_seconds_count{operation="/v2/workflow/executions/dispatch"}`:       1,
	`redline_auth_failures_total{level="key"}`:                                               1,
	`redline_rate_limited_total{limit="workspace"}`:                                          1,
	`redline_rate_limited_total{limit="endpoint-test"}`:                                      1,
	`redline_rate_limited_total{limit="create"}`:                                             1,
	`redline_webhook_messages_total{event="execution.completed"}`:                            2,
	`redline_webhook_attempts_total{class="ok"}`:                                             3,
	`redline_webhook_attempts_total{class="refused-by-policy"}`:                              3,
	`redline_webhook_attempts_total{class="gone"}`:                                           1,
	`redline_webhook_endpoints_disabled_total{reason="gone"}`:                                1,
	`redline_webhook_attempt_seconds_count`:                                                  7,
	`redline_webhook_first_attempt_lag_seconds_count`:                                        7,
	`redline_email_sends_total{result="sent",template="mention"}`:                            1,
	`redline_dependency_up{name="postgres"}`:                                                 2,
	`redline_dependency_up{name="temporal"}`:                                                 1,
	`redline_db_query_seconds_count{query="batch"}`:                                          1,
}

// shownSeries are there whatever their value, positiveFamilies have one above
// nothing under some label.
var (
	shownSeries = []string{
		"redline_http_in_flight", "redline_db_pool_in_use", "redline_webhook_pending", "redline_webhook_oldest_pending_seconds",
		"redline_webhook_throttled_origins", `redline_queue_rows{kind="execution"}`, `redline_queue_rows{kind="delivery"}`,
		`redline_queue_oldest_seconds{kind="execution"}`, `redline_queue_oldest_seconds{kind="delivery"}`,
		`redline_queue_rows{kind="version"}`, `redline_queue_oldest_seconds{kind="version"}`,
		`redline_queue_rows{kind="overdue"}`, `redline_queue_oldest_seconds{kind="overdue"}`,
		`redline_queue_rows{kind="pattern"}`, `redline_queue_oldest_seconds{kind="pattern"}`,
		`redline_queue_rows{kind="rested"}`, `redline_queue_oldest_seconds{kind="rested"}`,
		`redline_queue_rows{kind="judgment"}`, `redline_queue_oldest_seconds{kind="judgment"}`,
		`redline_queue_rows{kind="schedule"}`, `redline_queue_oldest_seconds{kind="schedule"}`,
		`redline_queue_rows{kind="job"}`, `redline_queue_oldest_seconds{kind="job"}`,
	}
	positiveFamilies = []string{"redline_egress_refused_total{rule=", "redline_secret_rows{key_id=", "redline_build_info{version="}
)

// What operators are told to watch is counted where it happens: calls and
// refusals, deliveries to receivers and endpoints, mails, what waits in rows,
// the parts that are used.
func TestMetrics_AreFedByWhatHappens(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api", "REDLINE_RATE_WORKSPACE_PER_MIN=3", "REDLINE_RATE_CREATE_PER_HOUR=1")
	env := kit.Hooked(isolated.NewWorkspace(api))
	kit.MailBy(env, map[string]any{})
	kit.EndpointAt(env, "/endpoint")
	env.Receiver().Answer("/gone", receiver.Status(410))
	kit.EndpointAt(env, "/gone", kit.OnlyCompleted)
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/receiver"))
	to := kit.Mailbox()
	kit.Mention(env, "bob", to)
	require.False(t, kit.Opens(t, kit.KeySession(env.Keyed, env.Workspace.APIKey, "kat_wrong")))
	kit.RequireEventually(t, "the limit of the workspace is reached", func() bool {
		reply, err := env.Owner.Send(t.Context(), "/v2/"+client.GetWorkspace, []byte(`{"data":{}}`), nil)
		require.NoError(t, err)
		return reply.HTTP == http.StatusTooManyRequests
	})
	tested := kit.Endpoint(env, env.Receiver().URL("/tested"), map[string]any{"disabled": true})
	kit.RequireEventually(t, "the limit of tests is reached", func() bool {
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.TestEndpoint, kit.Of(tested.ID))
		return redline.AsError(err) != nil
	})
	kit.Declined(t, client.Public(api.URL), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("o"))}, "RESOURCE_EXHAUSTED", "ip-limit")
	// This worker may call endpoints, and no receiver of an execution.
	worker := isolated.StartProcess("worker", "REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS=")
	r.Ends("completed")
	r.Delivery("execution.completed", "refused", kit.Has("refused"))
	kit.Heard(env, "/endpoint", len(r.Events()))
	kit.Mails(env, to, 1)

	kit.RequireEventually(t, "all is counted", func() bool {
		missing := uncounted(kit.Scrape(t, api.Ops, worker.Ops))
		if missing != "" {
			t.Logf("not yet: %s", missing)
		}
		return missing == ""
	})
}

// uncounted returns a series that the test should be counted as and is not, or
// not enough.
func uncounted(seen map[string]float64) string {
	for series, least := range leastSeries {
		if seen[series] < least {
			return series
		}
	}
	for _, series := range shownSeries {
		if _, shown := seen[series]; !shown {
			return series
		}
	}
	for _, family := range positiveFamilies {
		total := 0.0
		for series, value := range seen {
			if strings.HasPrefix(series, family) {
				total += value
			}
		}
		if total <= 0 {
			return family
		}
	}
	return ""
}

package api_test

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestUsage_SaysWhatTheWorkspaceHasAndMay(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_QUOTA_FILES_FREE=1000", "REDLINE_QUOTA_ROWS_FREE=0", "REDLINE_MAX_ENDPOINTS=7", "REDLINE_RATE_KEY_PER_MIN=5000")
	kit.Dispatch(env, kit.SignOff(env))
	found := kit.Asked[redline.Usage](t, env.Keyed, client.GetUsage, map[string]any{})
	require.Equal(t, redline.UsagePlanFree, found.Plan)
	require.NotEmpty(t, found.AsOf)
	has, may := map[string]int64{}, map[string]*int64{}
	var kinds []string
	for _, item := range found.Items {
		kinds = append(kinds, string(item.Kind))
		has[string(item.Kind)], may[string(item.Kind)] = max(item.Used, item.UsedBytes), cmp.Or(item.Limit, item.LimitBytes)
	}
	require.Equal(t, []string{"files", "rows", "messages", "mails", "endpoints", "keysTesting", "keysProduction", "sources", "liveExecutions"}, kinds)
	require.Equal(t, []int64{0, 1, 0, 1}, []int64{has["files"], has["keysTesting"], has["sources"], has["liveExecutions"]})
	require.Positive(t, has["rows"])
	require.EqualValues(t, 1000, *may["files"])
	require.Nil(t, may["rows"], "there is no limit")
	require.EqualValues(t, 7, *may["endpoints"])
	require.EqualValues(t, 100, *may["mails"], "those by the operator's relay")
	for _, rate := range found.Rates {
		if rate.Class == "key" {
			require.EqualValues(t, 5000, *rate.LimitPerMin)
		}
	}
	require.NotEmpty(t, found.Rates)
}

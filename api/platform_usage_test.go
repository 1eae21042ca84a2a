package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// usage is what usage/get answers.
type usage struct {
	Plan  string `json:"plan"`
	AsOf  string `json:"asOf"`
	Items []struct {
		Kind       string `json:"kind"`
		Used       *int64 `json:"used"`
		Limit      *int64 `json:"limit"`
		UsedBytes  *int64 `json:"usedBytes"`
		LimitBytes *int64 `json:"limitBytes"`
	} `json:"items"`
	Rates []struct {
		Class       string `json:"class"`
		LimitPerMin *int64 `json:"limitPerMin"`
	} `json:"rates"`
}

func TestUsage_SaysWhatTheWorkspaceHasAndMay(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_QUOTA_FILES_FREE=1000", "REDLINE_QUOTA_ROWS_FREE=0", "REDLINE_MAX_ENDPOINTS=7", "REDLINE_RATE_KEY_PER_MIN=5000")
	kit.Dispatch(env, kit.SignOff(env))
	found := kit.Asked[usage](t, env.Keyed, client.GetUsage, map[string]any{})
	require.Equal(t, "free", found.Plan)
	require.NotEmpty(t, found.AsOf)
	has, may := map[string]int64{}, map[string]*int64{}
	var kinds []string
	for _, item := range found.Items {
		kinds = append(kinds, item.Kind)
		if item.UsedBytes != nil {
			require.Nil(t, item.Used)
			has[item.Kind], may[item.Kind] = *item.UsedBytes, item.LimitBytes
			continue
		}
		has[item.Kind], may[item.Kind] = *item.Used, item.Limit
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

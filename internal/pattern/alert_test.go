package pattern_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/pattern"
)

// today is the day of the tests.
var today = time.Date(2026, 6, 1, 15, 0, 0, 0, time.UTC)

// judged are n judgments of reviewers in turn, each about a document of its own, some days ago.
func judged(from, n, daysAgo int, approves bool, reviewers ...string) []pattern.Member {
	all := make([]pattern.Member, n)
	for i := range all {
		m := approval(from+i, reviewers[i%len(reviewers)], 0)
		m.Approves, m.CreatedAt, m.DocumentID, m.Reasoning = approves, today.AddDate(0, 0, -daysAgo), fmt.Sprint("d", from+i), "It has no source. At all."
		all[i] = m
	}
	return all
}

// raised are the alerts among judgments.
func raised(t *testing.T, wide bool, members ...[]pattern.Member) (alerts []pattern.Alert) {
	t.Helper()
	var all []pattern.Member
	for _, some := range members {
		all = append(all, some...)
	}
	_, err := new(pattern.Detector).Detect(context.Background(), all, pattern.Scope{
		WorkspaceWide: wide, Now: today, Alert: func(a pattern.Alert) { alerts = append(alerts, a) },
	})
	require.NoError(t, err)
	return alerts
}

func TestAlerts_1_APracticeThatHasTurned(t *testing.T) {
	t.Parallel()
	before, now := judged(10, 10, 200, true, "user/ann", "user/bob"), judged(30, 10, 10, false, "user/ann", "user/bob")
	found := raised(t, false, before, now)
	require.Len(t, found, 1)
	a := found[0]
	require.Equal(t, []any{pattern.Drift, pattern.High, "approvalRate", 1.0, 0.0}, []any{a.Type, a.Severity, a.Metric, a.Baseline, a.Current})
	require.Equal(t, "0 of 10 approved in the last 90 days, 10 of 10 before. It has no source.", a.Description)
	require.Equal(t, "2026-03-03 2026-06-01", a.Start.Format(time.DateOnly)+" "+a.End.Format(time.DateOnly))
	require.Len(t, a.Sources, 5)
	require.Len(t, a.Members, 20)
	require.Equal(t, found, raised(t, false, now, before), "the same judgments, the same alerts")
	require.Empty(t, raised(t, true, before, now), "one organization is not the workspace")

	for name, c := range map[string]struct {
		members  [][]pattern.Member
		severity string
	}{
		"moved, the same majority": {[][]pattern.Member{before, judged(30, 3, 10, false, "user/ann"), judged(50, 5, 10, true, "user/bob")}, pattern.Low},
		"moved too little":         {[][]pattern.Member{before, judged(30, 2, 10, false, "user/ann"), judged(50, 8, 10, true, "user/bob")}, ""},
		"two votes now":            {[][]pattern.Member{before, judged(30, 2, 10, false, "user/ann")}, ""},
		"divided before":           {[][]pattern.Member{before, judged(60, 6, 200, false, "user/ann"), now}, ""},
		"the same day counts":      {[][]pattern.Member{before, judged(30, 10, 90, false, "user/ann")}, pattern.High},
		"a day too old":            {[][]pattern.Member{before, judged(30, 10, 91, false, "user/ann")}, ""},
	} {
		found := raised(t, false, c.members...)
		if c.severity == "" {
			require.NotContains(t, types(found), pattern.Drift, name)
			continue
		}
		require.Equal(t, c.severity, found[0].Severity, name)
	}
}

func types(alerts []pattern.Alert) (all []string) {
	for _, a := range alerts {
		all = append(all, a.Type)
	}
	return all
}

func TestAlerts_3_AReviewerAgainstAPattern(t *testing.T) {
	t.Parallel()
	others := judged(10, 20, 10, true, "user/ann", "user/bob", "user/joe")
	found := raised(t, false, others, judged(50, 5, 10, false, "user/eve"))
	require.Len(t, found, 1)
	a := found[0]
	require.Equal(t, []any{pattern.Anomaly, pattern.Medium, "eve", "enforcementRate", 1.0, 0.0, 0}, []any{a.Type, a.Severity, a.ReviewerID, a.Metric, a.Baseline, a.Current, a.Pattern})
	require.Equal(t, pattern.High, raised(t, false, append(others, judged(70, 20, 10, true, "user/max")...), judged(50, 10, 10, false, "user/eve"))[0].Severity)
	require.Empty(t, raised(t, false, others, judged(50, 4, 10, false, "user/eve")), "four votes are too few")
	require.Empty(t, raised(t, false, others, judged(50, 5, 10, false, "agent/x")), "an agent is no reviewer to talk to")
	require.NotContains(t, types(raised(t, false, others, judged(50, 5, 100, false, "user/eve"))), pattern.Anomaly, "long ago")
}

// A hundred reviewers who decide against the others are as many alerts, and each would name all judgments.
func TestAlerts_ThatAreManyAreTheGravestOfAFewMembers(t *testing.T) {
	t.Parallel()
	all := [][]pattern.Member{judged(1000, 1800, 10, true, "user/ann", "user/bob", "user/joe")}
	for n := range 100 {
		all = append(all, judged(5000+10*n, 5, 10, false, fmt.Sprintf("user/against%d", n)))
	}
	all = append(all, judged(9000, 10, 10, false, "user/gravest"))
	found := raised(t, false, all...)
	require.Len(t, found, pattern.MostAlerts)
	require.Equal(t, []any{pattern.High, "gravest"}, []any{found[0].Severity, found[0].ReviewerID})
	for _, a := range found {
		require.Len(t, a.Members, 200)
		require.True(t, slices.IsSorted(a.Members))
		require.True(t, pattern.Overlaps(a.Members, found[0].Members))
	}
}

func TestAlerts_ANewKindOfItem(t *testing.T) {
	t.Parallel()
	found := raised(t, false, judged(10, 3, 10, true, "user/ann"), judged(20, 3, 10, false, "user/bob"))
	require.Len(t, found, 1)
	require.Equal(t, []any{pattern.Emerging, pattern.Medium, "volume", 0.0, 6.0}, []any{found[0].Type, found[0].Severity, found[0].Metric, found[0].Baseline, found[0].Current})
	require.Equal(t, pattern.Low, raised(t, false, judged(10, 4, 10, true, "user/ann"), judged(20, 2, 10, false, "user/bob"))[0].Severity)
	require.Empty(t, raised(t, false, judged(10, 3, 10, true, "user/ann"), judged(20, 3, 10, false, "user/ann")), "one reviewer alone")
	require.NotContains(t, types(raised(t, false, judged(10, 3, 100, true, "user/ann"), judged(20, 3, 10, false, "user/bob"))), pattern.Emerging, "not new")
}

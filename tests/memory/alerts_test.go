package memory

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// alerts are those of a status.
func alerts(env *kit.Env, status string) (list []redline.Alert) {
	env.T.Helper()
	env.Call(client.ListAlerts, map[string]any{"status": status}, &list)
	return list
}

// longAgo makes a judgment old enough to be compared with those of today.
func longAgo() map[string]any {
	return map[string]any{"createdAt": time.Now().AddDate(0, 0, -200).UnixMilli()}
}

// turnedRound has ten people approve long ago what ten others reject now, each about a document of its own.
func turnedRound(env *kit.Env) {
	env.T.Helper()
	kit.Record(env, kit.Listed(append(opinions(0, 10, "approve", longAgo()), opinions(10, 10, "reject")...)...))
}

func TestAlerts_1and2_OnceInManyRunsAndNotAgainAfterItIsDismissed(t *testing.T) {
	env := kit.NewWorkspace(t)
	turnedRound(env)
	for range 3 {
		detected(env)
	}
	active := alerts(env, "active")
	require.Len(t, active, 1)
	require.Equal(t, []any{redline.AlertAlertTypeStandardsDrift, redline.AlertSeverityHigh, 1.0, 0.0}, []any{active[0].AlertType, active[0].Severity, active[0].Evidence.Baseline, active[0].Evidence.Current})
	for range 2 {
		env.Call(client.DismissAlert, map[string]any{"alertId": active[0].ID, "user": map[string]any{"uid": "chief"}}, nil)
	}
	detected(env)
	require.Empty(t, alerts(env, "active"))
	dismissed := alerts(env, "dismissed")
	require.Len(t, dismissed, 1)
	require.Equal(t, []string{active[0].ID, "chief"}, []string{dismissed[0].ID, *dismissed[0].DismissedBy})
	env.RefusedAs("NOT_FOUND", client.DismissAlert, map[string]any{"alertId": "alr_none"})
	env.RefusedAs("NOT_FOUND", client.ActOnAlert, map[string]any{"alertId": "alr_none"})
	require.Empty(t, alerts(kit.Elsewhere(env), "dismissed"))
}

func TestAlerts_2_OneThatHasEndedAndHoldsAgainIsAnother(t *testing.T) {
	env := kit.NewWorkspace(t)
	then := kit.Listed(opinions(0, 10, "approve", longAgo())...)
	before := kit.Record(env, then)
	kit.Record(env, kit.Listed(opinions(10, 10, "reject")...))
	detected(env)
	first := alerts(env, "active")
	require.Len(t, first, 1)
	ids := make([]string, len(before))
	for i, judgment := range before {
		ids[i] = judgment.RecordID
	}
	kit.Forget(env, ids...)
	detected(env)
	require.Empty(t, alerts(env, "active"), "nothing is known of before")
	ended := alerts(env, "ended")
	require.Len(t, ended, 1)
	require.Equal(t, first[0].ID, ended[0].ID)
	kit.Record(env, then)
	detected(env)
	again := alerts(env, "active")
	require.Len(t, again, 1)
	require.NotEqual(t, first[0].ID, again[0].ID)
	require.Len(t, alerts(env, "ended"), 1)
	for range 2 {
		env.Call(client.ActOnAlert, map[string]any{"alertId": again[0].ID}, nil)
	}
	require.Equal(t, again[0].ID, alerts(env, "actioned")[0].ID)
}

func TestAlerts_3_WhoDecidesAgainstAllOthersIsNamed(t *testing.T) {
	env := kit.NewWorkspace(t)
	against := opinions(20, 5, "reject", map[string]any{"actionUser": map[string]any{"userId": "contrary"}})
	kit.Record(env, kit.Listed(append(opinions(0, 20, "approve"), against...)...))
	detected(env)
	found := alerts(env, "active")
	require.Len(t, found, 1)
	require.Equal(t, redline.AlertAlertTypeAnomaly, found[0].AlertType)
	require.Equal(t, "contrary", *found[0].ReviewerID)
	require.NotNil(t, found[0].Evidence.PatternID)
}

func TestAlerts_4_SwitchedOffNoneIsMade(t *testing.T) {
	env := kit.NewWorkspace(t)
	turnedRound(env)
	detected(env)
	require.Len(t, alerts(env, "active"), 1)
	env.Call(client.UpdateAlertConfig, map[string]any{"config": map[string]any{"enabled": false}}, nil)
	against := opinions(40, 5, "approve", map[string]any{"actionUser": map[string]any{"userId": "contrary"}, "organizationId": "apex"})
	kit.Record(env, kit.Listed(append(opinions(20, 20, "reject", map[string]any{"organizationId": "apex"}), against...)...))
	detected(env)
	require.Len(t, alerts(env, "active"), 1, "the old one is read, none is new")
	env.Call(client.UpdateAlertConfig, map[string]any{"config": map[string]any{"enabled": true}}, nil)
	detected(env)
	require.Greater(t, len(alerts(env, "active")), 1)
}

func TestAlerts_5_AnOrganizationHasNoWordOfAnother(t *testing.T) {
	env := kit.NewWorkspace(t)
	from := map[string]string{}
	for n, organization := range []string{"acme", "bolt"} {
		of := kit.With(kit.Because(organization+" says so. See the policy."), map[string]any{"organizationId": organization})
		turned := append(opinions(20*n, 10, "approve", longAgo(), of), opinions(20*n+10, 10, "reject", of)...)
		for _, judgment := range kit.Record(env, kit.Listed(turned...)) {
			from[judgment.RecordID] = organization
		}
	}
	detected(env)
	for _, organization := range []string{"acme", "bolt"} {
		var found []redline.Alert
		env.Call(client.ListAlerts, map[string]any{"organizationId": organization}, &found)
		require.Len(t, found, 1)
		require.Equal(t, organization, *found[0].OrganizationID)
		require.Contains(t, found[0].Description, organization+" says so.")
		require.NotEmpty(t, found[0].Evidence.SourceRecordIds)
		for _, id := range found[0].Evidence.SourceRecordIds {
			require.Equal(t, organization, from[id])
		}
	}
}

func TestAlerts_6_OfTwentyTheThreeGravestAreRaised(t *testing.T) {
	env := kit.NewWorkspace(t)
	var all []map[string]any
	for n := range 20 {
		of := map[string]any{"organizationId": fmt.Sprintf("org%02d", n)}
		all = append(all, opinions(6*n, 3, "approve", longAgo(), of)...)
		// In most organizations one of three rejects today; in three of them all do.
		against := 1
		if n%7 == 0 {
			against = 3
		}
		all = append(all, opinions(6*n+3, against, "reject", of)...)
		all = append(all, opinions(6*n+3+against, 3-against, "approve", of)...)
	}
	for some := range slices.Chunk(all, 60) {
		kit.Record(env, kit.Listed(some...))
	}
	detected(env)
	var of []string
	for _, alert := range alerts(env, "active") {
		require.Equal(t, redline.AlertSeverityHigh, alert.Severity)
		of = append(of, *alert.OrganizationID)
	}
	require.ElementsMatch(t, []string{"org00", "org07", "org14"}, of)
	detected(env)
	require.Len(t, alerts(env, "active"), 3, "the rest waits")
	env.Call(client.UpdateAlertConfig, map[string]any{"config": map[string]any{"maxAlertsPerWeek": 5, "severityThreshold": "high"}}, nil)
	detected(env)
	require.Len(t, alerts(env, "active"), 3, "the others are less grave than is wanted")
	env.Call(client.UpdateAlertConfig, map[string]any{"config": map[string]any{"severityThreshold": "low"}}, nil)
	detected(env)
	require.Len(t, alerts(env, "active"), 5)
}

func TestConsolidation_7_AHundredTriggersAreOneRun(t *testing.T) {
	env := kit.NewWorkspace(t)
	turnedRound(env)
	kit.Remembers(env)
	var scheduled atomic.Int64
	kit.Concurrently(100, func(int) {
		begun, err := client.Call[redline.Consolidation](env.Ctx, env.Keyed, client.TriggerConsolidation, map[string]any{})
		if failure := redline.AsError(err); failure != nil {
			assert.Equal(t, redline.ErrorDetailsReasonConsolidationRecent, failure.Reason)
		} else if begun.Status == redline.ConsolidationStatusScheduled {
			scheduled.Add(1)
		}
	})
	require.Equal(t, int64(1), scheduled.Load())
	kit.RequireWithin(t, kit.IngestionTime, "the alert is there", func() bool { return len(alerts(env, "active")) == 1 })
	rows := env.DB()
	require.True(t, meets(env, rows, `count(*) = 1 FROM jobs WHERE workspace_id = $1 AND kind = 'detection'`))
}

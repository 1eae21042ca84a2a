package pattern_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/modelstest"
	patterns "github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/workspace"
)

func daysAgo(n int) func(*modelstest.Review) {
	return func(r *modelstest.Review) { r.Age = time.Duration(n) * 24 * time.Hour }
}

// turned are judgments of a practice that has turned.
func turned(prefix string, change ...func(*modelstest.Review)) []modelstest.Review {
	before := alike(prefix+"b", 10, append(change, daysAgo(200))...)
	return append(before, alike(prefix+"n", 10, append(change, daysAgo(10), rejecting)...)...)
}

// alerts returns the alerts of a status.
func (d *desk) alerts(status string) []patterns.Alert {
	d.t.Helper()
	found, err := d.Alerts(d.t.Context(), modelstest.Workspace, "", status)
	require.NoError(d.t, err)
	return found
}

func (d *desk) setAlerts(c patterns.AlertChange) {
	d.t.Helper()
	_, err := d.SetAlerts(d.t.Context(), modelstest.Workspace, workspace.Caller{WorkspaceID: modelstest.Workspace, Operation: "x"}, c)
	require.NoError(d.t, err)
}

func TestAlerts_1and2_OnceInManyRunsAndNotAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(turned("a")...)
	for range 10 {
		d.detect()
	}
	active := d.alerts(patterns.AlertActive)
	require.Len(t, active, 1)
	require.Equal(t, []string{pattern.Drift, pattern.High}, []string{active[0].Type, active[0].Severity})
	for range 2 {
		known, err := d.Settle(t.Context(), modelstest.Workspace, active[0].ID, patterns.AlertDismissed, "ann")
		require.NoError(t, err)
		require.True(t, known)
	}
	d.detect()
	require.Empty(t, d.alerts(patterns.AlertActive), "dismissed, it does not come back")
	dismissed := d.alerts(patterns.AlertDismissed)
	require.Len(t, dismissed, 1)
	require.Equal(t, "ann", *dismissed[0].DismissedBy)
	require.NotNil(t, dismissed[0].DismissedAt)
	known, err := d.Settle(t.Context(), modelstest.Workspace, "alr_none", patterns.AlertActioned, "")
	require.NoError(t, err)
	require.False(t, known)
}

func TestAlerts_2_EndedAndTrueAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(turned("a")...)
	d.detect()
	first := d.alerts(patterns.AlertActive)
	require.Len(t, first, 1)
	d.exec(`UPDATE judgments SET created_at = created_at - interval '250 days' WHERE record_id LIKE 'ab%'`)
	d.detect()
	require.Empty(t, d.alerts(patterns.AlertActive))
	require.Equal(t, first[0].ID, d.alerts(patterns.AlertEnded)[0].ID)
	d.exec(`UPDATE judgments SET created_at = created_at + interval '250 days' WHERE record_id LIKE 'ab%'`)
	d.detect()
	again := d.alerts(patterns.AlertActive)
	require.Len(t, again, 1)
	require.NotEqual(t, first[0].ID, again[0].ID)
	d.exec(`DELETE FROM judgments`)
	d.detect()
	require.Empty(t, append(d.alerts(patterns.AlertActive), d.alerts(patterns.AlertEnded)...), "what quotes a judgment that is gone goes")
}

func TestAlerts_AreKeptForAYear(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(turned("a")...)
	d.detect()
	first := d.alerts(patterns.AlertActive)[0].ID
	for _, c := range []struct {
		age  string
		kept bool
	}{{"364 days", true}, {"366 days", false}} {
		d.exec(`UPDATE alerts SET created_at = clock_timestamp() - $1::interval WHERE id = $2`, c.age, first)
		d.detect()
		require.Equal(t, c.kept, d.alerts(patterns.AlertActive)[0].ID == first, c.age)
	}
}

func TestAlerts_4_SwitchedOff(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(turned("a")...)
	d.detect()
	d.setAlerts(patterns.AlertChange{Enabled: new(false)})
	d.review(turned("b", elsewhere)...)
	d.detect()
	require.Len(t, d.alerts(patterns.AlertActive), 1, "the old one is read, none is new")
	d.setAlerts(patterns.AlertChange{Enabled: new(true), Kinds: []string{pattern.Anomaly}})
	d.detect()
	require.Len(t, d.alerts(patterns.AlertActive), 1)
}

func TestAlerts_5_OneOrganizationHasNoWordOfAnother(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	saying := func(text string) func(*modelstest.Review) { return func(r *modelstest.Review) { r.Reasoning = text } }
	d.review(turned("a", in("acme"), saying("Alpha alone."))...)
	d.review(turned("b", in("bolt"), elsewhere, saying("Beta alone."))...)
	d.detect()
	found, err := d.Alerts(t.Context(), modelstest.Workspace, "acme", patterns.AlertActive)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Contains(t, found[0].Description, "Alpha")
	require.NotContains(t, fmt.Sprint(found[0]), "Beta")
	require.NotContains(t, fmt.Sprint(found[0].Members, found[0].Sources), "bb")
	require.Len(t, d.alerts(patterns.AlertActive), 2)
}

func TestAlerts_6_TheThreeGravest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for n := range 20 {
		organization := fmt.Sprintf("org%02d", n)
		// Of most organizations the new practice is divided; of three it has turned round.
		now := alike(fmt.Sprintf("%02dn", n), 10, in(organization), daysAgo(10))
		for i := range now {
			if n%7 == 0 || i%2 == 0 {
				now[i].Decision = "reject"
			}
		}
		d.review(append(alike(fmt.Sprintf("%02db", n), 10, in(organization), daysAgo(200)), now...)...)
	}
	d.detect()
	active := d.alerts(patterns.AlertActive)
	require.Len(t, active, 3)
	for _, a := range active {
		require.Equal(t, pattern.High, a.Severity)
	}
	d.detect()
	require.Len(t, d.alerts(patterns.AlertActive), 3, "the rest waits")
	d.setAlerts(patterns.AlertChange{Weekly: new(5)})
	d.detect()
	require.Len(t, d.alerts(patterns.AlertActive), 5)
}

func TestAlerts_6_TheGravestOfManyScopes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 1)...)
	j := d.opened()
	require.Nil(t, d.next(j))
	d.exec(`INSERT INTO pattern_scopes (workspace_id, organization_key, content_type, fingerprint, alerts)
SELECT $1, n / 2, CASE n % 2 WHEN 1 THEN 'workflow' END, n, format('[{"type":"emerging_standard","severity":"%s","votes":%s,"medoid":"a00","members":["m%s"]}]',
       CASE WHEN n / 2 IN (70, 700, 1400) THEN 'high' ELSE 'low' END, n / 2, n / 2)::json
FROM generate_series(2, 4001) n`, modelstest.Workspace)
	for range 2 {
		require.Nil(t, d.next(j))
		require.True(t, d.answers(`SELECT count(*) = 3 AND bool_and(severity = 'high' AND content_type IS NULL AND status = 'active' AND organization_key IN (70, 700, 1400)) FROM alerts`),
			"each once, and again none")
	}
	d.exec(`UPDATE pattern_scopes SET alerts = NULL WHERE organization_key = 700`)
	require.Nil(t, d.next(j))
	require.True(t, d.answers(`SELECT count(*) FILTER (WHERE status = 'ended' AND organization_key = 700) = 1 AND count(*) FILTER (WHERE status = 'active') = 2 FROM alerts`))
}

func TestConsolidation_7_ManyTriggersOneRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 5)...)
	var mu sync.Mutex
	counts := map[string]int{}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			status, _, err := d.Trigger(t.Context(), modelstest.Workspace, false)
			if err != nil {
				status = fault.From(err).ReasonOrDefault()
			}
			mu.Lock()
			counts[status]++
			mu.Unlock()
		})
	}
	all.Wait()
	require.Equal(t, map[string]int{patterns.RunScheduled: 1, "consolidation-recent": 99}, counts)
	require.Equal(t, 1, d.begin())
	status, last, err := d.Trigger(t.Context(), modelstest.Workspace, true)
	require.NoError(t, err)
	require.Equal(t, patterns.RunRunning, status)
	require.Nil(t, last)
	d.finish(d.open())
	status, last, err = d.Trigger(t.Context(), modelstest.Workspace, false)
	require.NoError(t, err)
	require.Equal(t, patterns.RunUnchanged, status)
	require.NotNil(t, last)
}

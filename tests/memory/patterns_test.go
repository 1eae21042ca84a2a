package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// patterns are all that the workspace is shown.
func patterns(env *kit.Env) (list []redline.Pattern) {
	env.T.Helper()
	env.Call(client.GetPatterns, map[string]any{}, &list)
	return list
}

// rest lets the time pass for which changes of judgments are gathered, and that for which
// what is gone is kept from the index, until the index has what was recorded and patterns
// are due.
func rest(env *kit.Env, rows *pgx.Conn) {
	env.T.Helper()
	kit.RequireWithin(env.T, kit.Patience, "the index has the judgments", func() bool {
		_, err := rows.Exec(env.Ctx, `UPDATE work SET run_at = run_at - interval '1 minute' WHERE kind = 'removed-judgment' AND workspace_id = $1`, env.Workspace.ID)
		require.NoError(env.T, err)
		return meets(env, rows, `NOT EXISTS (SELECT FROM judgment_index WHERE workspace_id = $1 AND NOT indexed)`)
	})
	passMinute(env, rows)
}

// passMinute lets the minute pass for which changes of judgments are gathered.
func passMinute(env *kit.Env, rows *pgx.Conn) {
	env.T.Helper()
	_, err := rows.Exec(env.Ctx, `UPDATE work SET run_at = run_at - interval '1 minute' WHERE kind IN ('pattern', 'rested') AND key = $1`, env.Workspace.ID)
	require.NoError(env.T, err)
}

// meets is whether a condition is met by the rows of the workspace $1.
func meets(env *kit.Env, rows *pgx.Conn, condition string) (met bool) {
	env.T.Helper()
	require.NoError(env.T, rows.QueryRow(env.Ctx, `SELECT `+condition, env.Workspace.ID).Scan(&met))
	return met
}

// noDetection is met when patterns were looked for among all that has changed.
const noDetection = `NOT EXISTS (SELECT FROM work WHERE kind IN ('pattern', 'rested') AND key = $1 AND run_at <= clock_timestamp())
	AND NOT EXISTS (SELECT FROM jobs WHERE workspace_id = $1 AND kind = 'detection' AND ended_at IS NULL)`

// detected looks for patterns among all that was recorded so far, and returns those that
// are found.
func detected(env *kit.Env) []redline.Pattern {
	env.T.Helper()
	kit.Remembers(env)
	rows := env.DB()
	kit.Operate(env.T, "patterns", "detect", "--workspace", env.Workspace.ID)
	kit.RequireWithin(env.T, kit.Patience, "the patterns are looked for", func() bool { return meets(env, rows, noDetection) })
	return patterns(env)
}

// in keeps the patterns of all content in an organization.
func patternsIn(all []redline.Pattern, organizationID string) []redline.Pattern {
	return slices.DeleteFunc(slices.Clone(all), func(p redline.Pattern) bool {
		return p.ContentType != nil || p.OrganizationID == "" || p.OrganizationID != organizationID
	})
}

// overTheCap is why judgments of these tests reject, and by whom each is made.
const overTheCap = "Liability must be capped at the yearly fees. See the policy."

// opinions are judgments about liability, each by a reviewer of its own about a document
// of its own, from the one with that number on.
func opinions(from, count int, decision string, more ...map[string]any) []map[string]any {
	list := make([]map[string]any, count)
	for i := range list {
		n := from + i
		list[i] = kit.About(fmt.Sprint("reviewer-", n), decision, kit.Liability, append([]map[string]any{on(fmt.Sprint("d", n)), kit.Because(overTheCap)}, more...)...)
	}
	return list
}

func TestPatterns_1and8_ThreePeopleAreAPatternAndTwoAreNot(t *testing.T) {
	env := kit.NewWorkspace(t)
	require.NotNil(t, patterns(env))
	require.Empty(t, patterns(env), "there are no judgments")
	kit.Record(env, kit.Listed(opinions(0, 2, "rejected")...))
	require.Empty(t, detected(env))
	recorded := kit.Record(env, kit.Listed(opinions(2, 1, "declined", map[string]any{"category": "Liability"})...))
	all := detected(env)
	require.Len(t, all, 2, "of all content and of its type, and none of the workspace's")
	found := patternsIn(all, "acme")[0]
	require.Regexp(t, "^pat_", found.PatternID)
	require.Contains(t, found.TopSourceRecordIds, recorded[0].RecordID)
	require.Len(t, found.TopSourceRecordIds, 3)
	require.NotZero(t, found.DiscoveredAt)
	require.Equal(t, found.DiscoveredAt, found.UpdatedAt)
	acme := "acme"
	require.Equal(t, redline.Pattern{
		PatternID: found.PatternID, Scope: "org", OrganizationID: acme, Decision: "reject", Description: found.Description, Category: "Liability",
		Confidence: 0.438, EnforcementRate: 1, SourceCount: 3, UniqueReviewers: 3, TopSourceRecordIds: found.TopSourceRecordIds,
		DiscoveredAt: found.DiscoveredAt, UpdatedAt: found.UpdatedAt,
	}, found)
	require.True(t, strings.HasPrefix(found.Description, "Usually rejected (3 of 3): Liability must be capped at the yearly fees."), found.Description)
	require.Equal(t, len(patterns(env)), kit.Stats(env)[2], "and they are counted")
	stranger := kit.Elsewhere(env)
	require.Empty(t, patterns(stranger))
}

func TestPatterns_2_TenByOnePersonOnOneDocumentAreNone(t *testing.T) {
	env := kit.NewWorkspace(t)
	for range 10 {
		kit.Record(env, kit.About("ann", "reject", kit.Liability, on("d"), kit.Because(overTheCap)))
	}
	require.Empty(t, detected(env))
}

func TestPatterns_3and4_RunAgainNothingChangesAndWhatJoinsKeepsTheID(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Record(env, kit.Listed(opinions(0, 19, "reject")...))
	before := detected(env)
	require.Len(t, before, 2)
	require.Equal(t, before, detected(env))
	kit.Record(env, kit.Listed(opinions(19, 1, "reject")...))
	was, joined := patternsIn(before, "acme")[0], patternsIn(detected(env), "acme")[0]
	require.Equal(t, was.PatternID, joined.PatternID)
	require.Equal(t, was.DiscoveredAt, joined.DiscoveredAt)
	require.Greater(t, joined.UpdatedAt, was.UpdatedAt)
	require.Greater(t, joined.Confidence, was.Confidence)
	require.Equal(t, int64(20), joined.SourceCount)
	require.Len(t, joined.TopSourceRecordIds, 5)
}

func TestPatterns_5_DeletingAPersonTakesWhatRestedOnThem(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Call(client.AddUsers, map[string]any{"organizationId": "acme", "createOrganization": true, "users": []any{map[string]any{"userId": "reviewer-0"}}}, nil)
	kit.Record(env, kit.Listed(opinions(0, 3, "reject")...))
	require.Len(t, patternsIn(detected(env), "acme"), 1)
	env.Call(client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"reviewer-0"}}, nil)
	forgets(env, "reviewer-0")
	require.Empty(t, detected(env))
}

// forgets waits until the judgments of a user who left are removed, which marks the patterns
// that rested on them.
func forgets(env *kit.Env, user string) {
	env.T.Helper()
	rows := env.DB()
	kit.RequireWithin(env.T, kit.Patience, "their judgments are removed", func() bool {
		return meets(env, rows, `NOT EXISTS (SELECT FROM judgments WHERE workspace_id = $1 AND user_id = '`+user+`')`)
	})
}

// What rested on a person's judgments goes while the index is away, and the index follows
// when it is back. Other patterns stay as they are, with the category of the rule that is
// nearest.
func TestPatterns_5_DoNotWaitForTheIndex(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	index, searches := kit.BeforePart(t, "REDLINE_WEAVIATE_ADDR"), kit.BeforePart(t, "REDLINE_WEAVIATE_GRPC_ADDR")
	env := isolated.NewWorkspace(isolated.StartProcess("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr(), "REDLINE_WEAVIATE_GRPC_ADDR="+searches.Addr()))
	kit.BroughtIn(env, kit.Ingest(env, "# Liability\n\n"+overTheCap+"\n"), "completed")
	env.Call(client.AddUsers, map[string]any{"organizationId": "acme", "createOrganization": true, "users": []any{map[string]any{"userId": "reviewer-0"}}}, nil)
	kit.Record(env, kit.Listed(append(opinions(0, 3, "reject"), opinions(3, 3, "reject", map[string]any{"organizationId": "apex"})...)...))
	rows := isolated.DB()
	rest(env, rows)
	kit.RequireWithin(t, kit.Patience, "the patterns are found", func() bool { return len(patterns(env)) == 6 })
	index.Down()
	searches.Down()
	before := patternsIn(patterns(env), "apex")
	require.Equal(t, "Liability", before[0].Category)
	env.Call(client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"reviewer-0"}}, nil)
	forgets(env, "reviewer-0")
	passMinute(env, rows)
	kit.RequireWithin(t, kit.Patience, "the pattern goes", func() bool { return len(patternsIn(patterns(env), "acme")) == 0 })
	kit.RequireWithin(t, kit.Patience, "the patterns are looked for", func() bool { return meets(env, rows, noDetection) })
	require.Equal(t, before, patternsIn(patterns(env), "apex"))
	require.True(t, meets(env, rows, `EXISTS (SELECT FROM judgment_index WHERE workspace_id = $1 AND NOT indexed)`), "the index has the judgment")
	require.NoError(t, index.Up())
	require.NoError(t, searches.Up())
	rest(env, rows)
	report, err := isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, []int{5, 0, 0}, []int{report.Judgments, report.Missing, report.Surplus})
	isolated.AtRest()
}

func TestPatterns_6_APracticeThatTurnsIsAnotherPattern(t *testing.T) {
	env := kit.NewWorkspace(t)
	then := map[string]any{"createdAt": time.Now().Add(-300 * 24 * time.Hour).UnixMilli()}
	kit.Record(env, kit.Listed(opinions(0, 3, "approve", then)...))
	old := patternsIn(detected(env), "acme")
	require.Len(t, old, 1)
	require.Equal(t, redline.PatternDecisionApprove, old[0].Decision)
	kit.Record(env, kit.Listed(opinions(3, 12, "reject")...))
	turned := patternsIn(detected(env), "acme")
	require.Len(t, turned, 1)
	require.Equal(t, redline.PatternDecisionReject, turned[0].Decision)
	require.NotEqual(t, old[0].PatternID, turned[0].PatternID)
	require.Greater(t, turned[0].DiscoveredAt, old[0].DiscoveredAt)
}

func TestPatterns_7_AnOrganizationsPatternsHaveNoWordsOfAnother(t *testing.T) {
	env := kit.NewWorkspace(t)
	word := map[string]string{"acme": "Quillwort", "bolt": "Zephyrine"}
	for organizationID, own := range word {
		said := map[string]any{"organizationId": organizationID, "reasoning": own + " says that liability must be capYearly."}
		kit.Record(env, kit.Listed(opinions(0, 3, "reject", said)...))
	}
	all := detected(env)
	for organizationID, own := range word {
		found := patternsIn(all, organizationID)
		require.Len(t, found, 1)
		require.Contains(t, found[0].Description, own)
		for _, p := range found {
			for other, foreign := range word {
				require.Equal(t, other == organizationID, strings.Contains(p.Description, foreign), p.Description)
			}
			require.Equal(t, int64(3), p.SourceCount)
		}
	}
	shared := slices.DeleteFunc(slices.Clone(all), func(p redline.Pattern) bool { return p.Scope != "apiKey" || p.ContentType != nil })
	require.Len(t, shared, 1, "both decide so")
	require.Empty(t, shared[0].OrganizationID)
	require.Equal(t, int64(6), shared[0].SourceCount)
}

// Patterns of a removed organization are hidden with the answer.
func TestPatterns_OfARemovedOrganizationAreHiddenAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddOrganizations, kit.Organization("acme", nil))
	kit.Record(env, kit.Listed(opinions(0, 3, "reject")...))
	require.Len(t, patternsIn(detected(env), "acme"), 1)
	env.Call(client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}}, nil)
	require.Empty(t, patternsIn(patterns(env), "acme"))
	require.Empty(t, patternsIn(detected(env), "acme"))
}

// While Temporal is away patterns are read as they were; what is due is looked for when
// it is back.
func TestPatterns_TemporalAway(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	rows := isolated.DB()
	isolated.Temporal.Down()
	kit.Record(env, kit.Listed(opinions(0, 3, "reject")...))
	rest(env, rows)
	require.False(t, meets(env, rows, noDetection))
	require.Empty(t, patterns(env))
	require.NoError(t, isolated.Temporal.Up())
	kit.RequireWithin(t, kit.Patience, "the pattern is found", func() bool { return len(patterns(env)) == 2 })
	isolated.AtRest()
}

// Without anybody's asking patterns come and go with the judgments that they rest on,
// though the service is killed while it looks for them.
func TestPatterns_ComeAndGoByThemselves(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	service := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(service)
	var ids []string
	for _, recorded := range kit.Record(env, kit.Listed(opinions(0, 3, "reject")...)) {
		ids = append(ids, recorded.RecordID)
	}
	rows := isolated.DB()
	rest(env, rows)
	kit.RequireWithin(t, kit.Patience, "a run begins", func() bool {
		return meets(env, rows, `EXISTS (SELECT FROM jobs WHERE workspace_id = $1 AND kind = 'detection')`)
	})
	service.Kill()
	isolated.Restart(service)
	kit.RequireWithin(t, kit.Patience, "the pattern is found", func() bool { return len(patterns(env)) == 2 })
	kit.Forget(env, ids[0])
	rest(env, rows)
	kit.RequireWithin(t, kit.Patience, "it goes", func() bool { return len(patterns(env)) == 0 })
	kit.Record(env, kit.Listed(opinions(3, 20, "reject")...))
	rest(env, rows)
	kit.RequireWithin(t, kit.Patience, "they are looked for", func() bool { return meets(env, rows, noDetection) })
	found := patterns(env)
	require.Len(t, found, 2, "each once")
	for _, p := range found {
		require.Equal(t, int64(22), p.SourceCount)
	}
	isolated.AtRest()
}

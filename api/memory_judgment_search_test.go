package api_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestMemorySearch_ScopesAndFiltersOfWhatIsRecent(t *testing.T) {
	env := newWorkspace(t)
	in := func(organizationID, documentID string) map[string]any {
		return map[string]any{"organizationId": organizationID, "documentId": documentID}
	}
	kit.Record(env, kit.Listed(
		kit.Ago("spring", 6*time.Hour, in("acme", "spring")), kit.Ago("summer", 5*time.Hour, in("acme", "summer")),
		kit.Ago("acme", 4*time.Hour, map[string]any{"organizationId": "acme", "contentType": "article"}), kit.Ago("apex", 3*time.Hour, in("apex", "spring")),
		kit.Ago("nowhere", 2*time.Hour, map[string]any{"actionUser": map[string]any{"userId": "bob", "name": "Bob"}, "decision": "Denied"}),
		kit.Ago("bot", time.Hour, map[string]any{"judgeType": "agent", "agent": map[string]any{"agentId": "a"}, "confidence": 0.4, "reasoning": "why"}),
	))
	all := kit.ByRows(env, kit.Recent)
	require.Equal(t, []string{"bot", "nowhere", "apex", "acme", "summer", "spring"}, kit.JudgmentIDs(all), "newest first")
	require.Equal(t, int64(6), all.TotalInScope)
	bot := all.Results[0]
	require.NotZero(t, bot.CreatedAt)
	bot.CreatedAt = 0
	require.Equal(t, redline.FoundJudgment{
		RecordID: "bot", Reasoning: "why", Decision: "approve", Confidence: 0.4, ActionUser: redline.FoundActor{Name: "ann"}, Similarity: 1,
		Scope: "apiKey", Agent: bot.Agent,
	}, bot)
	require.JSONEq(t, `{"agentId":"a","agentType":null,"agentName":null,"executionId":null,"agentFields":null}`, string(bot.Agent))
	require.Nil(t, all.Results[1].Agent)
	require.Equal(t, redline.FoundActor{Name: "Bob"}, all.Results[1].ActionUser)
	with := func(more map[string]any) map[string]any {
		data := maps.Clone(kit.Recent)
		maps.Copy(data, more)
		return data
	}
	for scope, ids := range map[string][]string{
		"organization": {"acme", "summer", "spring"}, "document": {"spring"}, "apiKey": {"bot", "nowhere", "apex", "acme", "summer", "spring"}, "": {"spring"},
	} {
		data := with(in("acme", "spring"))
		if scope != "" {
			data["scope"] = scope
		}
		found := kit.ByRows(env, data)
		require.Equal(t, ids, kit.JudgmentIDs(found), scope)
		require.EqualValues(t, len(ids), found.TotalInScope)
		require.Contains(t, []string{scope, "document"}, string(found.Results[0].Scope))
	}
	limited := kit.ByRows(env, with(map[string]any{"limit": 2, "organizationId": "acme"}))
	require.Equal(t, []string{"acme", "summer"}, kit.JudgmentIDs(limited))
	require.Equal(t, int64(3), limited.TotalInScope, "whatever the limit")
	for _, c := range []struct {
		filters map[string]any
		ids     []string
	}{
		{map[string]any{"judgeType": "agent"}, []string{"bot"}},
		{map[string]any{"contentType": "article"}, []string{"acme"}},
		{map[string]any{"reviewerId": "bob"}, []string{"nowhere"}},
		{map[string]any{"decision": "rejected"}, []string{"nowhere"}},
		{map[string]any{"decision": "approve", "judgeType": "human", "contentType": "general"}, []string{"apex", "summer", "spring"}},
		{map[string]any{"excludeDocumentIds": []string{"spring", "unknown"}}, []string{"bot", "nowhere", "acme", "summer"}},
		{map[string]any{"dateRange": map[string]any{"end": "2020-01-01"}}, []string{"bot", "nowhere", "apex", "acme", "summer", "spring"}},
	} {
		found := kit.ByRows(env, kit.Recent, c.filters)
		require.Equal(t, c.ids, kit.JudgmentIDs(found), c.filters)
		require.EqualValues(t, len(c.ids), found.TotalInScope, c.filters)
	}
}

func TestMemorySearch_2_EverySpellingOfADecision(t *testing.T) {
	env := newWorkspace(t)
	kit.Record(env, kit.Listed(kit.Verdict("ann", "approve"), kit.Verdict("ann", "Accepted"), kit.Verdict("ann", "reject")))
	for _, spelling := range []string{"approve", "approved", "PASS", "Document Approved"} {
		require.Equal(t, int64(2), kit.ByRows(env, kit.Recent, map[string]any{"decision": spelling}).TotalInScope, spelling)
	}
	none := kit.ByRows(env, kit.Recent, map[string]any{"decision": "unheard of"})
	require.Zero(t, none.TotalInScope)
	require.Empty(t, none.Results)
}

func TestMemorySearch_3_AThreadHasItsRangeAndNoRecentDays(t *testing.T) {
	env := newWorkspace(t)
	const count = 8
	base := time.Date(2020, 3, 1, 12, 0, 0, 0, time.UTC)
	var all []map[string]any
	for i := range count {
		all = append(all, kit.Verdict("ann", "comment", map[string]any{
			"recordId": fmt.Sprint("r", i), "createdAt": base.AddDate(0, 0, i).UnixMilli(), "organizationId": "acme", "documentId": "spring", "annotationId": "a1",
		}))
	}
	kit.Record(env, kit.Listed(append(all,
		kit.Verdict("ann", "comment", map[string]any{"organizationId": "apex", "annotationId": "a1"}),
		kit.Verdict("ann", "comment", map[string]any{"organizationId": "acme", "annotationId": "a2"}))...))
	asked := map[string]any{"organizationId": "acme", "recencyDays": 1, "embeddingType": "content"}
	thread := func(dateRange map[string]any) map[string]any {
		return map[string]any{"annotationId": "a1", "dateRange": dateRange}
	}
	for _, c := range []struct {
		dateRange map[string]any
		ids       []string
	}{
		{nil, []string{"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"}},
		{map[string]any{"start": "2020-03-03", "end": "2020-03-05"}, []string{"r2", "r3", "r4"}},
		{map[string]any{"start": base.AddDate(0, 0, 6).UnixMilli()}, []string{"r6", "r7"}},
		{map[string]any{"start": base.AddDate(0, 0, 6).UnixMilli() + 1}, []string{"r7"}},
		{map[string]any{"end": "2020-03-02T12:00:00Z"}, []string{"r0", "r1"}},
		{map[string]any{"end": "2020-03-02T11:59:59.999Z"}, []string{"r0"}},
		{map[string]any{"start": "2020-03-01T13:00:00+01:00", "end": "2020-03-01"}, []string{"r0"}},
	} {
		found := kit.ByRows(env, asked, thread(c.dateRange))
		require.Equal(t, c.ids, kit.JudgmentIDs(found), c.dateRange)
		require.EqualValues(t, len(c.ids), found.TotalInScope, c.dateRange)
		require.Equal(t, redline.FoundJudgmentScopeOrganization, found.Results[0].Scope)
	}
	require.Zero(t, kit.ByRows(env, asked, thread(map[string]any{"end": "0001-01-01T00:00:00Z"})).TotalInScope)
	asked["limit"] = 3
	found := kit.ByRows(env, asked, thread(nil))
	require.Equal(t, []string{"r5", "r6", "r7"}, kit.JudgmentIDs(found), "the newest, shown oldest first")
	require.Equal(t, int64(count), found.TotalInScope)
	for scope, total := range map[string]int{"apiKey": count, "document": count} {
		found = kit.ByRows(env, map[string]any{"organizationId": "acme", "scope": scope}, thread(nil))
		require.EqualValues(t, total, found.TotalInScope, "the organization counts under every scope")
		require.Equal(t, scope, string(found.Results[0].Scope))
	}
	require.Zero(t, kit.ByRows(env, map[string]any{"organizationId": "acme", "documentId": "other"}, thread(nil)).TotalInScope)
	require.Zero(t, kit.ByRows(env, map[string]any{"organizationId": "acme"}, map[string]any{"annotationId": "a1", "decision": "approve"}).TotalInScope)
}

func TestMemorySearch_4_RecentIsSoManyTimesADay(t *testing.T) {
	env := newWorkspace(t)
	kit.Record(env, kit.Listed(kit.Ago("near", 23*time.Hour), kit.Ago("far", 25*time.Hour), kit.Ago("ahead", -2*time.Minute)))
	found := kit.ByRows(env, map[string]any{"recencyDays": 1})
	require.Equal(t, []string{"near"}, kit.JudgmentIDs(found))
	require.Equal(t, int64(1), found.TotalInScope)
	require.Equal(t, []string{"near", "far"}, kit.JudgmentIDs(kit.ByRows(env, map[string]any{"recencyDays": 2})))
	kit.Record(env, kit.Verdict("ann", "approve", map[string]any{"recordId": "now"}))
	require.Equal(t, []string{"now", "near"}, kit.JudgmentIDs(kit.ByRows(env, map[string]any{"recencyDays": 1})), "in the very next request")
}

func TestMemorySearch_5_AnotherWorkspacesOrganization(t *testing.T) {
	env := newWorkspace(t)
	kit.Record(env, kit.Verdict("ann", "approve", map[string]any{"organizationId": "acme", "annotationId": "a"}))
	stranger := kit.Elsewhere(env)
	for _, organizationID := range []string{"acme", "unknown"} {
		for _, filters := range []map[string]any{{}, {"annotationId": "a"}} {
			found := kit.ByRows(stranger, map[string]any{"organizationId": organizationID, "recencyDays": 1}, filters)
			require.Empty(t, found.Results)
			require.NotNil(t, found.Results)
			require.Zero(t, found.TotalInScope)
		}
	}
}

func TestMemorySearch_Shapes(t *testing.T) {
	env := newWorkspace(t)
	for path, data := range map[string]map[string]any{
		"query": {"query": " "}, "embeddingType": {"embeddingType": "all"}, "scope": {"scope": "workspace"}, "limit": {"limit": 51},
		"recencyDays": {"recencyDays": 366}, "organizationId": {"documentId": "d"}, "documentId": {"scope": "document", "organizationId": "o"},
		"filters":                    {"filters": "x"},
		"filters.decision":           {"filters": map[string]any{"decision": ""}},
		"filters.judgeType":          {"filters": map[string]any{"judgeType": "robot"}},
		"filters.dateRange":          {"filters": map[string]any{"dateRange": map[string]any{}}},
		"filters.dateRange.start":    {"filters": map[string]any{"dateRange": map[string]any{"start": "2026-01-02", "end": "2026-01-01"}}},
		"filters.dateRange.end":      {"filters": map[string]any{"dateRange": map[string]any{"end": "tomorrow"}}},
		"filters.excludeDocumentIds": {"filters": map[string]any{"excludeDocumentIds": []string{}}},
	} {
		asked := map[string]any{"query": "x", "recencyDays": 1}
		maps.Copy(asked, data)
		failure := env.RefusedAs("INVALID_ARGUMENT", client.SearchJudgments, asked)
		require.Len(t, failure.Issues, 1, path)
		require.Equal(t, path, strings.Join(failure.Issues[0].Path, "."))
	}
	for _, data := range []map[string]any{
		{},
		{"query": "x", "filters": map[string]any{"annotationId": "a"}},
		{"query": "x", "limit": 0},
		{"query": "x", "recencyDays": 0},
		{"query": "x", "scope": "organization", "documentId": "d"},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.SearchJudgments, data)
	}
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.SearchJudgments, []byte(`{"data":{"query":"x","recencyDays":1,"filters":{"mood":1},"page":2}}`), nil)
	require.NoError(t, err)
	require.Equal(t, "filters.mood,page", reply.Header.Get("X-Svc-Ignored-Fields"))
}

package memory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// many records judgments of many about facts that have nothing to do with liability.
func many(env *kit.Env, n int) {
	env.T.Helper()
	for from := 0; from < n; from += 100 {
		list := make([]map[string]any, 0, 100)
		for i := from; i < min(n, from+100); i++ {
			list = append(list, kit.Verdict(fmt.Sprint("u", i), "approve", map[string]any{
				"recordId": fmt.Sprintf("many-%05d", i), "content": fmt.Sprintf("%s (%d)", facts[i%len(facts)], i), "organizationId": "many",
			}))
		}
		kit.Record(env, kit.Listed(list...))
	}
}

// several is how many people reject or approve the same where that many are found.
const several = 11

// rejected records the rejections of liability by so many people.
func rejected(env *kit.Env, n int, more ...map[string]any) {
	env.T.Helper()
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = kit.About(fmt.Sprint("u", i), "reject", kit.Liability, append(more, map[string]any{"recordId": fmt.Sprintf("%s-%02d", kit.Unique("r"), i)})...)
	}
	kit.Record(env, kit.Listed(list...))
}

func TestMemorySearch_TheNearestComeFirst(t *testing.T) {
	env := kit.NewWorkspace(t)
	require.Equal(t, redline.JudgmentsFound{Results: []redline.FoundJudgment{}}, withoutTime(kit.Nearest(env, kit.Liability, nil)), "nothing was ever recorded")
	kit.Record(env, kit.Listed(
		kit.Verdict("ann", "reject", map[string]any{"recordId": "same", "content": kit.Liability, "reasoning": "The cap on liability is missing.", "organizationId": "acme"}),
		kit.Verdict("bob", "approve", map[string]any{"recordId": "like", "content": "Damages of the supplier are limited to the yearly fees.", "reasoning": "Fine."}),
		kit.Verdict("cid", "approve", map[string]any{"recordId": "other", "content": "The bridge carries two railway tracks.", "reasoning": "The drawings are complete."}),
		kit.Verdict("dan", "approve", map[string]any{"recordId": "bare", "reasoning": "Liability is capped, as it must be."}),
	))
	kit.Remembers(env)
	of := map[string]any{"excludeDocumentIds": []string{"nothing"}}
	byContent := kit.Nearest(env, kit.Liability, map[string]any{"embeddingType": "content", "limit": 3}, of)
	require.Equal(t, []string{"same", "like"}, kit.JudgmentIDs(byContent)[:2])
	require.NotContains(t, kit.JudgmentIDs(byContent), "bare", "it has no content")
	require.Equal(t, int64(4), byContent.TotalInScope, "and counts all the same")
	require.InDelta(t, 1, byContent.Results[0].Similarity, 0.001)
	require.Less(t, byContent.Results[1].Similarity, byContent.Results[0].Similarity)
	byReview := kit.Nearest(env, "Is there a cap on liability?", map[string]any{"limit": 2})
	require.ElementsMatch(t, []string{"same", "bare"}, kit.JudgmentIDs(byReview))
	found := byReview.Results[0]
	require.Equal(t, redline.FoundJudgmentScopeAPIKey, found.Scope)
	require.Nil(t, found.Agent)
	inAcme := kit.Nearest(env, kit.Liability, map[string]any{"organizationId": "acme"})
	require.Equal(t, []string{"same"}, kit.JudgmentIDs(inAcme))
	require.Equal(t, []any{redline.FoundJudgmentScopeOrganization, int64(1), "ann"}, []any{inAcme.Results[0].Scope, inAcme.TotalInScope, inAcme.Results[0].ActionUser.Name})
}

func withoutTime(r redline.JudgmentsFound) redline.JudgmentsFound {
	r.SearchLatencyMs = 0
	return r
}

func TestMemorySearch_1_OneAmongManyIsFoundByAFilter(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	many(env, 500)
	kit.Record(env, kit.Verdict("eve", "declined", map[string]any{"recordId": "the one", "content": "The camel can go without water for days.", "contentType": "nature", "organizationId": "zoo"}))
	kit.Remembers(env)
	for name, filter := range map[string]map[string]any{
		"decision": {"decision": "reject"}, "reviewer": {"reviewerId": "eve", "decision": "denied"}, "type": {"contentType": "nature"},
		"several": {"decision": "reject", "judgeType": "human", "reviewerId": "eve", "contentType": "nature"},
	} {
		found := kit.Nearest(env, kit.Liability, nil, filter)
		require.Equal(t, []string{"the one"}, kit.JudgmentIDs(found), name)
		require.Equal(t, int64(1), found.TotalInScope, name)
	}
	ended := map[string]any{"dateRange": map[string]any{"end": time.Now().Add(-time.Hour).UnixMilli()}}
	require.Equal(t, int64(0), kit.Nearest(env, kit.Liability, nil, ended).TotalInScope)
	full := kit.Nearest(env, kit.Liability, map[string]any{"organizationId": "many", "limit": 50}, map[string]any{"decision": "approve"})
	require.Len(t, full.Results, 50)
	require.Equal(t, int64(500), full.TotalInScope)
}

// recordNearer records so many judgments of the question itself: half of them approve articles, the
// others reject what is general.
func recordNearer(env *kit.Env, question string, n int) {
	env.T.Helper()
	for from := 0; from < n; from += 100 {
		list := make([]map[string]any, min(100, n-from))
		for i := range list {
			list[i] = kit.About(fmt.Sprint("u", i), []string{"approve", "reject"}[i%2], question, map[string]any{"contentType": []string{"article", "general"}[i%2]})
		}
		kit.Record(env, kit.Listed(list...))
	}
}

// All that match are found, far from the question as they are, though hundreds of others
// are nearer; also where each condition fits hundreds, and only both together a few.
func TestMemorySearch_1_ManyNearerOnesDoNotMatch(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	const nearer = 400
	question := facts[0]
	recordNearer(env, question, nearer)
	rejected(env, several, map[string]any{"contentType": "article", "actionUser": map[string]any{"userId": "eve"}})
	kit.Remembers(env)
	reviewer, jointly := map[string]any{"reviewerId": "eve"}, map[string]any{"decision": "reject", "contentType": "article"}
	for _, kind := range []string{"content", "review"} {
		asked := map[string]any{"embeddingType": kind, "organizationId": "acme", "limit": 50}
		all := kit.Nearest(env, question, asked)
		require.Equal(t, int64(nearer+several), all.TotalInScope)
		far := kit.Nearest(env, question, asked, reviewer)
		require.Len(t, far.Results, several)
		require.Less(t, far.Results[0].Similarity, all.Results[49].Similarity, "they are farther than all those others")
		for name, filter := range map[string]map[string]any{"one condition": reviewer, "two conditions": jointly} {
			found := kit.Nearest(env, question, asked, filter)
			require.Equal(t, kit.JudgmentIDs(far), kit.JudgmentIDs(found), name)
			require.Equal(t, int64(several), found.TotalInScope, name)
			found = kit.Nearest(env, question, map[string]any{"embeddingType": kind, "limit": 3}, filter)
			require.Equal(t, kit.JudgmentIDs(far)[:3], kit.JudgmentIDs(found), name)
		}
	}
}

func TestMemorySearch_5_AnotherWorkspacesOrganizationHasNothingNear(t *testing.T) {
	env := kit.NewWorkspace(t)
	rejected(env, several)
	stranger := kit.Elsewhere(env)
	rejected(stranger, several, map[string]any{"organizationId": "apex"})
	kit.Remembers(env)
	kit.Remembers(stranger)
	for _, organizationID := range []string{"acme", "unknown"} {
		found := kit.Nearest(stranger, kit.Liability, map[string]any{"organizationId": organizationID})
		require.Equal(t, redline.JudgmentsFound{Results: []redline.FoundJudgment{}}, withoutTime(found))
	}
	rejected(stranger, several, map[string]any{"contentType": "theirs"})
	kit.Remembers(stranger)
	for _, scope := range []string{"organization", "apiKey"} {
		asked := map[string]any{"organizationId": "acme", "scope": scope, "embeddingType": "content", "limit": 50}
		ours, theirs := kit.Nearest(env, kit.Liability, asked), kit.Nearest(stranger, kit.Liability, asked)
		require.Len(t, ours.Results, several, scope)
		require.Len(t, theirs.Results, int(theirs.TotalInScope), scope)
		for _, id := range kit.JudgmentIDs(ours) {
			require.NotContains(t, kit.JudgmentIDs(theirs), id)
		}
	}
	require.Equal(t, int64(several), kit.Nearest(stranger, kit.Liability, map[string]any{"organizationId": "acme"}).TotalInScope)
}

// Among equally near ones the newest come first, then those of the first ids, however many
// more there are.
func TestMemorySearch_EqualOnesComeNewestFirst(t *testing.T) {
	env := kit.NewWorkspace(t)
	const count = 40
	now := time.Now().UnixMilli()
	var all []map[string]any
	for i := range count {
		age := map[string]any{"recordId": fmt.Sprintf("r%02d", i), "createdAt": now - int64(count-i)/4*time.Hour.Milliseconds()}
		all = append(all, kit.About("ann", "reject", kit.Liability, age))
	}
	kit.Record(env, kit.Listed(all[count-several+1:]...))
	kit.Record(env, kit.Listed(all...))
	kit.Remembers(env)
	want := []string{"r37", "r38", "r39", "r33", "r34", "r35", "r36"}
	for _, kind := range []string{"content", "review"} {
		found := kit.Nearest(env, kit.Liability, map[string]any{"embeddingType": kind, "limit": len(want)})
		require.Equal(t, want, kit.JudgmentIDs(found))
		for _, one := range found.Results {
			require.InDelta(t, found.Results[0].Similarity, one.Similarity, 0)
		}
	}
	require.Len(t, kit.Nearest(env, kit.Liability, nil).Results, 10, "ten where no limit is given")
}

func TestMemorySearch_6_WhatIsDeletedIsNotFoundAndTheResultIsFull(t *testing.T) {
	env := kit.NewWorkspace(t)
	for i := range 30 {
		kit.Record(env, kit.Verdict(fmt.Sprint("u", i), "reject", map[string]any{"recordId": fmt.Sprint("r", i), "content": kit.Liability}))
	}
	kit.Remembers(env)
	ask := map[string]any{"embeddingType": "content", "limit": 10}
	before := kit.Nearest(env, kit.Liability, ask)
	require.Len(t, before.Results, 10)
	kit.Forget(env, kit.JudgmentIDs(before)...)
	after := kit.Nearest(env, kit.Liability, ask)
	require.Len(t, after.Results, 10)
	require.Equal(t, before.TotalInScope-10, after.TotalInScope)
	for _, id := range kit.JudgmentIDs(before) {
		require.NotContains(t, kit.JudgmentIDs(after), id)
	}
}

// More are deleted than a search asks the index for, and the index does not know of it yet.
func TestMemorySearch_6_TheResultIsFullBesideManyThatAreGone(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	first := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(first)
	const limit, deleted = 10, 45
	rejected(env, deleted+limit+2)
	kit.Remembers(env)
	first.Stop()
	env = env.Through(isolated.StartProcess("api").URL) // nobody removes them from the index
	gone := kit.JudgmentIDs(kit.Nearest(env, kit.Liability, map[string]any{"embeddingType": "content", "limit": deleted}))
	require.Len(t, gone, deleted)
	kit.Forget(env, gone...)
	require.True(t, meets(env, env.DB(), `(SELECT count(*) = 45 FROM judgment_index WHERE workspace_id = $1 AND NOT indexed)`))
	found := kit.Nearest(env, kit.Liability, map[string]any{"embeddingType": "content", "limit": limit})
	require.Len(t, found.Results, limit)
	require.Equal(t, int64(limit+2), found.TotalInScope)
	for _, id := range gone {
		require.NotContains(t, kit.JudgmentIDs(found), id)
	}
}

func TestMemorySearch_7_JudgmentsFollowTheirDocument(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.AcmeWith("documents", []any{map[string]any{"documentId": "spring"}}, map[string]any{"createOrganization": true}))
	rejected(env, several, on("spring"))
	rejected(env, several, on("other"))
	kit.Remembers(env)
	find := func(more map[string]any, filters ...map[string]any) []string {
		ids := kit.JudgmentIDs(kit.Nearest(env, kit.Liability, kit.Merged(map[string]any{"organizationId": "acme", "limit": 50}, more), filters...))
		slices.Sort(ids)
		return ids
	}
	of := func(documentID string) []string { return find(map[string]any{"documentId": documentID}) }
	ours, others := of("spring"), of("other")
	require.Len(t, ours, several)
	require.Len(t, others, several)
	kit.Follows(env, "spring", "autumn")
	require.Empty(t, of("spring"))
	require.Equal(t, ours, of("autumn"), "no vector was touched")
	require.Equal(t, others, find(nil, map[string]any{"excludeDocumentIds": []string{"autumn"}}))
	env.Call(client.DeleteDocuments, kit.AcmeWith("documentIds", []string{"autumn"}), nil)
	require.Equal(t, others, find(nil))
}

// While a document gets one id after the other, a search of its organization has each judgment
// once at every moment. Who asks for one id and then for the other may meet the switch between
// the two, so the former id first misses none, and the latter first has none twice.
func TestMemorySearch_7_EachIsThereOnceAtEveryMoment(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.AcmeWith("documents", []any{map[string]any{"documentId": "d0"}}, map[string]any{"createOrganization": true}))
	rejected(env, several, on("d0"))
	rejected(env, several, on("other"))
	kit.Remembers(env)
	search := func(more map[string]any, asked ...map[string]any) []string {
		return kit.JudgmentIDs(kit.Nearest(env, kit.Liability, kit.Merged(map[string]any{"organizationId": "acme", "limit": 50}, append(asked, more)...)))
	}
	paths := []map[string]any{{}, {"recencyDays": 1}}
	all, moving := search(nil), search(on("d0"))
	require.Len(t, all, 2*several)
	require.Len(t, moving, several)
	look := func(from, to string) {
		for _, path := range paths {
			require.ElementsMatch(t, all, search(nil, path), "each once")
			require.Subset(t, append(search(on(from), path), search(on(to), path)...), moving, "none is missing")
			latterFirst := append(search(on(to), path), search(on(from), path)...)
			slices.Sort(latterFirst)
			require.Equal(t, slices.Compact(slices.Clone(latterFirst)), latterFirst, "none is there twice")
		}
	}
	for i := range 5 {
		from, to := fmt.Sprint("d", i), fmt.Sprint("d", i+1)
		migration := kit.Migrates(env, from, to)
		for status := ""; status != "completed"; {
			look(from, to)
			status = string(kit.Migration(env, migration).Status)
			require.NotEqual(t, "failed", status)
		}
		require.ElementsMatch(t, moving, search(on(to)))
	}
}

// The judgments of a scope are as near, and in the same order, as among those of all.
func TestMemorySearch_AScopeIsAsNearAsTheWhole(t *testing.T) {
	env := kit.NewWorkspace(t)
	const few = several - 1
	many(env, few)
	kit.Record(env, kit.About("ann", "reject", kit.Liability))
	kit.Remembers(env)
	const question = "Does it go faster in summer?"
	for _, kind := range []string{"review", "content"} {
		asked := map[string]any{"embeddingType": kind, "organizationId": "many", "limit": few}
		alone := kit.Nearest(env, question, asked)
		require.Len(t, alone.Results, few)
		require.Equal(t, int64(few), alone.TotalInScope)
		wide := maps.Clone(asked)
		delete(wide, "organizationId")
		wide["limit"] = 50
		all := kit.Nearest(env, question, wide)
		require.Equal(t, int64(few+1), all.TotalInScope)
		among := slices.DeleteFunc(all.Results, func(f redline.FoundJudgment) bool { return !strings.HasPrefix(f.RecordID, "many") })
		require.Len(t, among, few)
		for i, found := range alone.Results {
			require.InDelta(t, found.Similarity, among[i].Similarity, 1e-3)
		}
	}
}

// Each act of review is found by what was said, within seconds.
func TestMemorySearch_ActsAreFound(t *testing.T) {
	env := kit.NewWorkspace(t)
	flow := kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	r := kit.Dispatch(env, flow, func(d *redline.DispatchRequest) { d.TriggerContext = map[string]any{"content": kit.Liability} })
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve", "The insurance covers it.")
	kit.Fill(env, "d", 1)
	kit.RequireWithin(t, kit.Patience, "both are found", func() bool {
		return len(kit.Nearest(env, "Does the insurance cover it?", nil).Results) == 2
	})
	first := kit.Nearest(env, "Does the insurance cover it?", map[string]any{"limit": 1}).Results[0]
	require.Equal(t, []string{"approve", "The insurance covers it."}, []string{first.Decision, first.Reasoning})
}

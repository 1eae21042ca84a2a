package tests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// nearest searches judgments by meaning.
func (s *scene) nearest(query string, data map[string]any, filters ...map[string]any) foundResult {
	s.t.Helper()
	asked := map[string]any{"query": query}
	maps.Copy(asked, data)
	for _, f := range filters {
		asked["filters"] = f
	}
	var result foundResult
	s.call(searchJudgments, asked, &result)
	require.NotNil(s.t, result.SearchLatencyMs)
	return result
}

// many records judgments of a crowd about facts that have nothing to do with liability.
func (s *scene) many(n int) {
	s.t.Helper()
	for from := 0; from < n; from += 100 {
		list := make([]map[string]any, 0, 100)
		for i := from; i < min(n, from+100); i++ {
			list = append(list, verdict(fmt.Sprint("u", i), "approve", map[string]any{
				"recordId": fmt.Sprintf("crowd-%05d", i), "content": fmt.Sprintf("%s (%d)", facts[i%len(facts)], i), "organizationId": "crowd",
			}))
		}
		s.record(listed(list...))
	}
}

// moreThanFew is how many judgments are not few any more: the index is asked for them.
const moreThanFew = 11

// rejected records the rejections of liability by so many people.
func (s *scene) rejected(n int, more ...map[string]any) {
	s.t.Helper()
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = about(fmt.Sprint("u", i), "reject", liability, append(more, map[string]any{"recordId": fmt.Sprintf("%s-%02d", unique("r"), i)})...)
	}
	s.record(listed(list...))
}

func TestMemorySearch_TheNearestComeFirst(t *testing.T) {
	s := begin(t)
	require.Equal(t, foundResult{Results: []foundView{}}, withoutTime(s.nearest(liability, nil)), "nothing was ever recorded")
	s.record(listed(
		verdict("ann", "reject", map[string]any{"recordId": "same", "content": liability, "reasoning": "The cap on liability is missing.", "organizationId": "acme"}),
		verdict("bob", "approve", map[string]any{"recordId": "like", "content": "Damages of the supplier are limited to the yearly fees.", "reasoning": "Fine."}),
		verdict("cid", "approve", map[string]any{"recordId": "other", "content": "The bridge carries two railway tracks.", "reasoning": "The drawings are complete."}),
		verdict("dan", "approve", map[string]any{"recordId": "bare", "reasoning": "Liability is capped, as it must be."}),
	))
	s.remembers()
	of := map[string]any{"excludeDocumentIds": []string{"nothing"}}
	byContent := s.nearest(liability, map[string]any{"embeddingType": "content", "limit": 3}, of)
	require.Equal(t, []string{"same", "like"}, byContent.ids()[:2])
	require.NotContains(t, byContent.ids(), "bare", "it has no content")
	require.Equal(t, 4, byContent.TotalInScope, "and counts all the same")
	require.InDelta(t, 1, byContent.Results[0].Similarity, 0.001)
	require.Less(t, byContent.Results[1].Similarity, byContent.Results[0].Similarity)
	byReview := s.nearest("Is there a cap on liability?", map[string]any{"limit": 2})
	require.ElementsMatch(t, []string{"same", "bare"}, byReview.ids())
	found := byReview.Results[0]
	require.Equal(t, "apiKey", found.Scope)
	require.Nil(t, found.Agent)
	inAcme := s.nearest(liability, map[string]any{"organizationId": "acme"})
	require.Equal(t, []string{"same"}, inAcme.ids())
	require.Equal(t, []any{"organization", 1, "ann"}, []any{inAcme.Results[0].Scope, inAcme.TotalInScope, inAcme.Results[0].ActionUser["name"]})
}

func withoutTime(r foundResult) foundResult {
	r.SearchLatencyMs = nil
	return r
}

func TestMemorySearch_1_OneAmongManyIsFoundByAFilter(t *testing.T) {
	s := begin(t)
	s.many(500)
	s.record(verdict("eve", "declined", map[string]any{"recordId": "the one", "content": "The camel can go without water for days.", "contentType": "nature", "organizationId": "zoo"}))
	s.remembers()
	for name, filter := range map[string]map[string]any{
		"decision": {"decision": "reject"}, "reviewer": {"reviewerId": "eve", "decision": "denied"}, "type": {"contentType": "nature"},
		"several": {"decision": "reject", "judgeType": "human", "reviewerId": "eve", "contentType": "nature"},
	} {
		found := s.nearest(liability, nil, filter)
		require.Equal(t, []string{"the one"}, found.ids(), name)
		require.Equal(t, 1, found.TotalInScope, name)
	}
	ended := map[string]any{"dateRange": map[string]any{"end": time.Now().Add(-time.Hour).UnixMilli()}}
	require.Equal(t, 0, s.nearest(liability, nil, ended).TotalInScope)
	full := s.nearest(liability, map[string]any{"organizationId": "crowd", "limit": 50}, map[string]any{"decision": "approve"})
	require.Len(t, full.Results, 50)
	require.Equal(t, 500, full.TotalInScope)
}

// nearer records so many judgments of the question itself: half of them approve articles, the
// others reject what is general.
func (s *scene) nearer(question string, n int) {
	s.t.Helper()
	for from := 0; from < n; from += 100 {
		list := make([]map[string]any, min(100, n-from))
		for i := range list {
			list[i] = about(fmt.Sprint("u", i), []string{"approve", "reject"}[i%2], question, map[string]any{"contentType": []string{"article", "general"}[i%2]})
		}
		s.record(listed(list...))
	}
}

// All that match are found, far from the question as they are, though hundreds of others
// are nearer; also where each condition fits hundreds, and only both together a few.
func TestMemorySearch_1_ManyNearerOnesDoNotMatch(t *testing.T) {
	s := begin(t)
	const nearer = 400
	question := facts[0]
	s.nearer(question, nearer)
	s.rejected(moreThanFew, map[string]any{"contentType": "article", "actionUser": map[string]any{"userId": "eve"}})
	s.remembers()
	reviewer, jointly := map[string]any{"reviewerId": "eve"}, map[string]any{"decision": "reject", "contentType": "article"}
	for _, kind := range []string{"content", "review"} {
		asked := map[string]any{"embeddingType": kind, "organizationId": "acme", "limit": 50}
		all := s.nearest(question, asked)
		require.Equal(t, nearer+moreThanFew, all.TotalInScope)
		far := s.nearest(question, asked, reviewer)
		require.Len(t, far.Results, moreThanFew)
		require.Less(t, far.Results[0].Similarity, all.Results[49].Similarity, "they are farther than all those others")
		for name, filter := range map[string]map[string]any{"one condition": reviewer, "two conditions": jointly} {
			found := s.nearest(question, asked, filter)
			require.Equal(t, far.ids(), found.ids(), name)
			require.Equal(t, moreThanFew, found.TotalInScope, name)
			found = s.nearest(question, map[string]any{"embeddingType": kind, "limit": 3}, filter)
			require.Equal(t, far.ids()[:3], found.ids(), name)
		}
	}
}

func TestMemorySearch_5_AnotherWorkspacesOrganizationHasNothingNear(t *testing.T) {
	s := begin(t)
	s.rejected(moreThanFew)
	stranger := s.elsewhere()
	stranger.rejected(moreThanFew, map[string]any{"organizationId": "apex"})
	s.remembers()
	stranger.remembers()
	for _, organizationID := range []string{"acme", "unknown"} {
		found := stranger.nearest(liability, map[string]any{"organizationId": organizationID})
		require.Equal(t, foundResult{Results: []foundView{}}, withoutTime(found))
	}
	stranger.rejected(moreThanFew, map[string]any{"contentType": "theirs"})
	stranger.remembers()
	for _, scope := range []string{"organization", "apiKey"} {
		asked := map[string]any{"organizationId": "acme", "scope": scope, "embeddingType": "content", "limit": 50}
		ours, theirs := s.nearest(liability, asked), stranger.nearest(liability, asked)
		require.Len(t, ours.Results, moreThanFew, scope)
		require.Len(t, theirs.Results, theirs.TotalInScope, scope)
		for _, id := range ours.ids() {
			require.NotContains(t, theirs.ids(), id)
		}
	}
	require.Equal(t, moreThanFew, stranger.nearest(liability, map[string]any{"organizationId": "acme"}).TotalInScope)
}

// Among equally near ones the newest come first, then those of the first ids, however many
// more there are.
func TestMemorySearch_EqualOnesComeNewestFirst(t *testing.T) {
	s := begin(t)
	const count = 40
	now := time.Now().UnixMilli()
	var all []map[string]any
	for i := range count {
		age := map[string]any{"recordId": fmt.Sprintf("r%02d", i), "createdAt": now - int64(count-i)/4*time.Hour.Milliseconds()}
		all = append(all, about("ann", "reject", liability, age))
	}
	s.record(listed(all[count-moreThanFew+1:]...))
	s.record(listed(all...))
	s.remembers()
	want := []string{"r37", "r38", "r39", "r33", "r34", "r35", "r36"}
	for _, kind := range []string{"content", "review"} {
		found := s.nearest(liability, map[string]any{"embeddingType": kind, "limit": len(want)})
		require.Equal(t, want, found.ids())
		for _, one := range found.Results {
			require.InDelta(t, found.Results[0].Similarity, one.Similarity, 0)
		}
	}
	require.Len(t, s.nearest(liability, nil).Results, 10, "ten where no limit is given")
}

func TestMemorySearch_6_WhatIsDeletedIsNotFoundAndTheResultIsFull(t *testing.T) {
	s := begin(t)
	for i := range 30 {
		s.record(verdict(fmt.Sprint("u", i), "reject", map[string]any{"recordId": fmt.Sprint("r", i), "content": liability}))
	}
	s.remembers()
	ask := map[string]any{"embeddingType": "content", "limit": 10}
	before := s.nearest(liability, ask)
	require.Len(t, before.Results, 10)
	s.forget(before.ids()...)
	after := s.nearest(liability, ask)
	require.Len(t, after.Results, 10)
	require.Equal(t, before.TotalInScope-10, after.TotalInScope)
	for _, id := range before.ids() {
		require.NotContains(t, after.ids(), id)
	}
}

// More are deleted than a search asks the index for, and the index does not know of it yet.
func TestMemorySearch_6_TheResultIsFullBesideManyThatAreGone(t *testing.T) {
	l := newLab(t)
	first := l.start("serve")
	s := l.begin(first)
	const limit, deleted = 10, 45
	s.rejected(deleted + limit + 2)
	s.remembers()
	first.Stop()
	s = s.through(l.start("api").URL) // nobody removes them from the index
	gone := s.nearest(liability, map[string]any{"embeddingType": "content", "limit": deleted}).ids()
	require.Len(t, gone, deleted)
	s.forget(gone...)
	require.True(t, s.meets(s.rows(), `(SELECT count(*) = 45 FROM judgment_index WHERE workspace_id = $1 AND due IS NOT NULL)`))
	found := s.nearest(liability, map[string]any{"embeddingType": "content", "limit": limit})
	require.Len(t, found.Results, limit)
	require.Equal(t, limit+2, found.TotalInScope)
	for _, id := range gone {
		require.NotContains(t, found.ids(), id)
	}
}

func TestMemorySearch_7_JudgmentsFollowTheirDocument(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, acmeWith("documents", []any{map[string]any{"documentId": "spring"}}, map[string]any{"createOrganization": true}))
	s.rejected(moreThanFew, on("spring"))
	s.rejected(moreThanFew, on("other"))
	s.remembers()
	find := func(more map[string]any, filters ...map[string]any) []string {
		ids := s.nearest(liability, merged(map[string]any{"organizationId": "acme", "limit": 50}, more), filters...).ids()
		slices.Sort(ids)
		return ids
	}
	of := func(documentID string) []string { return find(map[string]any{"documentId": documentID}) }
	ours, others := of("spring"), of("other")
	require.Len(t, ours, moreThanFew)
	require.Len(t, others, moreThanFew)
	s.follows("spring", "autumn")
	require.Empty(t, of("spring"))
	require.Equal(t, ours, of("autumn"), "no vector was touched")
	require.Equal(t, others, find(nil, map[string]any{"excludeDocumentIds": []string{"autumn"}}))
	s.call(deleteDocuments, acmeWith("documentIds", []string{"autumn"}), nil)
	require.Equal(t, others, find(nil))
}

// While a document gets one id after the other, a search of its organization has each judgment
// once at every moment. Who asks for one id and then for the other may meet the switch between
// the two, so the former id first misses none, and the latter first has none twice.
func TestMemorySearch_7_EachIsThereOnceAtEveryMoment(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, acmeWith("documents", []any{map[string]any{"documentId": "d0"}}, map[string]any{"createOrganization": true}))
	s.rejected(moreThanFew, on("d0"))
	s.rejected(moreThanFew, on("other"))
	s.remembers()
	search := func(more map[string]any, asked ...map[string]any) []string {
		return s.nearest(liability, merged(map[string]any{"organizationId": "acme", "limit": 50}, append(asked, more)...)).ids()
	}
	paths := []map[string]any{{}, {"recencyDays": 1}}
	all, moving := search(nil), search(on("d0"))
	require.Len(t, all, 2*moreThanFew)
	require.Len(t, moving, moreThanFew)
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
		migration := s.migrates(from, to)
		for status := ""; status != "completed"; {
			look(from, to)
			status = s.migration(migration).Status
			require.NotEqual(t, "failed", status)
		}
		require.ElementsMatch(t, moving, search(on(to)))
	}
}

// Few judgments are compared without the index, in the same order and as near as it finds
// them among more.
func TestMemorySearch_FewAreAsNearAsAmongMany(t *testing.T) {
	s := begin(t)
	const few = moreThanFew - 1
	s.many(few)
	s.record(about("ann", "reject", liability))
	s.remembers()
	const question = "Does it go faster in summer?"
	for _, kind := range []string{"review", "content"} {
		asked := map[string]any{"embeddingType": kind, "organizationId": "crowd", "limit": few}
		alone := s.nearest(question, asked)
		require.Len(t, alone.Results, few)
		require.Equal(t, few, alone.TotalInScope)
		wide := maps.Clone(asked)
		delete(wide, "organizationId")
		wide["limit"] = 50
		all := s.nearest(question, wide)
		require.Equal(t, few+1, all.TotalInScope)
		among := slices.DeleteFunc(all.Results, func(f foundView) bool { return !strings.HasPrefix(f.RecordID, "crowd") })
		require.Len(t, among, few)
		for i, found := range alone.Results {
			require.InDelta(t, found.Similarity, among[i].Similarity, 1e-3)
		}
	}
}

// Each act of review is found by what was said, within seconds.
func TestMemorySearch_ActsAreFound(t *testing.T) {
	s := begin(t)
	flow := s.define([]client.Node{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	r := s.dispatch(flow, func(d *client.Dispatch) { d.TriggerContext = map[string]any{"content": liability} })
	r.waitsAt("review")
	r.decide("review", "ann", "approve", "The insurance covers it.")
	s.fill("d", 1)
	within(t, patience, "both are found", func() bool {
		return len(s.nearest("Does the insurance cover it?", nil).Results) == 2
	})
	first := s.nearest("Does the insurance cover it?", map[string]any{"limit": 1}).Results[0]
	require.Equal(t, []string{"approve", "The insurance covers it."}, []string{first.Decision, first.Reasoning})
}

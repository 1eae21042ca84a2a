package memory

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func on(documentID string) map[string]any { return map[string]any{"documentId": documentID} }

// suggest asks for a suggestion, again where the machine is so busy that every scope ran out
// of its time.
func suggest(env *kit.Env, query string, more ...map[string]any) redline.SuggestResult {
	env.T.Helper()
	data := map[string]any{"query": query}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	var result redline.SuggestResult
	kit.RequireWithin(env.T, kit.Patience, "a suggestion", func() bool {
		var err error
		result, err = client.Call[redline.SuggestResult](env.Ctx, env.Keyed, client.SuggestDecision, data)
		if failure := redline.AsError(err); failure != nil && failure.Status == "UNAVAILABLE" {
			return false
		}
		require.NoError(env.T, err)
		return true
	})
	return result
}

// suggested waits until a suggestion about liability is as a test says.
func suggested(env *kit.Env, what string, holds func(redline.SuggestResult) bool, more ...map[string]any) redline.SuggestResult {
	env.T.Helper()
	var last redline.SuggestResult
	kit.RequireWithin(env.T, kit.Patience, what, func() bool {
		last = suggest(env, kit.Liability, more...)
		return holds(last)
	})
	return last
}

// votes is that so many judgments lead.
func votes(n int) func(redline.SuggestResult) bool {
	return func(r redline.SuggestResult) bool { return r.Primary != nil && r.Primary.BasedOn == int64(n) }
}

// foundAbout returns once so many judgments of exactly this content are found: those that
// a suggestion does not rest on could all have been candidates.
func foundAbout(env *kit.Env, content string, count int) {
	env.T.Helper()
	kit.RequireWithin(env.T, kit.Patience, "all are found", func() bool {
		same := 0
		for _, found := range kit.Nearest(env, content, map[string]any{"embeddingType": "content", "limit": 50}).Results {
			if found.Similarity > 0.999 {
				same++
			}
		}
		return same == count
	})
}

func TestSuggest_WithEvidence(t *testing.T) {
	env := kit.NewWorkspace(t)
	require.Equal(t, redline.SuggestResult{}, suggest(env, kit.Liability), "nothing was ever recorded")
	for i, reviewer := range []string{"ann", "bob", "cid"} {
		kit.Record(env, kit.About(reviewer, "rejected", kit.Liability, on(fmt.Sprint("d", i)), kit.Because("Liability must be capped at the yearly fees. See the policy.")))
	}
	kit.Remembers(env)
	found := suggested(env, "three votes", votes(3), map[string]any{"organizationId": "acme"})
	require.Nil(t, found.Conflict)
	require.Equal(t, redline.Suggestion{
		Recommendation: "reject", Confidence: found.Primary.Confidence, BasedOn: 3, UniqueReviewers: 3,
		TopReasons: []string{"Liability must be capped at the yearly fees."}, Scope: "organization", ScopeLabel: "This organization", Caveats: []string{},
	}, *found.Primary)
	require.InDelta(t, 0.875, found.Primary.Confidence, 0.005, "three humans today, as near as can be, confidence 0.90")
}

func TestSuggest_1_TooLittleIsNoSuggestion(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Record(env, kit.About("ann", "approve", kit.Liability))
	for _, word := range []string{"comment", "resolve", "in progress", "other"} {
		kit.Record(env, kit.About("bob", word, kit.Liability))
	}
	foundAbout(env, kit.Liability, 5)
	require.Equal(t, redline.SuggestResult{}, suggest(env, kit.Liability, map[string]any{"organizationId": "acme"}))
}

func TestSuggest_2_EqualSidesAreAConflict(t *testing.T) {
	env := kit.NewWorkspace(t)
	for i := range 5 {
		kit.Record(env, kit.Listed(kit.About(fmt.Sprint("yes", i), "approve", kit.Liability, on(fmt.Sprint("d", i))), kit.About(fmt.Sprint("no", i), "reject", kit.Liability, on(fmt.Sprint("d", i)))))
	}
	found := suggested(env, "both sides have five", func(r redline.SuggestResult) bool { return votes(5)(r) && r.Conflict != nil && r.Conflict.BasedOn == 5 })
	require.NotEqual(t, found.Primary.Recommendation, found.Conflict.Recommendation)
	require.Equal(t, []string{"Conflict: 5 approve, 5 reject"}, found.Primary.Caveats)
	require.Equal(t, []string{"Minority view: 5 of 10 judgments"}, found.Conflict.Caveats)
	require.Equal(t, []string{"apiKey", "All content"}, []string{string(found.Primary.Scope), found.Primary.ScopeLabel})
}

func TestSuggest_3_AWeakMinorityIsNoConflict(t *testing.T) {
	env := kit.NewWorkspace(t)
	for i := range 9 {
		kit.Record(env, kit.About(fmt.Sprint("yes", i), "approve", kit.Liability, on(fmt.Sprint("d", i))))
	}
	weak := map[string]any{"confidence": 0.3, "createdAt": time.Now().AddDate(-1, 0, 0).UnixMilli()}
	kit.Record(env, kit.Listed(kit.About("no1", "reject", kit.Liability, weak), kit.About("no2", "reject", kit.Liability, weak)))
	kit.Remembers(env)
	require.Nil(t, suggested(env, "nine lead", votes(9)).Conflict)
	for range 10 {
		kit.Record(env, kit.Verdict("ann", "reject", map[string]any{"content": "The goalkeeper stopped the penalty kick.", "organizationId": "sports", "documentId": "d"}))
	}
	foundAbout(env, "The goalkeeper stopped the penalty kick.", 10)
	require.Equal(t, redline.SuggestResult{}, suggest(env, "The goalkeeper stopped the penalty kick."), "one reviewer has one vote about a document")
}

func TestSuggest_4_ALaterVoteCounts(t *testing.T) {
	env := kit.NewWorkspace(t)
	earlier := map[string]any{"createdAt": time.Now().Add(-time.Hour).UnixMilli()}
	kit.Record(env, kit.Listed(kit.About("ann", "reject", kit.Liability, on("d"), earlier), kit.About("ann", "approve", kit.Liability, on("d")), kit.About("bob", "approve", kit.Liability, on("d"))))
	found := suggested(env, "two approve", votes(2))
	require.Equal(t, redline.SuggestionRecommendationApprove, found.Primary.Recommendation)
	require.Nil(t, found.Conflict)
}

func TestSuggest_5_TheNarrowestScopeWithEnoughAnswers(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Record(env, kit.About("ann", "approve", kit.Liability, on("spring")))
	for i := range 7 {
		kit.Record(env, kit.About(fmt.Sprint("no", i), "reject", kit.Liability, on("autumn")))
	}
	kit.Remembers(env) // what is indexed while scopes are tried answers from a wider one
	spring := map[string]any{"organizationId": "acme", "documentId": "spring"}
	found := suggested(env, "seven reject", votes(7), spring)
	require.Equal(t, []string{"reject", "organization", "This organization"}, []string{string(found.Primary.Recommendation), string(found.Primary.Scope), found.Primary.ScopeLabel})
	kit.Record(env, kit.About("bob", "approve", kit.Liability, on("spring")))
	kit.Remembers(env)
	found = suggested(env, "two approve", votes(2), spring)
	require.Equal(t, []string{"approve", "document", "This document"}, []string{string(found.Primary.Recommendation), string(found.Primary.Scope), found.Primary.ScopeLabel})
}

func TestSuggest_6_TwoHumansLeadThreeAgents(t *testing.T) {
	env := kit.NewWorkspace(t)
	when := map[string]any{"confidence": 0.9, "createdAt": time.Now().UnixMilli()}
	for i := range 3 {
		kit.Record(env, kit.About("ci", "approve", kit.Liability, when, map[string]any{"judgeType": "agent", "agent": map[string]any{"agentName": fmt.Sprint("bot", i)}}))
	}
	kit.Record(env, kit.Listed(kit.About("ann", "reject", kit.Liability, when), kit.About("bob", "reject", kit.Liability, when)))
	found := suggested(env, "all five vote", func(r redline.SuggestResult) bool { return votes(2)(r) && r.Conflict != nil && r.Conflict.BasedOn == 3 })
	require.Equal(t, redline.SuggestionRecommendationReject, found.Primary.Recommendation)
	require.Equal(t, int64(3), found.Conflict.UniqueReviewers)
}

func TestSuggest_8_WhatIsUnrelatedIsNoSuggestion(t *testing.T) {
	env := kit.NewWorkspace(t)
	for i := range 20 {
		kit.Record(env, kit.About(fmt.Sprint("u", i), "approve", kit.Liability, on(fmt.Sprint("d", i))))
	}
	suggested(env, "twenty approve", votes(20))
	require.Equal(t, redline.SuggestResult{}, suggest(env, "The baker opens his shop at five in the morning."))
}

func TestSuggest_OldEvidenceIsNamed(t *testing.T) {
	env := kit.NewWorkspace(t)
	old := map[string]any{"createdAt": time.Now().AddDate(0, 0, -200).UnixMilli()}
	kit.Record(env, kit.Listed(kit.About("ann", "reject", kit.Liability, old), kit.About("bob", "reject", kit.Liability, old)))
	require.Equal(t, []string{"Stale: more than 70% of the evidence is older than 6 months"}, suggested(env, "two reject", votes(2)).Primary.Caveats)
}

func TestSuggest_ADeletedJudgmentDoesNotVote(t *testing.T) {
	env := kit.NewWorkspace(t)
	for _, name := range []string{"one", "two", "three"} {
		kit.Record(env, kit.About(name, "reject", kit.Liability, map[string]any{"recordId": name}))
	}
	suggested(env, "three reject", votes(3))
	require.True(t, kit.Forget(env, "two")["two"])
	require.Equal(t, int64(2), suggest(env, kit.Liability).Primary.BasedOn)
	kit.Record(env, kit.About("three", "approve", kit.Liability, map[string]any{"recordId": "three", "replace": true}))
	kit.Record(env, kit.About("four", "approve", kit.Liability))
	found := suggested(env, "two approve", func(r redline.SuggestResult) bool { return r.Primary != nil && r.Primary.Recommendation == "approve" })
	require.Equal(t, []any{int64(2), (*redline.Suggestion)(nil)}, []any{found.Primary.BasedOn, found.Conflict}, "what was replaced votes as it is now")
	kit.Record(env, kit.About("two", "reject", kit.Liability, map[string]any{"recordId": "two"}))
	suggested(env, "the other side has two again", func(r redline.SuggestResult) bool { return r.Conflict != nil && r.Conflict.BasedOn == 2 })
}

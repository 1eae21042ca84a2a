package tests

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const suggestDecision = "memory/suggest"

type suggestionView struct {
	Recommendation  string   `json:"recommendation"`
	Confidence      float64  `json:"confidence"`
	BasedOn         int      `json:"basedOn"`
	UniqueReviewers int      `json:"uniqueReviewers"`
	TopReasons      []string `json:"topReasons"`
	Scope           string   `json:"scope"`
	ScopeLabel      string   `json:"scopeLabel"`
	Caveats         []string `json:"caveats"`
}

type suggestResult struct {
	Primary  *suggestionView `json:"primary"`
	Conflict *suggestionView `json:"conflict"`
}

// liability is what the judgments of these stories are about, and what is asked.
const liability = "The supplier's liability for damages is unlimited."

// about is a judgment with this content in acme, with more fields.
func about(userID, decision, content string, more ...map[string]any) map[string]any {
	data := verdict(userID, decision, map[string]any{"content": content, "organizationId": "acme"})
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

func because(reasoning string) map[string]any { return map[string]any{"reasoning": reasoning} }

func on(documentID string) map[string]any { return map[string]any{"documentId": documentID} }

// suggest asks for a suggestion, again where the machine is so busy that every scope ran out
// of its time.
func (s *scene) suggest(query string, more ...map[string]any) suggestResult {
	s.t.Helper()
	data := map[string]any{"query": query}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	var result suggestResult
	within(s.t, patience, "a suggestion", func() bool {
		var err error
		result, err = client.Call[suggestResult](s.ctx, s.keyed, suggestDecision, data)
		if failure := client.Refusal(err); failure != nil && failure.Status == "UNAVAILABLE" {
			return false
		}
		require.NoError(s.t, err)
		return true
	})
	return result
}

// suggested waits until a suggestion about liability is as a story says.
func (s *scene) suggested(what string, holds func(suggestResult) bool, more ...map[string]any) suggestResult {
	s.t.Helper()
	var last suggestResult
	within(s.t, patience, what, func() bool {
		last = s.suggest(liability, more...)
		return holds(last)
	})
	return last
}

// votes is that so many judgments lead.
func votes(n int) func(suggestResult) bool {
	return func(r suggestResult) bool { return r.Primary != nil && r.Primary.BasedOn == n }
}

// remembers returns once the index has everything that was recorded so far. How much that is
// beside what other stories record, which comes in turn with it, is no measure: it fails when
// nothing comes in any more.
func (s *scene) remembers() {
	s.t.Helper()
	rows := s.rows()
	owed := func() (count int) {
		require.NoError(s.t, rows.QueryRow(s.ctx, `SELECT count(*) FROM judgment_index i JOIN judgments j USING (key)
WHERE i.workspace_id = $1 AND i.due IS NOT NULL`, s.workspace.ID).Scan(&count))
		return count
	}
	for left := owed(); left > 0; {
		within(s.t, patience, "the index gets another judgment", func() bool {
			now := owed()
			less := now < left
			left = now
			return less
		})
	}
}

// foundAbout returns once so many judgments of exactly this content are found: those that
// a suggestion does not rest on could all have been candidates.
func (s *scene) foundAbout(content string, count int) {
	s.t.Helper()
	within(s.t, patience, "all are found", func() bool {
		same := 0
		for _, found := range s.nearest(content, map[string]any{"embeddingType": "content", "limit": 50}).Results {
			if found.Similarity > 0.999 {
				same++
			}
		}
		return same == count
	})
}

func TestSuggest_WithEvidence(t *testing.T) {
	s := begin(t)
	require.Equal(t, suggestResult{}, s.suggest(liability), "nothing was ever recorded")
	for i, reviewer := range []string{"ann", "bob", "cid"} {
		s.record(about(reviewer, "rejected", liability, on(fmt.Sprint("d", i)), because("Liability must be capped at the yearly fees. See the policy.")))
	}
	s.remembers()
	found := s.suggested("three votes", votes(3), map[string]any{"organizationId": "acme"})
	require.Nil(t, found.Conflict)
	require.Equal(t, suggestionView{
		Recommendation: "reject", Confidence: found.Primary.Confidence, BasedOn: 3, UniqueReviewers: 3,
		TopReasons: []string{"Liability must be capped at the yearly fees."}, Scope: "organization", ScopeLabel: "This organization", Caveats: []string{},
	}, *found.Primary)
	require.InDelta(t, 0.875, found.Primary.Confidence, 0.005, "three humans today, as near as can be, confidence 0.90")
}

func TestSuggest_1_TooLittleIsNoSuggestion(t *testing.T) {
	s := begin(t)
	s.record(about("ann", "approve", liability))
	for _, word := range []string{"comment", "resolve", "in progress", "other"} {
		s.record(about("bob", word, liability))
	}
	s.foundAbout(liability, 5)
	require.Equal(t, suggestResult{}, s.suggest(liability, map[string]any{"organizationId": "acme"}))
}

func TestSuggest_2_EqualSidesAreAConflict(t *testing.T) {
	s := begin(t)
	for i := range 5 {
		s.record(listed(about(fmt.Sprint("yes", i), "approve", liability, on(fmt.Sprint("d", i))), about(fmt.Sprint("no", i), "reject", liability, on(fmt.Sprint("d", i)))))
	}
	found := s.suggested("both sides have five", func(r suggestResult) bool { return votes(5)(r) && r.Conflict != nil && r.Conflict.BasedOn == 5 })
	require.NotEqual(t, found.Primary.Recommendation, found.Conflict.Recommendation)
	require.Equal(t, []string{"Conflict: 5 approve, 5 reject"}, found.Primary.Caveats)
	require.Equal(t, []string{"Minority view: 5 of 10 judgments"}, found.Conflict.Caveats)
	require.Equal(t, []string{"apiKey", "All content"}, []string{found.Primary.Scope, found.Primary.ScopeLabel})
}

func TestSuggest_3_AWeakMinorityIsNoConflict(t *testing.T) {
	s := begin(t)
	for i := range 9 {
		s.record(about(fmt.Sprint("yes", i), "approve", liability, on(fmt.Sprint("d", i))))
	}
	weak := map[string]any{"confidence": 0.3, "createdAt": time.Now().AddDate(-1, 0, 0).UnixMilli()}
	s.record(listed(about("no1", "reject", liability, weak), about("no2", "reject", liability, weak)))
	s.remembers()
	require.Nil(t, s.suggested("nine lead", votes(9)).Conflict)
	for range 10 {
		s.record(verdict("ann", "reject", map[string]any{"content": "The goalkeeper stopped the penalty kick.", "organizationId": "sports", "documentId": "d"}))
	}
	s.foundAbout("The goalkeeper stopped the penalty kick.", 10)
	require.Equal(t, suggestResult{}, s.suggest("The goalkeeper stopped the penalty kick."), "one reviewer has one vote about a document")
}

func TestSuggest_4_ALaterVoteCounts(t *testing.T) {
	s := begin(t)
	earlier := map[string]any{"createdAt": time.Now().Add(-time.Hour).UnixMilli()}
	s.record(listed(about("ann", "reject", liability, on("d"), earlier), about("ann", "approve", liability, on("d")), about("bob", "approve", liability, on("d"))))
	found := s.suggested("two approve", votes(2))
	require.Equal(t, "approve", found.Primary.Recommendation)
	require.Nil(t, found.Conflict)
}

func TestSuggest_5_TheNarrowestScopeWithEnoughAnswers(t *testing.T) {
	s := begin(t)
	s.record(about("ann", "approve", liability, on("spring")))
	for i := range 7 {
		s.record(about(fmt.Sprint("no", i), "reject", liability, on("autumn")))
	}
	s.remembers() // what is indexed while scopes are tried answers from a wider one
	spring := map[string]any{"organizationId": "acme", "documentId": "spring"}
	found := s.suggested("seven reject", votes(7), spring)
	require.Equal(t, []string{"reject", "organization", "This organization"}, []string{found.Primary.Recommendation, found.Primary.Scope, found.Primary.ScopeLabel})
	s.record(about("bob", "approve", liability, on("spring")))
	s.remembers()
	found = s.suggested("two approve", votes(2), spring)
	require.Equal(t, []string{"approve", "document", "This document"}, []string{found.Primary.Recommendation, found.Primary.Scope, found.Primary.ScopeLabel})
}

func TestSuggest_6_TwoHumansLeadThreeAgents(t *testing.T) {
	s := begin(t)
	when := map[string]any{"confidence": 0.9, "createdAt": time.Now().UnixMilli()}
	for i := range 3 {
		s.record(about("ci", "approve", liability, when, map[string]any{"judgeType": "agent", "agent": map[string]any{"agentName": fmt.Sprint("bot", i)}}))
	}
	s.record(listed(about("ann", "reject", liability, when), about("bob", "reject", liability, when)))
	found := s.suggested("all five vote", func(r suggestResult) bool { return votes(2)(r) && r.Conflict != nil && r.Conflict.BasedOn == 3 })
	require.Equal(t, "reject", found.Primary.Recommendation)
	require.Equal(t, 3, found.Conflict.UniqueReviewers)
}

func TestSuggest_8_WhatIsUnrelatedIsNoSuggestion(t *testing.T) {
	s := begin(t)
	for i := range 20 {
		s.record(about(fmt.Sprint("u", i), "approve", liability, on(fmt.Sprint("d", i))))
	}
	s.suggested("twenty approve", votes(20))
	require.Equal(t, suggestResult{}, s.suggest("The baker opens his shop at five in the morning."))
}

func TestSuggest_OldEvidenceIsNamed(t *testing.T) {
	s := begin(t)
	old := map[string]any{"createdAt": time.Now().AddDate(0, 0, -200).UnixMilli()}
	s.record(listed(about("ann", "reject", liability, old), about("bob", "reject", liability, old)))
	require.Equal(t, []string{"Stale: more than 70% of the evidence is older than 6 months"}, s.suggested("two reject", votes(2)).Primary.Caveats)
}

func TestSuggest_ADeletedJudgmentDoesNotVote(t *testing.T) {
	s := begin(t)
	for _, name := range []string{"one", "two", "three"} {
		s.record(about(name, "reject", liability, map[string]any{"recordId": name}))
	}
	s.suggested("three reject", votes(3))
	require.True(t, s.forget("two")["two"])
	require.Equal(t, 2, s.suggest(liability).Primary.BasedOn)
	s.record(about("three", "approve", liability, map[string]any{"recordId": "three", "replace": true}))
	s.record(about("four", "approve", liability))
	found := s.suggested("two approve", func(r suggestResult) bool { return r.Primary != nil && r.Primary.Recommendation == "approve" })
	require.Equal(t, []any{2, (*suggestionView)(nil)}, []any{found.Primary.BasedOn, found.Conflict}, "what was replaced votes as it is now")
	s.record(about("two", "reject", liability, map[string]any{"recordId": "two"}))
	s.suggested("the other side has two again", func(r suggestResult) bool { return r.Conflict != nil && r.Conflict.BasedOn == 2 })
}

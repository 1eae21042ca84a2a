package tests

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestJudgmentsRecord_OneIsReadAsItWasGiven(t *testing.T) {
	s := begin(t)
	created := time.Now().Add(-time.Hour).UnixMilli()
	require.Equal(t, []recordedView{{"ticket-1", true}}, s.record(verdict("ann", "Approved", map[string]any{
		"recordId": "ticket-1", "reasoning": "Well sourced.", "content": "The text.", "contentType": "article", "category": "sources",
		"organizationId": "acme", "documentId": "spring", "annotationId": "a1", "confidence": 0.5, "createdAt": created,
		"actionUser": map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"},
	})))
	page := s.judgments(map[string]any{"organizationId": "acme", "documentId": "spring", "annotationId": "a1", "reviewerId": "ann", "contentType": "article"})
	require.Equal(t, 1, page.Total)
	found := page.Results[0]
	require.Equal(t, []string{"acme", "spring"}, []string{*found.OrganizationID, *found.DocumentID})
	found.OrganizationID, found.DocumentID = nil, nil
	require.Equal(t, judgmentView{
		RecordID: "ticket-1", Reasoning: "Well sourced.", Decision: "approve", Confidence: 0.5, JudgeType: "human", ContentType: "article",
		ActionUser: map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"}, CreatedAt: created,
	}, found)
}

func TestJudgmentsRecord_WhatIsNotSaid(t *testing.T) {
	s := begin(t)
	s.call("users/add", map[string]any{"organizationId": "acme", "users": []any{map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"}}}, nil)
	before := time.Now().Add(-time.Minute).UnixMilli()
	done := s.record(listed(
		verdict("ann", "needs work", map[string]any{"organizationId": "acme"}),
		verdict("bot", "reject", map[string]any{"judgeType": "agent", "agent": map[string]any{"agentName": "Bot", "agentFields": map[string]any{"rule": 7}}}),
	))
	require.Len(t, done, 2)
	views := map[string]judgmentView{}
	for _, view := range s.judgments(nil).Results {
		views[view.RecordID] = view
	}
	human, agent := views[done[0].RecordID], views[done[1].RecordID]
	for _, made := range done {
		require.True(t, made.Created)
		require.Regexp(t, "^jdg_", made.RecordID)
		require.Equal(t, "general", views[made.RecordID].ContentType)
		require.Empty(t, views[made.RecordID].Reasoning)
		require.Greater(t, views[made.RecordID].CreatedAt, before)
	}
	require.Equal(t, "needs_work", human.Decision)
	require.InDelta(t, 0.90, human.Confidence, 0)
	require.Equal(t, map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"}, human.ActionUser, "as the organization knows ann")
	require.Nil(t, human.Agent)
	require.Equal(t, "agent", agent.JudgeType)
	require.InDelta(t, 0.70, agent.Confidence, 0)
	require.Equal(t, map[string]any{"userId": "bot", "name": "bot", "email": nil}, agent.ActionUser)
	require.Equal(t, map[string]any{
		"agentId": nil, "agentType": nil, "agentName": "Bot", "executionId": nil, "agentFields": map[string]any{"rule": 7.0},
	}, agent.Agent)
	require.Nil(t, agent.OrganizationID)
}

func TestJudgmentsRecord_AKnownIDChangesNothingUnlessItReplaces(t *testing.T) {
	s := begin(t)
	first := verdict("ann", "approve", map[string]any{"recordId": "r", "reasoning": "first", "organizationId": "acme"})
	s.record(first)
	second := verdict("bob", "reject", map[string]any{"recordId": "r", "reasoning": "second", "organizationId": "apex", "documentId": "d"})
	require.Equal(t, []recordedView{{"other", true}, {"r", false}}, s.record(listed(verdict("eve", "approve", map[string]any{"recordId": "other"}), second)))
	require.Equal(t, []string{"first"}, s.recorded(map[string]any{"organizationId": "acme"}))
	second["replace"] = true
	require.Equal(t, []recordedView{{"r", false}, {"new", true}},
		s.record(listed(second, verdict("eve", "approve", map[string]any{"recordId": "new", "replace": true}))))
	require.Empty(t, s.recorded(map[string]any{"organizationId": "acme"}))
	found := s.judgments(map[string]any{"organizationId": "apex", "documentId": "d", "decision": "rejected", "reviewerId": "bob"})
	require.Equal(t, 1, found.Total)
	require.Equal(t, "second", found.Results[0].Reasoning)
	require.Equal(t, 3, s.judgments(nil).Total)
	require.Equal(t, []recordedView{{"r", true}}, s.elsewhere().record(first), "another workspace has its own")
}

// What was about a deleted document is there for nobody, so its id is free.
func TestJudgmentsRecord_TheIDOfWhatWentWithItsDocument(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, acmeWith("documents", []any{map[string]any{"documentId": "spring"}}, map[string]any{"createOrganization": true}))
	data := verdict("ann", "approve", map[string]any{"recordId": "r", "organizationId": "acme", "documentId": "spring"})
	s.record(data)
	s.items(deleteDocuments, acmeWith("documentIds", []string{"spring"}))
	require.Zero(t, s.judgments(nil).Total)
	require.Equal(t, map[string]bool{"r": false}, s.forget("r"))
	require.Equal(t, []recordedView{{"r", true}}, s.record(data))
	require.Equal(t, 1, s.judgments(nil).Total)
}

func TestJudgmentsRecord_1_AHundredRacingCallsMakeOne(t *testing.T) {
	s := begin(t)
	const calls = 100
	var mu sync.Mutex
	created := map[string]int{}
	together(calls, func(i int) {
		shared := verdict("ann", "approve", map[string]any{"recordId": "one", "replace": i%10 == 9, "organizationId": "acme", "documentId": "d1"})
		own := verdict("ann", "approve", map[string]any{"recordId": fmt.Sprint("own-", i), "organizationId": "acme", "documentId": "d2"})
		second := verdict("ann", "approve", map[string]any{"recordId": "two", "replace": i%10 == 8, "organizationId": "apex"})
		list := []map[string]any{shared, own, second}
		if i%2 == 1 {
			list = []map[string]any{second, shared, own}
		}
		result, err := client.Call[recordedResult](s.ctx, s.keyed, recordJudgments, listed(list...))
		if !fine(t, err) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, one := range result.Results {
			if one.Created {
				created[one.RecordID]++
			}
		}
	})
	require.Len(t, created, calls+2)
	for id, times := range created {
		require.Equal(t, 1, times, id)
	}
	require.Equal(t, calls+2, s.judgments(nil).Total)
}

func TestJudgmentsRecord_2_OneIDTwiceInACall(t *testing.T) {
	s := begin(t)
	one := verdict("ann", "approve", map[string]any{"recordId": "r"})
	failure := s.refusedAs("INVALID_ARGUMENT", recordJudgments, listed(one, verdict("ann", "approve"), one))
	require.Equal(t, []string{"judgments", "2", "recordId"}, failure.Issues[0].Path)
	require.Zero(t, s.judgments(nil).Total)
}

func TestJudgmentsRecord_3_OneBadOneRefusesAll(t *testing.T) {
	s := begin(t)
	all := make([]map[string]any, 100)
	for i := range all {
		all[i] = verdict("ann", "approve", map[string]any{"recordId": fmt.Sprint("r", i)})
	}
	all[56]["confidence"] = 1.1
	failure := s.refusedAs("INVALID_ARGUMENT", recordJudgments, listed(all...))
	require.Len(t, failure.Issues, 1)
	require.Equal(t, []string{"judgments", "56", "confidence"}, failure.Issues[0].Path)
	require.Zero(t, s.judgments(nil).Total)
	delete(all[56], "confidence")
	require.Len(t, s.record(listed(all...)), 100)
	require.Equal(t, 100, s.judgments(nil).Total)
}

func TestJudgmentsRecord_4_EverySpellingIsFound(t *testing.T) {
	s := begin(t)
	s.record(listed(verdict("ann", "Approved"), verdict("ann", "Document-Approved"), verdict("ann", "pass"), verdict("ann", "Changes Requested")))
	require.Equal(t, 3, s.judgments(map[string]any{"decision": "approve"}).Total)
	require.Equal(t, 1, s.judgments(map[string]any{"decision": "declined"}).Total)
}

// White space is no name, no reason and no content: what stands for them where they are
// missing stands for them here as well.
func TestJudgmentsRecord_WhiteSpaceIsNothing(t *testing.T) {
	s := begin(t)
	s.call("users/add", map[string]any{"organizationId": "acme", "users": []any{map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"}}}, nil)
	by := func(userID string) map[string]any {
		return map[string]any{"actionUser": map[string]any{"userId": userID, "name": " \t", "email": " "}, "organizationId": "acme", "reasoning": " \n", "content": " "}
	}
	s.record(listed(verdict("ann", "approve", by("ann")), verdict("bob", "approve", by("bob"))))
	for userID, user := range map[string]map[string]any{
		"ann": {"userId": "ann", "name": "Ann", "email": "ann@example.com"}, "bob": {"userId": "bob", "name": "bob", "email": nil},
	} {
		found := s.judgments(map[string]any{"reviewerId": userID}).Results[0]
		require.Equal(t, user, found.ActionUser)
		require.Empty(t, found.Reasoning)
	}
	for path, more := range map[string]map[string]any{
		"recordId":          {"recordId": " "},
		"organizationId":    {"organizationId": "\t"},
		"annotationId":      {"organizationId": "acme", "annotationId": " "},
		"actionUser/userId": {"actionUser": map[string]any{"userId": " "}},
		"agent/agentId":     {"judgeType": "agent", "agent": map[string]any{"agentId": " ", "agentName": "Bot"}},
		"agent/agentName":   {"judgeType": "agent", "agent": map[string]any{"agentName": " \u00a0"}},
	} {
		for _, data := range []map[string]any{verdict("ann", "approve", more), listed(verdict("ann", "approve", more))} {
			failure := s.refusedAs("INVALID_ARGUMENT", recordJudgments, data)
			require.True(t, strings.HasSuffix(strings.Join(failure.Issues[0].Path, "/"), path), "%s: %v", path, failure.Issues)
		}
	}
	s.refusedAs("INVALID_ARGUMENT", deleteJudgments, map[string]any{"recordIds": []string{" "}})
	s.refusedAs("INVALID_ARGUMENT", queryJudgments, map[string]any{"reviewerId": " "})
	require.Equal(t, 2, s.judgments(nil).Total)
}

func TestJudgmentsRecord_Shapes(t *testing.T) {
	s := begin(t)
	for path, more := range map[string]map[string]any{
		"recordId":          {"recordId": "jdg_1"},
		"decision":          {"decision": " "},
		"reasoning":         {"reasoning": strings.Repeat("x", 10_001)},
		"content":           {"content": strings.Repeat("x", 50_001)},
		"contentType":       {"contentType": ""},
		"category":          {"category": strings.Repeat("x", 65)},
		"organizationId":    {"documentId": "d"},
		"actionUser":        {"actionUser": nil},
		"actionUser/userId": {"actionUser": map[string]any{"name": "Ann"}},
		"judgeType":         {"judgeType": "robot"},
		"agent":             {"judgeType": "agent"},
		"agent/agentId":     {"judgeType": "agent", "agent": map[string]any{"agentType": "x"}},
		"confidence":        {"confidence": -0.1},
		"createdAt":         {"createdAt": time.Now().Add(6 * time.Minute).UnixMilli()},
		"replace":           {"replace": "yes"},
		"judgments":         {"judgments": []any{verdict("ann", "approve")}},
	} {
		data := verdict("ann", "approve", more)
		failure := s.refusedAs("INVALID_ARGUMENT", recordJudgments, data)
		require.Len(t, failure.Issues, 1, path)
		require.Equal(t, strings.Split(path, "/"), failure.Issues[0].Path)
		if path != "judgments" {
			failure = s.refusedAs("INVALID_ARGUMENT", recordJudgments, listed(data))
			require.Equal(t, append([]string{"judgments", "0"}, strings.Split(path, "/")...), failure.Issues[0].Path)
		}
	}
	for _, data := range []map[string]any{{}, listed(), {"judgments": make([]any, 101)}, {"agent": map[string]any{"agentId": "a"}}} {
		s.refusedAs("INVALID_ARGUMENT", recordJudgments, data)
	}
	require.Zero(t, s.judgments(nil).Total)
	reply, err := s.keyed.Send(s.ctx, "/v2/"+recordJudgments, []byte(`{"data":{"decision":"approve","actionUser":{"userId":"ann","age":7},"mood":1}}`), nil)
	require.NoError(t, err)
	require.Equal(t, "actionUser.age,mood", reply.Header.Get("X-Svc-Ignored-Fields"))
	require.Equal(t, 1, s.judgments(nil).Total)
}

func TestJudgmentsDelete_Shapes(t *testing.T) {
	s := begin(t)
	for _, ids := range []any{nil, "r", []string{}, []string{""}, make([]string, 101), []any{1}} {
		s.refusedAs("INVALID_ARGUMENT", deleteJudgments, map[string]any{"recordIds": ids})
	}
}

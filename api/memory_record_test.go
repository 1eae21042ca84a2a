package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestJudgmentsRecord_OneIsReadAsItWasGiven(t *testing.T) {
	env := newWorkspace(t)
	created := time.Now().Add(-time.Hour).UnixMilli()
	require.Equal(t, []redline.RecordedJudgment{{RecordID: "ticket-1", Created: true}}, kit.Record(env, kit.Verdict("ann", "Approved", map[string]any{
		"recordId": "ticket-1", "reasoning": "Well sourced.", "content": "The text.", "contentType": "article", "category": "sources",
		"organizationId": "acme", "documentId": "spring", "annotationId": "a1", "confidence": 0.5, "createdAt": created,
		"actionUser": map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"},
	})))
	page := kit.Judgments(env, map[string]any{"organizationId": "acme", "documentId": "spring", "annotationId": "a1", "reviewerId": "ann", "contentType": "article"})
	require.Equal(t, int64(1), page.Total)
	found := page.Results[0]
	require.Equal(t, []string{"acme", "spring"}, []string{*found.OrganizationID, *found.DocumentID})
	found.OrganizationID, found.DocumentID = nil, nil
	require.Equal(t, redline.Judgment{
		RecordID: "ticket-1", Reasoning: "Well sourced.", Decision: "approve", Confidence: 0.5, JudgeType: "human", ContentType: "article",
		ActionUser: redline.ActionUser{UserID: "ann", Name: "Ann", Email: new("ann@example.com")}, CreatedAt: created,
	}, found)
}

func TestJudgmentsRecord_WhatIsNotSaid(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, map[string]any{"organizationId": "acme", "users": []any{map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"}}}, nil)
	before := time.Now().Add(-time.Minute).UnixMilli()
	done := kit.Record(env, kit.Listed(
		kit.Verdict("ann", "needs work", map[string]any{"organizationId": "acme"}),
		kit.Verdict("bot", "reject", map[string]any{"judgeType": "agent", "agent": map[string]any{"agentName": "Bot", "agentFields": map[string]any{"rule": 7}}}),
	))
	require.Len(t, done, 2)
	views := map[string]redline.Judgment{}
	for _, view := range kit.Judgments(env, nil).Results {
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
	require.Equal(t, redline.ActionUser{UserID: "ann", Name: "Ann", Email: new("ann@example.com")}, human.ActionUser, "as the organization knows ann")
	require.Nil(t, human.Agent)
	require.Equal(t, redline.JudgmentJudgeTypeAgent, agent.JudgeType)
	require.InDelta(t, 0.70, agent.Confidence, 0)
	require.Equal(t, redline.ActionUser{UserID: "bot", Name: "bot"}, agent.ActionUser)
	require.Equal(t, map[string]any{
		"agentId": nil, "agentType": nil, "agentName": "Bot", "executionId": nil, "agentFields": map[string]any{"rule": 7.0},
	}, kit.ObjectOf(agent.Agent))
	require.Nil(t, agent.OrganizationID)
}

func TestJudgmentsRecord_AKnownIDChangesNothingUnlessItReplaces(t *testing.T) {
	env := newWorkspace(t)
	first := kit.Verdict("ann", "approve", map[string]any{"recordId": "r", "reasoning": "first", "organizationId": "acme"})
	kit.Record(env, first)
	second := kit.Verdict("bob", "reject", map[string]any{"recordId": "r", "reasoning": "second", "organizationId": "apex", "documentId": "d"})
	require.Equal(t, []redline.RecordedJudgment{{RecordID: "other", Created: true}, {RecordID: "r", Created: false}}, kit.Record(env, kit.Listed(kit.Verdict("eve", "approve", map[string]any{"recordId": "other"}), second)))
	require.Equal(t, []string{"first"}, kit.RecordedReasons(env, map[string]any{"organizationId": "acme"}))
	second["replace"] = true
	require.Equal(t, []redline.RecordedJudgment{{RecordID: "r", Created: false}, {RecordID: "new", Created: true}},
		kit.Record(env, kit.Listed(second, kit.Verdict("eve", "approve", map[string]any{"recordId": "new", "replace": true}))))
	require.Empty(t, kit.RecordedReasons(env, map[string]any{"organizationId": "acme"}))
	found := kit.Judgments(env, map[string]any{"organizationId": "apex", "documentId": "d", "decision": "rejected", "reviewerId": "bob"})
	require.Equal(t, int64(1), found.Total)
	require.Equal(t, "second", found.Results[0].Reasoning)
	require.Equal(t, int64(3), kit.Judgments(env, nil).Total)
	require.Equal(t, []redline.RecordedJudgment{{RecordID: "r", Created: true}}, kit.Record(kit.Elsewhere(env), first), "another workspace has its own")
}

// What was about a deleted document is there for nobody, so its id is free.
func TestJudgmentsRecord_TheIDOfWhatWentWithItsDocument(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.AcmeWith("documents", []any{map[string]any{"documentId": "spring"}}, map[string]any{"createOrganization": true}))
	data := kit.Verdict("ann", "approve", map[string]any{"recordId": "r", "organizationId": "acme", "documentId": "spring"})
	kit.Record(env, data)
	kit.Items(env, client.DeleteDocuments, kit.AcmeWith("documentIds", []string{"spring"}))
	require.Zero(t, kit.Judgments(env, nil).Total)
	require.Equal(t, map[string]bool{"r": false}, kit.Forget(env, "r"))
	require.Equal(t, []redline.RecordedJudgment{{RecordID: "r", Created: true}}, kit.Record(env, data))
	require.Equal(t, int64(1), kit.Judgments(env, nil).Total)
}

func TestJudgmentsRecord_1_AHundredRacingCallsMakeOne(t *testing.T) {
	env := newWorkspace(t)
	const calls = 100
	var mu sync.Mutex
	created := map[string]int{}
	kit.Concurrently(calls, func(i int) {
		shared := kit.Verdict("ann", "approve", map[string]any{"recordId": "one", "replace": i%10 == 9, "organizationId": "acme", "documentId": "d1"})
		own := kit.Verdict("ann", "approve", map[string]any{"recordId": fmt.Sprint("own-", i), "organizationId": "acme", "documentId": "d2"})
		second := kit.Verdict("ann", "approve", map[string]any{"recordId": "two", "replace": i%10 == 8, "organizationId": "apex"})
		list := []map[string]any{shared, own, second}
		if i%2 == 1 {
			list = []map[string]any{second, shared, own}
		}
		result, err := client.Call[redline.JudgmentsRecorded](env.Ctx, env.Keyed, client.RecordJudgments, kit.Listed(list...))
		if !kit.NoError(t, err) {
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
	require.Equal(t, int64(calls+2), kit.Judgments(env, nil).Total)
}

func TestJudgmentsRecord_2_OneIDTwiceInACall(t *testing.T) {
	env := newWorkspace(t)
	one := kit.Verdict("ann", "approve", map[string]any{"recordId": "r"})
	failure := env.RefusedAs("INVALID_ARGUMENT", client.RecordJudgments, kit.Listed(one, kit.Verdict("ann", "approve"), one))
	require.Equal(t, []string{"judgments", "2", "recordId"}, failure.Issues[0].Path)
	require.Zero(t, kit.Judgments(env, nil).Total)
}

func TestJudgmentsRecord_3_OneBadOneRefusesAll(t *testing.T) {
	env := newWorkspace(t)
	all := make([]map[string]any, 100)
	for i := range all {
		all[i] = kit.Verdict("ann", "approve", map[string]any{"recordId": fmt.Sprint("r", i)})
	}
	all[56]["confidence"] = 1.1
	failure := env.RefusedAs("INVALID_ARGUMENT", client.RecordJudgments, kit.Listed(all...))
	require.Len(t, failure.Issues, 1)
	require.Equal(t, []string{"judgments", "56", "confidence"}, failure.Issues[0].Path)
	require.Zero(t, kit.Judgments(env, nil).Total)
	delete(all[56], "confidence")
	require.Len(t, kit.Record(env, kit.Listed(all...)), 100)
	require.Equal(t, int64(100), kit.Judgments(env, nil).Total)
}

func TestJudgmentsRecord_4_EverySpellingIsFound(t *testing.T) {
	env := newWorkspace(t)
	kit.Record(env, kit.Listed(kit.Verdict("ann", "Approved"), kit.Verdict("ann", "Document-Approved"), kit.Verdict("ann", "pass"), kit.Verdict("ann", "Changes Requested")))
	require.Equal(t, int64(3), kit.Judgments(env, map[string]any{"decision": "approve"}).Total)
	require.Equal(t, int64(1), kit.Judgments(env, map[string]any{"decision": "declined"}).Total)
}

// White space is no name, no reason and no content: what stands for them where they are
// missing stands for them here as well.
func TestJudgmentsRecord_WhiteSpaceIsNothing(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, map[string]any{"organizationId": "acme", "users": []any{map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"}}}, nil)
	by := func(userID string) map[string]any {
		return map[string]any{"actionUser": map[string]any{"userId": userID, "name": " \t", "email": " "}, "organizationId": "acme", "reasoning": " \n", "content": " "}
	}
	kit.Record(env, kit.Listed(kit.Verdict("ann", "approve", by("ann")), kit.Verdict("bob", "approve", by("bob"))))
	for userID, user := range map[string]redline.ActionUser{
		"ann": {UserID: "ann", Name: "Ann", Email: new("ann@example.com")}, "bob": {UserID: "bob", Name: "bob"},
	} {
		found := kit.Judgments(env, map[string]any{"reviewerId": userID}).Results[0]
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
		for _, data := range []map[string]any{kit.Verdict("ann", "approve", more), kit.Listed(kit.Verdict("ann", "approve", more))} {
			failure := env.RefusedAs("INVALID_ARGUMENT", client.RecordJudgments, data)
			require.True(t, strings.HasSuffix(strings.Join(failure.Issues[0].Path, "/"), path), "%s: %v", path, failure.Issues)
		}
	}
	env.RefusedAs("INVALID_ARGUMENT", client.DeleteJudgments, map[string]any{"recordIds": []string{" "}})
	env.RefusedAs("INVALID_ARGUMENT", client.QueryJudgments, map[string]any{"reviewerId": " "})
	require.Equal(t, int64(2), kit.Judgments(env, nil).Total)
}

func TestJudgmentsRecord_Shapes(t *testing.T) {
	env := newWorkspace(t)
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
		"judgments":         {"judgments": []any{kit.Verdict("ann", "approve")}},
	} {
		data := kit.Verdict("ann", "approve", more)
		failure := env.RefusedAs("INVALID_ARGUMENT", client.RecordJudgments, data)
		require.Len(t, failure.Issues, 1, path)
		require.Equal(t, strings.Split(path, "/"), failure.Issues[0].Path)
		if path != "judgments" {
			failure = env.RefusedAs("INVALID_ARGUMENT", client.RecordJudgments, kit.Listed(data))
			require.Equal(t, append([]string{"judgments", "0"}, strings.Split(path, "/")...), failure.Issues[0].Path)
		}
	}
	for _, data := range []map[string]any{{}, kit.Listed(), {"judgments": make([]any, 101)}, {"agent": map[string]any{"agentId": "a"}}} {
		env.RefusedAs("INVALID_ARGUMENT", client.RecordJudgments, data)
	}
	require.Zero(t, kit.Judgments(env, nil).Total)
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.RecordJudgments, []byte(`{"data":{"decision":"approve","actionUser":{"userId":"ann","age":7},"mood":1}}`), nil)
	require.NoError(t, err)
	require.Equal(t, "actionUser.age,mood", reply.Header.Get("X-Svc-Ignored-Fields"))
	require.Equal(t, int64(1), kit.Judgments(env, nil).Total)
}

func TestJudgmentsDelete_Shapes(t *testing.T) {
	env := newWorkspace(t)
	for _, ids := range []any{nil, "r", []string{}, []string{""}, make([]string, 101), []any{1}} {
		env.RefusedAs("INVALID_ARGUMENT", client.DeleteJudgments, map[string]any{"recordIds": ids})
	}
}

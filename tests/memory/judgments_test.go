package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestJudgmentsQuery_6_ADecisionIsThereInTheVeryNextRequest(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.Unique("definition")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: id, Name: "Sign-off", Nodes: []redline.NodeInput{client.Human("review", "ann"), client.Mock("publish")},
		Edges: client.Both("review", "publish"), Custom: map[string]any{"contentType": "article"},
	})
	env.Call(client.AddUsers, map[string]any{"organizationId": "acme", "users": []map[string]any{{"userId": "ann", "name": "Ann", "email": "ann@example.com"}}}, nil)
	kit.Reviewed(env, id, "approve", "Well sourced.", kit.At("acme", "spring"), kit.Input(map[string]any{"content": "The text."}))
	page := kit.Judgments(env, nil)
	require.Equal(t, int64(1), page.Total)
	require.False(t, page.HasMore)
	require.Nil(t, page.NextCursor)
	found := page.Results[0]
	require.Equal(t, "acme", *found.OrganizationID)
	require.Equal(t, "spring", *found.DocumentID)
	require.NotZero(t, found.CreatedAt)
	require.Regexp(t, "^jdg_", found.RecordID)
	found.OrganizationID, found.DocumentID, found.CreatedAt, found.RecordID = nil, nil, 0, ""
	require.Equal(t, redline.Judgment{
		Reasoning: "Well sourced.", Decision: "approve", Confidence: 0.95, JudgeType: "human", ContentType: "article",
		ActionUser: redline.ActionUser{UserID: "ann", Name: "Ann", Email: new("ann@example.com")},
	}, found)
}

func TestJudgmentsQuery_ADefinitionsBlankTypeIsNone(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.Unique("definition")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: id, Name: "Sign-off", Nodes: []redline.NodeInput{client.Human("review", "ann"), client.Mock("publish")},
		Edges: client.Both("review", "publish"), Custom: map[string]any{"contentType": " "},
	})
	kit.Reviewed(env, id, "approve", " ")
	found := kit.Judgments(env, nil).Results[0]
	require.Equal(t, []any{"workflow", 0.75}, []any{found.ContentType, found.Confidence})
}

func TestJudgmentsQuery_1and4_FiltersPagesAndTotals(t *testing.T) {
	env := kit.NewWorkspace(t)
	flow := kit.SignOff(env)
	const count = 5
	for i := range count {
		decision := "approve"
		if i == 2 {
			decision = "reject"
		}
		kit.Reviewed(env, flow, decision, "", kit.At("acme", ""))
	}
	for _, spelling := range []string{"reject", "Rejected", "changes-requested"} {
		require.Equal(t, int64(1), kit.Judgments(env, map[string]any{"decision": spelling}).Total, spelling)
	}
	require.Zero(t, kit.Judgments(env, map[string]any{"decision": "unheard of"}).Total, "an unknown word gives none")
	require.Zero(t, kit.Judgments(env, map[string]any{"organizationId": "other"}).Total)
	require.Zero(t, kit.Judgments(env, map[string]any{"judgeType": "agent"}).Total)
	require.Equal(t, int64(count), kit.Judgments(env, map[string]any{"reviewerId": "ann", "contentType": "workflow", "organizationId": "acme"}).Total)
	var seen []redline.Judgment
	data := map[string]any{"limit": 2, "organizationId": "acme"}
	for {
		page := kit.Judgments(env, data)
		require.Equal(t, int64(count), page.Total)
		seen = append(seen, page.Results...)
		if !page.HasMore {
			break
		}
		data["cursor"] = *page.NextCursor
	}
	require.Len(t, seen, count)
	for i := 1; i < count; i++ {
		require.GreaterOrEqual(t, seen[i-1].CreatedAt, seen[i].CreatedAt, "newest first")
	}
	delete(data, "organizationId")
	env.RefusedAs("INVALID_ARGUMENT", client.QueryJudgments, data)
	stranger := kit.Elsewhere(env)
	require.Zero(t, kit.Judgments(stranger, map[string]any{"organizationId": "acme"}).Total, "another workspace's")
	data["organizationId"] = "acme"
	stranger.RefusedAs("INVALID_ARGUMENT", client.QueryJudgments, data)
}

// What an edited comment says stands in its judgment from then on, and is what a search
// finds; once the judgment was deleted, no edit brings it back.
func TestJudgmentsDelete_2_AnEditDoesNotBringItBack(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", kit.Liability), kit.Wrote("ann", "The carpet in the lobby is blue."))
	before := kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "d"}))
	require.Equal(t, int64(2), before.Total)
	kit.Remembers(env)
	const insured = "The insurance of the supplier covers damage by water."
	kit.Edit(env, kit.Edited(kit.Says(insured), 1))
	after := kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "d"}))
	require.Equal(t, int64(2), after.Total)
	for i := range after.Results {
		if was := &before.Results[i]; was.Reasoning == kit.Liability {
			was.Reasoning = insured
		}
	}
	require.Equal(t, before.Results, after.Results, "the same judgment says something else")
	kit.Remembers(env)
	query := "Does the supplier have insurance against water?"
	found := kit.Nearest(env, query, map[string]any{"limit": 1}).Results[0]
	require.Equal(t, insured, found.Reasoning)
	kit.Edit(env, kit.Edited(map[string]any{"context": map[string]any{"page": 2}}, 1))
	require.Equal(t, after.Results, kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "d"})).Results)

	require.Equal(t, map[string]bool{found.RecordID: true}, kit.Forget(env, found.RecordID))
	kit.Edit(env, kit.Edited(kit.Says("The insurance covers damage by fire, too."), 1))
	left := kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "d"}))
	require.Equal(t, int64(1), left.Total)
	require.NotEqual(t, found.RecordID, left.Results[0].RecordID)
	require.NotContains(t, kit.JudgmentIDs(kit.Nearest(env, query, nil)), found.RecordID)
	kit.Edit(env, kit.Edited(kit.Says(""), 2))
	require.Zero(t, kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "d"})).Total, "of a comment that says nothing there is none")
	require.Empty(t, kit.Nearest(env, query, nil).Results)
	kit.Edit(env, kit.Edited(kit.Says("The carpet in the lobby is red."), 1, 2))
	again := kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "d"}))
	require.Equal(t, []any{int64(1), "The carpet in the lobby is red."}, []any{again.Total, again.Results[0].Reasoning}, "of the one that was not deleted")
}

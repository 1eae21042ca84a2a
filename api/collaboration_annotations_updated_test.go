package api_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsUpdate_WhoResolved(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	resolver := func() (found *string) {
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT resolved_by FROM annotations WHERE workspace_id = $1`, env.Workspace.ID).Scan(&found))
		return found
	}
	done, closed, open, wip := kit.StatusOf("DONE", "terminal"), kit.StatusOf("CLOSED", "terminal"), kit.StatusOf("NEW", "default"), kit.StatusOf("WIP", "ongoing")
	for i, step := range []struct {
		fields map[string]any
		actor  string
		want   string
	}{
		{map[string]any{"resolvedByUserId": "eve"}, "kim", ""},
		{map[string]any{"status": done}, "kim", "kim"},
		{map[string]any{"status": done}, "bob", "kim"},
		{map[string]any{"resolvedByUserId": "eve"}, "bob", "eve"},
		{map[string]any{"status": closed, "resolvedByUserId": "dan"}, "bob", "dan"},
		{map[string]any{"priority": nil}, "bob", "dan"},
		{map[string]any{"resolvedByUserId": nil}, "bob", ""},
		{map[string]any{"status": done}, "bob", "bob"},
		{map[string]any{"status": wip, "resolvedByUserId": "dan"}, "bob", ""},
		{map[string]any{"status": closed}, "", ""},
		{map[string]any{"status": done, "statusUpdatedByUserId": "eve"}, "", ""},
		{map[string]any{"status": open}, "bob", ""},
	} {
		call := kit.Updating(step.fields)
		if step.actor != "" {
			maps.Copy(call, kit.DoneBy(step.actor))
		}
		kit.Gives(env, call)
		if found := resolver(); step.want == "" {
			require.Nil(t, found, "step %d", i)
		} else {
			require.Equal(t, step.want, *found, "step %d", i)
		}
	}
}

func TestAnnotationsUpdate_WhatBecomesAJudgment(t *testing.T) {
	env := newWorkspace(t)
	kit.AddPeople(env, kit.User("kim", "Kim", "kim@example.com"))
	note := kit.With(kit.Suggesting(map[string]any{"oldValue": "a", "newValue": map[string]any{"b": 1.10}, "summary": "Shorter."}, kit.Wrote("ann", "Root."), kit.Wrote("bob", "Ask {{kim}}.")),
		map[string]any{"context": map[string]any{"contentType": "ad"}, "targetElement": map[string]any{"targetText": "Buy now"}})
	kit.Annotate(env, kit.Made("d", note))
	content := func(recordID string) (content, annotationID string) {
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT content, annotation_id FROM judgments WHERE workspace_id = $1 AND record_id = $2`, env.Workspace.ID, recordID).Scan(&content, &annotationID))
		return content, annotationID
	}
	kim := redline.ActionUser{UserID: "kim", Name: "Kim", Email: new("kim@example.com")}
	for i, step := range []struct {
		fields     map[string]any
		decision   string
		confidence float64
		reasoning  string
		content    string
	}{
		{map[string]any{"status": kit.StatusOf("WIP", "ongoing")}, "in_progress", 0.50, "Ask Kim.", "Buy now"},
		{map[string]any{"status": kit.StatusOf("WIP2", "ongoing")}, "", 0, "", ""},
		{map[string]any{"status": kit.StatusOf("DONE", "terminal")}, "resolve", 0.70, "Ask Kim.", "Buy now"},
		{map[string]any{"status": kit.StatusOf("OPEN", "default")}, "", 0, "", ""},
		{map[string]any{"status": kit.StatusOf("DONE", "terminal"), "targetElement": nil}, "resolve", 0.70, "Ask Kim.", "Root."},
		{kit.Decides("accepted"), "approve", 0.80, "Shorter.", "a\n{\"b\":1.1}"},
		{kit.Decides("accepted", map[string]any{"reason": "Good."}), "", 0, "", ""},
		{kit.Decides("pending", map[string]any{"oldValue": "x"}), "", 0, "", ""},
		{kit.Decides("rejected", map[string]any{"reason": "Too short.", "newValue": "y"}), "reject", 0.90, "Too short.", "y"},
		{kit.Decides("pending"), "", 0, "", ""},
		{kit.Decides("accepted", map[string]any{"reason": 7}), "approve", 0.80, "", "Root."},
		{map[string]any{"priority": kit.PriorityOf("P1"), "assignedTo": map[string]any{"userId": "bob"}}, "", 0, "", ""},
	} {
		before := kit.Judgments(env, nil).Total
		kit.Gives(env, kit.Updating(step.fields, kit.DoneBy("kim")))
		page := kit.Judgments(env, nil)
		if step.decision == "" {
			require.Equal(t, before, page.Total, "step %d", i)
			continue
		}
		require.Equal(t, before+1, page.Total, "step %d", i)
		found := page.Results[0]
		require.Equal(t, []any{step.decision, step.confidence, step.reasoning, redline.JudgmentJudgeTypeHuman, "ad", kim},
			[]any{found.Decision, found.Confidence, found.Reasoning, found.JudgeType, found.ContentType, found.ActionUser}, "step %d", i)
		require.Nil(t, found.Agent, "step %d", i)
		require.Equal(t, "d", *found.DocumentID)
		judged, annotationID := content(found.RecordID)
		require.Equal(t, []string{step.content, "n"}, []string{judged, annotationID}, "step %d", i)
	}
	kit.Items(env, client.DeleteAnnotations, kit.Noted(map[string]any{"annotationIds": []string{"n"}}))
	require.Zero(t, kit.Judgments(env, nil).Total, "they go with the annotation")
}

func TestAnnotationsUpdate_OfNoSuggestion(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "one")), kit.With(kit.Suggesting(map[string]any{"summary": "x"}, kit.Wrote("ann", "two")), map[string]any{"context": nil})))
	call := kit.Updating(kit.With(kit.Decides("accepted"), map[string]any{"priority": kit.PriorityOf("P1")}), kit.DoneBy("kim"), map[string]any{"annotationIds": []string{"a", "n"}})
	require.Equal(t, map[string]redline.Item{"a": {ID: "a", Message: "The annotation suggests nothing.", Code: "not-a-suggestion"}, "n": kit.Given("n")}, kit.Items(env, client.UpdateAnnotations, call))
	var changed string
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT string_agg(annotation_id, ' ') FROM annotations WHERE workspace_id = $1 AND priority IS NOT NULL`, env.Workspace.ID).Scan(&changed))
	require.Equal(t, "n", changed, "nothing of the other one")
	suggestion := func() (text string) {
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT suggestion FROM annotations WHERE workspace_id = $1 AND annotation_id = 'n'`, env.Workspace.ID).Scan(&text))
		return text
	}
	kit.Gives(env, kit.Updating(map[string]any{"suggestion": map[string]any{"summary": "y"}}))
	require.JSONEq(t, `{"status": "accepted", "summary": "y"}`, suggestion(), "without a status it stays decided")
	kit.Gives(env, kit.Updating(map[string]any{"suggestion": nil}))
	require.JSONEq(t, `{"status": "pending"}`, suggestion())
}

func TestAnnotationsUpdate_ATimeThatIsSent(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	kit.Gives(env, kit.With(kit.Updating(nil), map[string]any{"updatedData": []any{map[string]any{"priority": kit.PriorityOf("P1"), "lastUpdated": 1767225600999, "createdAt": 5}}}))
	after := kit.Discussion(env)
	require.Equal(t, []string{"2026-01-01T00:00:00.999Z", "1970-01-01T00:00:00.005Z"}, []string{after.LastUpdated, after.CreatedAt})
	kit.Gives(env, kit.Updating(map[string]any{"lastUpdated": 7}))
	require.Equal(t, "1970-01-01T00:00:00.007Z", kit.Discussion(env).LastUpdated)
	kit.Gives(env, kit.Updating(map[string]any{"from": map[string]any{"userId": "bob", "name": "Bob"}}))
	require.Equal(t, redline.Author{UserID: "bob", Name: "Bob", Email: ""}, kit.Discussion(env).From)
	require.Greater(t, kit.Discussion(env).LastUpdated, "2026-01-02")
}

func TestAnnotationsUpdate_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	before := kit.Discussion(env)
	for path, fields := range map[string]map[string]any{
		"location.id": {"location": map[string]any{}}, "status.svg": {"status": kit.With(kit.StatusOf("A", "default"), map[string]any{"iconUrl": nil})},
		"status.type": {"status": kit.StatusOf("A", "other")}, "priority.name": {"priority": map[string]any{"id": "a", "color": "", "lightColor": ""}},
		"context": {"context": kit.ManyKeys(201)}, "visibility.userIds": {"visibility": map[string]any{"type": "restricted"}},
		"from": {"from": nil}, "createdAt": {"createdAt": nil}, "lastUpdated": {"lastUpdated": -1}, "resolvedByUserId": {"resolvedByUserId": ""},
		"suggestion.status": kit.Decides("maybe"), "assignedTo": {"assignedTo": map[string]any{"userId": "a", "own": strings.Repeat("x", 8<<10)}},
		"targetElement.occurrence": {"targetElement": map[string]any{"occurrence": -1}},
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateAnnotations, kit.Updating(fields))
		require.Equal(t, "updatedData."+path, strings.Join(failure.Issues[0].Path, "."))
		require.Len(t, failure.Issues, 1, path)
	}
	pair := map[string]any{"oldUser": map[string]any{"userId": "ann"}, "newUser": map[string]any{"userId": "bob"}}
	for path, change := range map[string]map[string]any{
		"annotationIds":                {"annotationIds": []string{}},
		"annotationIds of too many":    {"annotationIds": kit.Many(101)},
		"locationIds":                  {"locationIds": kit.Many(31)},
		"allAnnotations":               {"allAnnotations": true},
		"updatedData":                  {"updatedData": nil},
		"updatedData of none":          {"updatedData": []any{}},
		"updatedData of two":           {"updatedData": []any{map[string]any{}, map[string]any{}}},
		"updateUsers":                  {"updateUsers": []any{}},
		"updateUsers.1.oldUser.userId": {"updateUsers": []any{pair, pair}},
		"updateUsers.0.newUser":        {"updateUsers": []any{map[string]any{"oldUser": map[string]any{"userId": "ann"}}}},
		"actionUser.userId":            {"actionUser": map[string]any{}},
		"pageToken":                    {"pageToken": "x"},
	} {
		path, _, _ = strings.Cut(path, " ")
		failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateAnnotations, kit.Updating(map[string]any{"priority": nil}, change))
		require.Equal(t, path, strings.Join(failure.Issues[0].Path, "."))
	}
	for resource, call := range map[string]map[string]any{"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]},
			kit.Details(env, client.UpdateAnnotations, kit.Updating(map[string]any{}, call)))
	}
	require.Equal(t, before, kit.Discussion(env))
}

func TestAnnotationsUpdate_PrivateOnesAreSwitchedOff(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	_, err := env.DB().Exec(env.Ctx, `UPDATE workspaces SET private_comments = false WHERE id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	require.Equal(t, "private-comments-disabled", kit.Details(env, client.UpdateAnnotations, kit.Updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"a"}}}))["reason"])
	kit.Gives(env, kit.Updating(map[string]any{"visibility": nil, "priority": kit.PriorityOf("P1")}))
}

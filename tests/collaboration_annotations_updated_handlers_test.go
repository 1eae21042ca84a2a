package tests

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnnotationsUpdate_WhoResolved(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	resolver := func() (found *string) {
		require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT resolved_by FROM annotations WHERE workspace_id = $1`, s.workspace.ID).Scan(&found))
		return found
	}
	done, closed, open, wip := statusOf("DONE", "terminal"), statusOf("CLOSED", "terminal"), statusOf("NEW", "default"), statusOf("WIP", "ongoing")
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
		call := updating(step.fields)
		if step.actor != "" {
			maps.Copy(call, doneBy(step.actor))
		}
		s.gives(call)
		if found := resolver(); step.want == "" {
			require.Nil(t, found, "step %d", i)
		} else {
			require.Equal(t, step.want, *found, "step %d", i)
		}
	}
}

func TestAnnotationsUpdate_WhatBecomesAJudgment(t *testing.T) {
	s := begin(t)
	s.people(user("kim", "Kim", "kim@example.com"))
	note := with(suggesting(map[string]any{"oldValue": "a", "newValue": map[string]any{"b": 1.10}, "summary": "Shorter."}, wrote("ann", "Root."), wrote("bob", "Ask {{kim}}.")),
		map[string]any{"context": map[string]any{"contentType": "ad"}, "targetElement": map[string]any{"targetText": "Buy now"}})
	s.annotate(made("d", note))
	content := func(recordID string) (content, annotationID string) {
		require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT content, annotation_id FROM judgments WHERE workspace_id = $1 AND record_id = $2`, s.workspace.ID, recordID).Scan(&content, &annotationID))
		return content, annotationID
	}
	kim := map[string]any{"userId": "kim", "name": "Kim", "email": "kim@example.com"}
	for i, step := range []struct {
		fields     map[string]any
		decision   string
		confidence float64
		reasoning  string
		content    string
	}{
		{map[string]any{"status": statusOf("WIP", "ongoing")}, "in_progress", 0.50, "Ask Kim.", "Buy now"},
		{map[string]any{"status": statusOf("WIP2", "ongoing")}, "", 0, "", ""},
		{map[string]any{"status": statusOf("DONE", "terminal")}, "resolve", 0.70, "Ask Kim.", "Buy now"},
		{map[string]any{"status": statusOf("OPEN", "default")}, "", 0, "", ""},
		{map[string]any{"status": statusOf("DONE", "terminal"), "targetElement": nil}, "resolve", 0.70, "Ask Kim.", "Root."},
		{decides("accepted"), "approve", 0.80, "Shorter.", "a\n{\"b\":1.1}"},
		{decides("accepted", map[string]any{"reason": "Good."}), "", 0, "", ""},
		{decides("pending", map[string]any{"oldValue": "x"}), "", 0, "", ""},
		{decides("rejected", map[string]any{"reason": "Too short.", "newValue": "y"}), "reject", 0.90, "Too short.", "y"},
		{decides("pending"), "", 0, "", ""},
		{decides("accepted", map[string]any{"reason": 7}), "approve", 0.80, "", "Root."},
		{map[string]any{"priority": priorityOf("P1"), "assignedTo": map[string]any{"userId": "bob"}}, "", 0, "", ""},
	} {
		before := s.judgments(nil).Total
		s.gives(updating(step.fields, doneBy("kim")))
		page := s.judgments(nil)
		if step.decision == "" {
			require.Equal(t, before, page.Total, "step %d", i)
			continue
		}
		require.Equal(t, before+1, page.Total, "step %d", i)
		found := page.Results[0]
		require.Equal(t, []any{step.decision, step.confidence, step.reasoning, "human", "ad", kim, nil},
			[]any{found.Decision, found.Confidence, found.Reasoning, found.JudgeType, found.ContentType, found.ActionUser, found.Agent}, "step %d", i)
		require.Equal(t, "d", *found.DocumentID)
		judged, annotationID := content(found.RecordID)
		require.Equal(t, []string{step.content, "n"}, []string{judged, annotationID}, "step %d", i)
	}
	s.items(deleteAnnotations, noted(map[string]any{"annotationIds": []string{"n"}}))
	require.Zero(t, s.judgments(nil).Total, "they go with the annotation")
}

func TestAnnotationsUpdate_OfNoSuggestion(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("a", wrote("ann", "one")), with(suggesting(map[string]any{"summary": "x"}, wrote("ann", "two")), map[string]any{"context": nil})))
	call := updating(with(decides("accepted"), map[string]any{"priority": priorityOf("P1")}), doneBy("kim"), map[string]any{"annotationIds": []string{"a", "n"}})
	require.Equal(t, map[string]itemView{"a": {ID: "a", Message: "The annotation suggests nothing.", Code: "not-a-suggestion"}, "n": given("n")}, s.items(updateAnnotations, call))
	var changed string
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT string_agg(annotation_id, ' ') FROM annotations WHERE workspace_id = $1 AND priority IS NOT NULL`, s.workspace.ID).Scan(&changed))
	require.Equal(t, "n", changed, "nothing of the other one")
	suggestion := func() (text string) {
		require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT suggestion FROM annotations WHERE workspace_id = $1 AND annotation_id = 'n'`, s.workspace.ID).Scan(&text))
		return text
	}
	s.gives(updating(map[string]any{"suggestion": map[string]any{"summary": "y"}}))
	require.JSONEq(t, `{"status": "accepted", "summary": "y"}`, suggestion(), "without a status it stays decided")
	s.gives(updating(map[string]any{"suggestion": nil}))
	require.JSONEq(t, `{"status": "pending"}`, suggestion())
}

func TestAnnotationsUpdate_ATimeThatIsSent(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	s.gives(with(updating(nil), map[string]any{"updatedData": []any{map[string]any{"priority": priorityOf("P1"), "lastUpdated": 1767225600999, "createdAt": 5}}}))
	after := s.discussion()
	require.Equal(t, []string{"2026-01-01T00:00:00.999Z", "1970-01-01T00:00:00.005Z"}, []string{after.LastUpdated, after.CreatedAt})
	s.gives(updating(map[string]any{"lastUpdated": 7}))
	require.Equal(t, "1970-01-01T00:00:00.007Z", s.discussion().LastUpdated)
	s.gives(updating(map[string]any{"from": map[string]any{"userId": "bob", "name": "Bob"}}))
	require.Equal(t, authorView{"bob", "Bob", ""}, s.discussion().From)
	require.Greater(t, s.discussion().LastUpdated, "2026-01-02")
}

func TestAnnotationsUpdate_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	before := s.discussion()
	for path, fields := range map[string]map[string]any{
		"location.id": {"location": map[string]any{}}, "status.svg": {"status": with(statusOf("A", "default"), map[string]any{"iconUrl": nil})},
		"status.type": {"status": statusOf("A", "other")}, "priority.name": {"priority": map[string]any{"id": "a", "color": "", "lightColor": ""}},
		"context": {"context": manyKeys(201)}, "visibility.userIds": {"visibility": map[string]any{"type": "restricted"}},
		"from": {"from": nil}, "createdAt": {"createdAt": nil}, "lastUpdated": {"lastUpdated": -1}, "resolvedByUserId": {"resolvedByUserId": ""},
		"suggestion.status": decides("maybe"), "assignedTo": {"assignedTo": map[string]any{"userId": "a", "own": strings.Repeat("x", 8<<10)}},
		"targetElement.occurrence": {"targetElement": map[string]any{"occurrence": -1}},
	} {
		failure := s.refusedAs("INVALID_ARGUMENT", updateAnnotations, updating(fields))
		require.Equal(t, "updatedData."+path, strings.Join(failure.Issues[0].Path, "."))
		require.Len(t, failure.Issues, 1, path)
	}
	pair := map[string]any{"oldUser": map[string]any{"userId": "ann"}, "newUser": map[string]any{"userId": "bob"}}
	for path, change := range map[string]map[string]any{
		"annotationIds":                {"annotationIds": []string{}},
		"annotationIds of too many":    {"annotationIds": many(101)},
		"locationIds":                  {"locationIds": many(31)},
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
		failure := s.refusedAs("INVALID_ARGUMENT", updateAnnotations, updating(map[string]any{"priority": nil}, change))
		require.Equal(t, path, strings.Join(failure.Issues[0].Path, "."))
	}
	for resource, call := range map[string]map[string]any{"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]},
			s.details(updateAnnotations, updating(map[string]any{}, call)))
	}
	require.Equal(t, before, s.discussion())
}

func TestAnnotationsUpdate_PrivateOnesAreSwitchedOff(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	_, err := s.rows().Exec(s.ctx, `UPDATE workspaces SET private_comments = false WHERE id = $1`, s.workspace.ID)
	require.NoError(t, err)
	require.Equal(t, "private-comments-disabled", s.details(updateAnnotations, updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"a"}}}))["reason"])
	s.gives(updating(map[string]any{"visibility": nil, "priority": priorityOf("P1")}))
}

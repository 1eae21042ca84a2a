package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

func TestAnnotationsFind_3_TokensOfOtherFiltersAndWorkspaces(t *testing.T) {
	env := kit.NewWorkspace(t)
	stranger := kit.Elsewhere(env)
	add := kit.Made("d", kit.ChangedAt("a", 1), kit.ChangedAt("b", 2), kit.ChangedAt("c", 3))
	kit.Annotate(env, add)
	kit.Annotate(stranger, add)
	data := kit.Doc("d", map[string]any{"pageSize": 1})
	data["pageToken"] = kit.Older[[]*redline.WholeAnnotation](env, kit.FindAnnotations, data).NextPageToken
	require.Equal(t, []string{"b"}, kit.Notes(env, data))
	require.Equal(t, []string{"b", "a"}, kit.Notes(env, kit.With(data, map[string]any{"pageSize": 5})), "how long pages are is no filter")
	for field, value := range map[string]any{
		"documentId": "e", "folderId": "f", "locationIds": []string{"l"}, "annotationIds": []string{"b"}, "userIds": []string{"ann"},
		"mentionedUserIds": []string{"ann"}, "statusIds": []string{"OPEN"}, "resolvedBy": "ann", "type": "comment", "updatedAfter": 1,
		"updatedBefore": 9, "createdAfter": 1, "createdBefore": 9, "viewerUserId": "ann", "order": "asc", "agentId": "a", "executionId": "e",
		"agentType": "custom", "agentSource": "svc", "agentSuggestions": true, "agentComments": true, "organizationId": "other", "pageToken": "none",
	} {
		failure := kit.OlderRefused(env, "INVALID_ARGUMENT", kit.FindAnnotations, kit.With(data, map[string]any{field: value}))
		require.Equal(t, []string{"pageToken"}, failure.Issues[0].Path, field)
	}
	kit.OlderRefused(stranger, "INVALID_ARGUMENT", kit.FindAnnotations, data)
	delete(data, "documentId")
	kit.OlderRefused(env, "INVALID_ARGUMENT", kit.FindAnnotations, data)
	kit.OlderRefused(env, "INVALID_ARGUMENT", kit.GetAnnotations, kit.With(data, map[string]any{"documentId": "d"}))
}

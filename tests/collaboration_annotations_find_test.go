package tests

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

const findAnnotations = "/v2/commentannotations/get"

// foundNote is what stories look at of an annotation that is read whole.
type foundNote struct {
	AnnotationID     string            `json:"annotationId"`
	DocumentID       string            `json:"documentId"`
	FolderID         *string           `json:"folderId"`
	LastUpdated      int64             `json:"lastUpdated"`
	Comments         []json.RawMessage `json:"comments"`
	CommentCount     int               `json:"commentCount"`
	ResolvedByUserID string            `json:"resolvedByUserId"`
	MentionedUserIDs []string          `json:"mentionedUserIds"`
}

// foundIDs are the annotations of a page, with a dash for an empty slot.
func foundIDs(page []*foundNote) []string {
	ids := []string{}
	for _, a := range page {
		if a == nil {
			ids = append(ids, "-")
			continue
		}
		ids = append(ids, a.AnnotationID)
	}
	return ids
}

// notes are the annotations of one page.
func (s *scene) notes(data map[string]any) []string {
	s.t.Helper()
	return foundIDs(older[[]*foundNote](s, findAnnotations, data).Data)
}

// walks are the annotations of all pages; between tells of each page but the last.
func (s *scene) walks(data map[string]any, between func(page int)) (ids []string) {
	s.t.Helper()
	for pages := 1; ; pages++ {
		page := older[[]*foundNote](s, findAnnotations, data)
		ids = append(ids, foundIDs(page.Data)...)
		if page.NextPageToken == "" {
			return ids
		}
		data = with(data, map[string]any{"pageToken": page.NextPageToken})
		between(pages)
	}
}

// changedAt is an annotation that was last changed at a time.
func changedAt(annotationID string, ms int) map[string]any {
	return annotated(annotationID, wrote("ann", "a", map[string]any{"lastUpdated": ms}))
}

func TestAnnotationsFind_3_TokensOfOtherFiltersAndWorkspaces(t *testing.T) {
	s := begin(t)
	stranger := s.elsewhere()
	add := made("d", changedAt("a", 1), changedAt("b", 2), changedAt("c", 3))
	s.annotate(add)
	stranger.annotate(add)
	data := doc("d", map[string]any{"pageSize": 1})
	data["pageToken"] = older[[]*foundNote](s, findAnnotations, data).NextPageToken
	require.Equal(t, []string{"b"}, s.notes(data))
	require.Equal(t, []string{"b", "a"}, s.notes(with(data, map[string]any{"pageSize": 5})), "how long pages are is no filter")
	for field, value := range map[string]any{
		"documentId": "e", "folderId": "f", "locationIds": []string{"l"}, "annotationIds": []string{"b"}, "userIds": []string{"ann"},
		"mentionedUserIds": []string{"ann"}, "statusIds": []string{"OPEN"}, "resolvedBy": "ann", "type": "comment", "updatedAfter": 1,
		"updatedBefore": 9, "createdAfter": 1, "createdBefore": 9, "viewerUserId": "ann", "order": "asc", "agentId": "a", "executionId": "e",
		"agentType": "custom", "agentSource": "svc", "agentSuggestions": true, "agentComments": true, "organizationId": "other", "pageToken": "none",
	} {
		failure := s.olderRefused("INVALID_ARGUMENT", findAnnotations, with(data, map[string]any{field: value}))
		require.Equal(t, []string{"pageToken"}, failure.Issues[0].Path, field)
	}
	stranger.olderRefused("INVALID_ARGUMENT", findAnnotations, data)
	delete(data, "documentId")
	s.olderRefused("INVALID_ARGUMENT", findAnnotations, data)
	s.olderRefused("INVALID_ARGUMENT", getAnnotations, with(data, map[string]any{"documentId": "d"}))
}

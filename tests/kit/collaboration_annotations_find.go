package kit

import (
	"encoding/json"

	"github.com/redline-svc/redline/tests/kit/client"
)

// FindAnnotations is the path of the operation that reads annotations whole; it answers
// as the older family does.
const FindAnnotations = "/v2/" + client.GetAnnotations

// FoundNote is what tests look at of an annotation that is read whole.
type FoundNote struct {
	AnnotationID     string            `json:"annotationId"`
	DocumentID       string            `json:"documentId"`
	FolderID         *string           `json:"folderId"`
	LastUpdated      int64             `json:"lastUpdated"`
	Comments         []json.RawMessage `json:"comments"`
	CommentCount     int               `json:"commentCount"`
	ResolvedByUserID string            `json:"resolvedByUserId"`
	MentionedUserIDs []string          `json:"mentionedUserIds"`
}

// FoundIDs returns the ids of the annotations of a page, with a dash for an empty slot.
func FoundIDs(page []*FoundNote) []string {
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

// Notes returns the ids of the annotations of one page.
func Notes(env *Env, data map[string]any) []string {
	env.T.Helper()
	return FoundIDs(Older[[]*FoundNote](env, FindAnnotations, data).Data)
}

// Walks returns the ids of the annotations of all pages; between is called with the
// number of each page but the last.
func Walks(env *Env, data map[string]any, between func(page int)) (ids []string) {
	env.T.Helper()
	for pages := 1; ; pages++ {
		page := Older[[]*FoundNote](env, FindAnnotations, data)
		ids = append(ids, FoundIDs(page.Data)...)
		if page.NextPageToken == "" {
			return ids
		}
		data = With(data, map[string]any{"pageToken": page.NextPageToken})
		between(pages)
	}
}

// ChangedAt returns an annotation whose comment was last changed at the time, in
// milliseconds.
func ChangedAt(annotationID string, ms int) map[string]any {
	return Annotated(annotationID, Wrote("ann", "a", map[string]any{"lastUpdated": ms}))
}

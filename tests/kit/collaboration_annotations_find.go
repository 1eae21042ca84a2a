package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// FindAnnotations is the path of the operation that reads annotations whole; it answers
// as the older family does.
const FindAnnotations = "/v2/" + client.GetAnnotations

// FoundIDs returns the ids of the annotations of a page, with a dash for an empty slot.
func FoundIDs(page []*redline.WholeAnnotation) []string {
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
	return FoundIDs(Older[[]*redline.WholeAnnotation](env, FindAnnotations, data).Data)
}

// Walks returns the ids of the annotations of all pages; between is called with the
// number of each page but the last.
func Walks(env *Env, data map[string]any, between func(page int)) (ids []string) {
	env.T.Helper()
	for pages := 1; ; pages++ {
		page := Older[[]*redline.WholeAnnotation](env, FindAnnotations, data)
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

package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
)

// WentAway returns the entry of an annotation that was deleted.
func WentAway(id string) redline.Item {
	return redline.Item{Success: true, ID: id, Message: "Annotation deleted."}
}

// Absent returns the entry of an annotation that the document does not have.
func Absent(id string) redline.Item {
	return redline.Item{ID: id, Message: "The document has no such annotation.", Code: "not-found"}
}

// Noted returns a call about annotations of the document d.
func Noted(selectors map[string]any) map[string]any { return Doc("d", selectors) }

// NotesOf returns the ids of the annotations that a document has.
func NotesOf(env *Env, documentID string) (ids []string) {
	env.T.Helper()
	for _, a := range Older[[]redline.Annotation](env, GetAnnotations, Doc(documentID)).Data {
		ids = append(ids, a.AnnotationID)
	}
	return ids
}

package kit

import ()

// DeletedView is what a deletion of annotations answers.
type DeletedView struct {
	Data    map[string]ItemView `json:"data"`
	HasMore bool                `json:"hasMore"`
}

// WentAway is the entry of an annotation that was deleted, absent that of one that was not there.
func WentAway(id string) ItemView {
	return ItemView{Success: true, ID: id, Message: "Annotation deleted."}
}

func Absent(id string) ItemView {
	return ItemView{ID: id, Message: "The document has no such annotation.", Code: "not-found"}
}

// Noted is a call about annotations of the document d.
func Noted(selectors map[string]any) map[string]any { return Doc("d", selectors) }

// NotesOf are the annotations that a document has.
func NotesOf(env *Env, documentID string) (ids []string) {
	env.T.Helper()
	for _, a := range Older[[]AnnotationView](env, GetAnnotations, Doc(documentID)).Data {
		ids = append(ids, a.AnnotationID)
	}
	return ids
}

package kit

import ()

// AmongPartners makes an annotation private to an organization beside acme.
func AmongPartners(annotation map[string]any) map[string]any {
	annotation["visibility"] = map[string]any{"type": "organizationPrivate", "organizationId": "partners", "userIds": []string{"eve"}}
	return annotation
}

// Thread is what one user's read of comments returns.
func Thread(env *Env, annotationID string, authors ...string) []*CommentView {
	env.T.Helper()
	return Older[[]*CommentView](env, GetComments, Doc("d", map[string]any{"annotationId": annotationID, "userIds": authors})).Data
}

func TextsOf(comments []*CommentView) []string {
	texts := []string{}
	for _, c := range comments {
		texts = append(texts, c.CommentText)
	}
	return texts
}

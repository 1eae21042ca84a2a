package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
)

// AmongPartners makes an annotation private to the organization partners, and lets eve
// see it too.
func AmongPartners(annotation map[string]any) map[string]any {
	annotation["visibility"] = map[string]any{"type": "organizationPrivate", "organizationId": "partners", "userIds": []string{"eve"}}
	return annotation
}

// Thread returns the comments of an annotation of the document d, or those by the
// authors.
func Thread(env *Env, annotationID string, authors ...string) []*redline.ThreadComment {
	env.T.Helper()
	return Older[[]*redline.ThreadComment](env, GetComments, Doc("d", map[string]any{"annotationId": annotationID, "userIds": authors})).Data
}

// TextsOf returns the texts of comments.
func TextsOf(comments []*redline.ThreadComment) []string {
	texts := []string{}
	for _, c := range comments {
		texts = append(texts, c.CommentText)
	}
	return texts
}

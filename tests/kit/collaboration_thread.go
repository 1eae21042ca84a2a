package kit

import (
	"encoding/json"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// GetWholeComments is the path of the operation that reads comments whole; it answers as
// the older family does.
const GetWholeComments = "/v2/" + client.GetComments

// WholeView is a comment with all that is known of it.
type WholeView struct {
	CommentID          int64           `json:"commentId"`
	CommentText        string          `json:"commentText"`
	CommentHTML        string          `json:"commentHtml"`
	From               redline.Author  `json:"from"`
	CreatedAt          int64           `json:"createdAt"`
	LastUpdated        string          `json:"lastUpdated"`
	Context            json.RawMessage `json:"context"`
	TaggedUserContacts json.RawMessage `json:"taggedUserContacts"`
}

// ThreadOf returns the thread of an annotation of the document d.
func ThreadOf(env *Env, annotationID string, more map[string]any) []*WholeView {
	env.T.Helper()
	return Older[[]*WholeView](env, GetWholeComments, Doc("d", map[string]any{"annotationId": annotationID}, more)).Data
}

// TextsIn returns the texts of a thread, with a dash for an empty slot.
func TextsIn(thread []*WholeView) (texts []string) {
	for _, c := range thread {
		if c == nil {
			texts = append(texts, "-")
			continue
		}
		texts = append(texts, c.CommentText)
	}
	return texts
}

package tests

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const getWholeComments = "/v2/commentannotations/comments/get"

// wholeView is a comment with all that is known of it.
type wholeView struct {
	CommentID          int64           `json:"commentId"`
	CommentText        string          `json:"commentText"`
	CommentHTML        string          `json:"commentHtml"`
	From               authorView      `json:"from"`
	CreatedAt          int64           `json:"createdAt"`
	LastUpdated        string          `json:"lastUpdated"`
	Context            json.RawMessage `json:"context"`
	TaggedUserContacts json.RawMessage `json:"taggedUserContacts"`
}

// threadOf is the thread of an annotation of the document d.
func (s *scene) threadOf(annotationID string, more map[string]any) []*wholeView {
	s.t.Helper()
	return older[[]*wholeView](s, getWholeComments, doc("d", map[string]any{"annotationId": annotationID}, more)).Data
}

func textsIn(thread []*wholeView) (texts []string) {
	for _, c := range thread {
		if c == nil {
			texts = append(texts, "-")
			continue
		}
		texts = append(texts, c.CommentText)
	}
	return texts
}

// A comment is read as it is shown in events.
func TestWholeCommentsGet_AsTheyWereAdded(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	s.people(user("bob", "Bob", "bob@example.com"))
	s.annotate(object(t, fullAdd))
	var want []map[string]any
	require.NoError(t, json.Unmarshal(s.shownOf("/told", 1)["full"]["comments"], &want))
	require.NotEmpty(t, want)
	found := older[[]map[string]any](s, getWholeComments, map[string]any{"organizationId": "acme", "documentId": "spring", "annotationId": "full"}).Data
	require.Equal(t, want, found)

	exact := map[string]any{"context": json.RawMessage(`{"n": 12345678901234567890, "f": 0.1000}`)}
	s.annotate(made("d", annotated("n", wrote("ann", "{{bob}}", exact), wrote("ann", "b"))))
	thread := s.threadOf("n", nil)
	require.Equal(t, `{"n":12345678901234567890,"f":0.1000}`, strings.ReplaceAll(string(thread[0].Context), " ", ""))
	require.JSONEq(t, `[{"userId":"bob","contact":{"userId":"bob","name":"Bob","email":"bob@example.com"}}]`, string(thread[0].TaggedUserContacts))
	require.Equal(t, []string{`{}`, `[]`}, []string{string(thread[1].Context), string(thread[1].TaggedUserContacts)})
	s.call(updateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	call := doc("d", map[string]any{"annotationId": "n"})
	require.Equal(t, "advanced-queries-disabled", s.olderRefused("FAILED_PRECONDITION", getWholeComments, call).Reason)
}

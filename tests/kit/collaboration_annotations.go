package kit

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Paths of the operations of the older family, whose results stand in "result" with a
// status.
const (
	GetAnnotations = "/v1/commentannotations/get"
	GetComments    = "/v1/commentannotations/comments/get"
	CountNotes     = "/v1/commentannotations/count/get"
	CountAgain     = "/v2/" + client.CountAnnotations
)

// PagedView is a result with a status that may have a next page.
type PagedView[T any] struct {
	Status        string `json:"status"`
	Data          T      `json:"data"`
	NextPageToken string `json:"nextPageToken"`
}

// Older makes an operation of the older family, which has to succeed, and returns its
// result.
func Older[T any](env *Env, path string, data map[string]any) PagedView[T] {
	env.T.Helper()
	view, err := TryOlder[T](env, path, data)
	require.NoError(env.T, err, path)
	require.Equal(env.T, "success", view.Status)
	return view
}

// TryOlder is Older for any goroutine; a refusal is an error.
func TryOlder[T any](env *Env, path string, data map[string]any) (PagedView[T], error) {
	var answer struct {
		Result PagedView[T] `json:"result"`
	}
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return answer.Result, err
	}
	reply, err := env.Keyed.Send(env.Ctx, path, body, nil)
	if err != nil {
		return answer.Result, err
	}
	if failure := reply.Failure(); failure != nil {
		return answer.Result, failure
	}
	err = json.Unmarshal(reply.Body, &answer)
	return answer.Result, err
}

// OlderReply makes an operation of the older family and returns the reply, whatever its
// status.
func OlderReply(env *Env, path string, data map[string]any) *client.Reply {
	env.T.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(env.T, err)
	reply, err := env.Keyed.Send(env.Ctx, path, body, nil)
	require.NoError(env.T, err)
	return reply
}

// OlderRefused makes an operation of the older family that has to be refused with the
// status, and returns the refusal.
func OlderRefused(env *Env, status, path string, data map[string]any) *redline.Error {
	env.T.Helper()
	failure := OlderReply(env, path, data).Failure()
	require.NotNil(env.T, failure)
	require.Equal(env.T, status, string(failure.Status), "%v", failure)
	return failure
}

// Wrote returns a comment by a user, with more fields.
func Wrote(user, text string, more ...map[string]any) map[string]any {
	comment := map[string]any{"commentText": text, "from": map[string]any{"userId": user}}
	for _, fields := range more {
		maps.Copy(comment, fields)
	}
	return comment
}

// Annotated returns an annotation of these comments.
func Annotated(annotationID string, comments ...map[string]any) map[string]any {
	return map[string]any{"annotationId": annotationID, "commentData": comments}
}

// Doc returns a call about a document of acme, with more fields.
func Doc(documentID string, more ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme", "documentId": documentID}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// Made returns a call that adds annotations to a document and makes the document and acme
// where they are missing.
func Made(documentID string, annotations ...map[string]any) map[string]any {
	return Doc(documentID, map[string]any{"createOrganization": true, "createDocument": true, "commentAnnotations": annotations})
}

// Checked makes an add ask whether its authors may write.
func Checked(data map[string]any) map[string]any {
	data["verifyUserPermissions"] = true
	return data
}

// Annotate adds annotations, which has to succeed, and returns an entry for each.
func Annotate(env *Env, data map[string]any) map[string]redline.AddedAnnotation {
	env.T.Helper()
	var added redline.AddedAnnotationByIDResult
	env.Call(client.AddAnnotations, data, &added)
	require.Equal(env.T, redline.AddedAnnotationByIDResultStatusSuccess, added.Status)
	return added.Data
}

// Counts returns how many annotations each document has and how many of them a user has
// not read.
func Counts(env *Env, user string, documents ...string) map[string][2]int {
	env.T.Helper()
	type count struct{ Total, Unread int }
	found := Older[map[string]count](env, CountNotes, map[string]any{"organizationId": "acme", "documentIds": documents, "userId": user})
	pairs := map[string][2]int{}
	for document, c := range found.Data {
		pairs[document] = [2]int{c.Total, c.Unread}
	}
	return pairs
}

// MayWrite reports whether a user may add an annotation to a document, by an add that
// asks for it; a refusal has to be PERMISSION_DENIED.
func MayWrite(env *Env, user, documentID string) bool {
	env.T.Helper()
	data := Checked(Made(documentID, map[string]any{"commentData": []any{Wrote(user, "a")}}))
	_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.AddAnnotations, data)
	if refused := redline.AsError(err); refused != nil {
		require.Equal(env.T, redline.ProblemStatusPermissionDenied, refused.Status)
		return false
	}
	require.NoError(env.T, err)
	return true
}

// ManyTags returns a text that tags so many users.
func ManyTags(count int) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "{{u%d}}", i)
	}
	return text.String()
}

// ManyKeys returns an object with so many keys.
func ManyKeys(n int) any { return Numbered(n) }

package kit

import (
	"encoding/json"
	"maps"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	GetAnnotations = "/v1/commentannotations/get"
	GetComments    = "/v1/commentannotations/comments/get"
	CountNotes     = "/v1/commentannotations/count/get"
	CountAgain     = "/v2/commentannotations/count/get"
)

type AuthorView struct {
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Email  string `json:"email"`
}

type CommentView struct {
	CommentID   int64      `json:"commentId"`
	CommentText string     `json:"commentText"`
	CommentHTML string     `json:"commentHtml"`
	From        AuthorView `json:"from"`
	LastUpdated string     `json:"lastUpdated"`
	Type        string     `json:"type"`
	Status      string     `json:"status"`
}

type AnnotationView struct {
	AnnotationID string        `json:"annotationId"`
	Comments     []CommentView `json:"comments"`
	From         AuthorView    `json:"from"`
	Color        string        `json:"color"`
	CreatedAt    string        `json:"createdAt"`
	LastUpdated  string        `json:"lastUpdated"`
	Status       struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Color string `json:"color"`
		Type  string `json:"type"`
	} `json:"status"`
}

type AddedView struct {
	Success      bool    `json:"success"`
	AnnotationID string  `json:"annotationId"`
	CommentIDs   []int64 `json:"commentIds"`
	FindingID    string  `json:"findingId"`
}

type PagedView[T any] struct {
	Status        string `json:"status"`
	Data          T      `json:"data"`
	NextPageToken string `json:"nextPageToken"`
}

// Older makes an operation of the older family, which has to succeed.
func Older[T any](env *Env, path string, data map[string]any) PagedView[T] {
	env.T.Helper()
	view, err := TryOlder[T](env, path, data)
	require.NoError(env.T, err, path)
	require.Equal(env.T, "success", view.Status)
	return view
}

// TryOlder is older for any goroutine; a refusal is an error.
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

func OlderReply(env *Env, path string, data map[string]any) *client.Reply {
	env.T.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(env.T, err)
	reply, err := env.Keyed.Send(env.Ctx, path, body, nil)
	require.NoError(env.T, err)
	return reply
}

// OlderRefused is an operation of the older family that is answered with an
// error.
func OlderRefused(env *Env, status, path string, data map[string]any) *client.Failure {
	env.T.Helper()
	failure := OlderReply(env, path, data).Failure()
	require.NotNil(env.T, failure)
	require.Equal(env.T, status, failure.Status, "%v", failure)
	return failure
}

// Wrote is a comment by a user.
func Wrote(user, text string, more ...map[string]any) map[string]any {
	comment := map[string]any{"commentText": text, "from": map[string]any{"userId": user}}
	for _, fields := range more {
		maps.Copy(comment, fields)
	}
	return comment
}

// Annotated is an annotation of these comments.
func Annotated(annotationID string, comments ...map[string]any) map[string]any {
	return map[string]any{"annotationId": annotationID, "commentData": comments}
}

// Doc names a document of acme, with more fields.
func Doc(documentID string, more ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme", "documentId": documentID}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// Made is doc for an add that makes what is missing.
func Made(documentID string, annotations ...map[string]any) map[string]any {
	return Doc(documentID, map[string]any{"createOrganization": true, "createDocument": true, "commentAnnotations": annotations})
}

func Annotate(env *Env, data map[string]any) map[string]AddedView {
	env.T.Helper()
	var added client.Wrapped[map[string]AddedView]
	env.Call(client.AddAnnotations, data, &added)
	require.Equal(env.T, "success", added.Status)
	return added.Data
}

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

// access is one user's add with verifyUserPermissions to a document.
func MayWrite(env *Env, user, documentID string) bool {
	env.T.Helper()
	data := Made(documentID, map[string]any{"commentData": []any{Wrote(user, "a")}})
	data["verifyUserPermissions"] = true
	_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.AddAnnotations, data)
	if refused := client.Refusal(err); refused != nil {
		require.Equal(env.T, "PERMISSION_DENIED", refused.Status)
		return false
	}
	require.NoError(env.T, err)
	return true
}

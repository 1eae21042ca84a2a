package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// keptComment is what is kept of a comment.
type keptComment struct {
	Status      string          `json:"status"`
	CreatedAt   int64           `json:"createdAt"`
	LastUpdated string          `json:"lastUpdated"`
	CommentText string          `json:"commentText"`
	Attachments json.RawMessage `json:"attachments"`
	Progress    json.RawMessage `json:"progress"`
	Actions     json.RawMessage `json:"actions"`
}

// keptComments reads the comments of the annotation n whole.
func keptComments(env *kit.Env) []keptComment {
	env.T.Helper()
	return kit.Older[[]keptComment](env, kit.GetWholeComments, kit.Doc("d", map[string]any{"annotationId": "n"})).Data
}

// written is JSON text as it is sent.
func written(text string) json.RawMessage { return json.RawMessage(text) }

// refusedAt makes a call that has to be refused for one fault, and returns where that is.
func refusedAt(env *kit.Env, code, operation string, call map[string]any) string {
	env.T.Helper()
	issues := env.RefusedAs("INVALID_ARGUMENT", operation, call).Issues
	require.Len(env.T, issues, 1)
	require.Equal(env.T, code, issues[0].Code)
	return strings.Join(issues[0].Path, ".")
}

func TestKept_OfACommentIsReplacedAndCleared(t *testing.T) {
	env := newWorkspace(t)
	const file = `{"attachmentId":7,"name":"<a>","url":"https://nowhere.invalid/x.png","metadata":{"n":12345678901234567890.10}}`
	const steps = `{"state":"active","steps":[{"label":"one","metadata":{"f":0.10}}],"visibleToUserIds":["bob"],"startedAt":5}`
	kit.Discuss(env, kit.Wrote("ann", "one", map[string]any{
		"attachments": written(`[` + file + `,{"size":0}]`), "progress": written(steps), "actions": written(`[{"id":"go","disabled":false}]`),
	}))
	found := keptComments(env)[0]
	var files []map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(found.Attachments, &files))
	require.JSONEq(t, `0`, string(files[1]["size"]))
	require.NotEmpty(t, files[1]["attachmentId"])
	require.Equal(t, `{"n":12345678901234567890.10}`, string(files[0]["metadata"]))
	require.JSONEq(t, steps, string(found.Progress))
	require.Equal(t, `[{"id":"go","disabled":false}]`, string(found.Actions))
	thread := kit.Discussion(env)

	kit.Edit(env, kit.Edited(map[string]any{"progress": map[string]any{"state": "completed"}}, 1))
	changed := keptComments(env)[0]
	require.Equal(t, `{"state":"completed"}`, string(changed.Progress), "the steps are gone")
	require.Equal(t, "added", changed.Status)
	require.Equal(t, found.Attachments, changed.Attachments)

	kit.Edit(env, kit.Edited(map[string]any{"attachments": nil, "progress": nil, "actions": []any{}}, 1))
	changed = keptComments(env)[0]
	require.Equal(t, "updated", changed.Status, "other files say something else")
	require.Nil(t, changed.Attachments)
	require.Nil(t, changed.Progress)
	require.Nil(t, changed.Actions)
	require.Equal(t, thread.Comments[0].CommentText, kit.Discussion(env).Comments[0].CommentText)
}

func TestKept_RulesOfAComment(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	reply := func(fields string) map[string]any {
		var more map[string]any
		require.NoError(t, json.Unmarshal([]byte(fields), &more))
		return kit.Replying(kit.Wrote("ann", "x", more))
	}
	large := strings.Repeat("x", 2000)
	files := strings.TrimSuffix(strings.Repeat(`{"bucketPath":"`+large+`"},`, 17), ",")
	for _, call := range []struct{ fields, code, path string }{
		{`{"attachments":[{"url":"javascript:alert(1)"}]}`, "format", "commentData.0.attachments.0.url"},
		{`{"attachments":[{"attachmentId":1},{"attachmentId":1}]}`, "duplicate", "commentData.0.attachments.1.attachmentId"},
		{`{"attachments":[` + files + `]}`, "length", "commentData.0.attachments"},
		{`{"progress":{"steps":[]}}`, "required", "commentData.0.progress.state"},
		{`{"progress":{"state":"active","steps":[{}]}}`, "required", "commentData.0.progress.steps.0.label"},
		{`{"actions":[{"id":"a"},{"id":"a"}]}`, "duplicate", "commentData.0.actions.1.id"},
	} {
		require.Equal(t, call.path, refusedAt(env, call.code, client.AddComments, reply(call.fields)), call.fields)
	}
	require.Len(t, kit.Discussion(env).Comments, 1)
}

func TestKept_CommentsUnderTheirOtherName(t *testing.T) {
	env := newWorkspace(t)
	add := func(fields map[string]any) map[string]any {
		return kit.Made("d", kit.With(map[string]any{"annotationId": "n"}, fields))
	}
	one := []any{kit.Wrote("ann", "one")}
	require.Equal(t, "commentAnnotations.0.commentData", refusedAt(env, "required", client.AddAnnotations, add(nil)))
	require.Equal(t, "commentAnnotations.0.comments", refusedAt(env, "conflict", client.AddAnnotations, add(map[string]any{"comments": one, "commentData": one})))
	nobody := []any{map[string]any{"commentText": "x"}}
	require.Equal(t, "commentAnnotations.0.comments.0.from", refusedAt(env, "required", client.AddAnnotations, add(map[string]any{"comments": nobody})))
	kit.Annotate(env, add(map[string]any{"comments": one}))
	kit.Reply(env, kit.Doc("d", map[string]any{"annotationId": "n", "comments": one}))
	require.Len(t, kit.Discussion(env).Comments, 2)
}

func TestKept_TimesOfAnEditedComment(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "hello {{bob}}"), kit.Wrote("bob", "two"))
	before := keptComments(env)
	kit.Edit(env, kit.Edited(map[string]any{"createdAt": 1000, "lastUpdated": 2000}, 2))
	after := keptComments(env)
	require.Equal(t, int64(1000), after[1].CreatedAt)
	require.Equal(t, "1970-01-01T00:00:02.000Z", after[1].LastUpdated)
	require.Equal(t, before[0], after[0], "the thread keeps its order")
	require.Equal(t, 1, kit.Counts(env, "ann", "d")["d"][1])
	kit.Edit(env, kit.Edited(map[string]any{"createdAt": 3000}, 1))
	edited := keptComments(env)[0]
	require.Equal(t, "hello {{bob}}", edited.CommentText)
	require.Equal(t, "updated", edited.Status)
	require.NotEqual(t, before[0].LastUpdated, edited.LastUpdated)
	var created []int64
	rows, err := env.DB().Query(env.Ctx, `SELECT (extract(epoch FROM created_at) * 1000)::bigint FROM judgments WHERE workspace_id = $1 ORDER BY 1`, env.Workspace.ID)
	require.NoError(t, err)
	for rows.Next() {
		var ms int64
		require.NoError(t, rows.Scan(&ms))
		created = append(created, ms)
	}
	require.NoError(t, rows.Err())
	require.Equal(t, []int64{1000, 3000}, created, "the judgments of the comments take their times over")
}

func TestKept_OfAnAnnotation(t *testing.T) {
	env := newWorkspace(t)
	const place = `{"actions":[{"id":"a"}],"pageInfo":{"url":"https://example.com","n":1.10},"isPageAnnotation":false,"positionX":1.10,
"positionY":-12345678901234567890.5,"screenWidth":0}`
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(place), &fields))
	sent := kit.Annotated("n", kit.Wrote("ann", "one"))
	for name, value := range fields {
		sent[name] = value
	}
	for name, value := range map[string]any{"positionX": "1", "screenHeight": "2", "isPageAnnotation": 1} {
		require.Equal(t, "commentAnnotations.0."+name, refusedAt(env, "type", client.AddAnnotations, kit.Made("d", kit.With(sent, map[string]any{name: value}))))
	}
	require.Equal(t, "commentAnnotations.0.screenWidth", refusedAt(env, "range", client.AddAnnotations, kit.Made("d", kit.With(sent, map[string]any{"screenWidth": -1}))))
	kit.Annotate(env, kit.Made("d", sent))
	read := func(more map[string]any) map[string]json.RawMessage {
		return kit.Older[[]map[string]json.RawMessage](env, kit.FindAnnotations, kit.Doc("d", more)).Data[0]
	}
	found := read(map[string]any{"includePageInfo": true, "includeMetadata": true})
	for name, value := range fields {
		require.Equal(t, string(value), string(found[name]), name)
	}
	require.JSONEq(t, `{"organizationId":"acme","documentId":"d","documentName":"d","folderId":null}`, string(found["metadata"]))
	found = read(nil)
	require.NotContains(t, found, "pageInfo")
	require.NotContains(t, found, "metadata")
	require.Equal(t, "1.10", string(found["positionX"]))

	twice := []any{map[string]any{"id": "a"}, map[string]any{"id": "a"}}
	require.Equal(t, "updatedData.actions.1.id", refusedAt(env, "duplicate", client.UpdateAnnotations, kit.Updating(map[string]any{"actions": twice})))
	kit.Gives(env, kit.Updating(map[string]any{"actions": nil}))
	found = read(nil)
	require.NotContains(t, found, "actions")
	require.Equal(t, "1.10", string(found["positionX"]))
}

// A change of a comment's progress or actions is told as any other, that of an annotation's actions is not; nobody is notified.
func TestKept_WhatIsToldOfAChange(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	kit.EndpointAt(env, "/told")
	kit.Discuss(env, kit.Wrote("ann", "hello {{bob}}", map[string]any{"attachments": written(`[{"name":"a"}]`)}))
	events := func() (names []string) {
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT array_agg(event ORDER BY sequence) FROM messages WHERE workspace_id = $1`, env.Workspace.ID).Scan(&names))
		return names
	}
	before := len(events())
	kit.Edit(env, kit.Edited(map[string]any{"progress": map[string]any{"state": "active", "visibleToUserIds": []string{"eve"}}}, 1))
	kit.Edit(env, kit.Edited(map[string]any{"actions": written(`[{"id":"a"}]`)}, 1))
	kit.Gives(env, kit.Updating(map[string]any{"actions": written(`[{"id":"a"}]`)}))
	require.Equal(t, []string{"comment.update", "comment.update"}, events()[before:])
	require.Empty(t, kit.NotifiedRows(env))
	older := kit.OlderReply(env, kit.GetAnnotations, kit.Doc("d"))
	require.Contains(t, string(older.Body), "hello {{bob}}")
	for _, kept := range []string{"attachments", "progress", "actions"} {
		require.NotContains(t, string(older.Body), `"`+kept+`"`, "the older read keeps its fields")
	}
}

// What is only kept counts among the bytes of a thread.
func TestKept_CountsInAThread(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	bytes := func() (n int64) {
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT thread_bytes FROM annotations WHERE workspace_id = $1`, env.Workspace.ID).Scan(&n))
		return n
	}
	before := bytes()
	kit.Edit(env, kit.Edited(map[string]any{"progress": map[string]any{"state": "active", "visibleToUserIds": []string{strings.Repeat("u", 200)}}}, 1))
	require.Greater(t, bytes(), before+200)
	kit.Edit(env, kit.Edited(map[string]any{"progress": nil}, 1))
	require.Equal(t, before, bytes())
}

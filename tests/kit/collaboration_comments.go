package kit

import (
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Edited returns a call that sets these fields of comments of the annotation n in the
// document d.
func Edited(fields map[string]any, commentIDs ...int64) map[string]any {
	return Doc("d", map[string]any{"annotationId": "n", "commentIds": commentIDs, "updatedData": fields})
}

// With returns a copy of a call with more in it.
func With(call, more map[string]any) map[string]any {
	all := maps.Clone(call)
	maps.Copy(all, more)
	return all
}

// Says returns the fields of a comment with the text.
func Says(text string) map[string]any { return map[string]any{"commentText": text} }

// Discuss adds the annotation n with these comments, whose ids are 1, 2 and so on, to the
// document d.
func Discuss(env *Env, comments ...map[string]any) {
	env.T.Helper()
	for i, comment := range comments {
		comment["commentId"] = i + 1
	}
	Annotate(env, Made("d", Annotated("n", comments...)))
}

// Talk is an annotation with its thread as comments/get returns it.
type Talk struct {
	redline.Annotation

	Comments []redline.ThreadComment
}

// Discussion returns the annotation n with all that comments/get returns of its thread.
func Discussion(env *Env) Talk {
	env.T.Helper()
	found := Older[[]redline.Annotation](env, GetAnnotations, Doc("d", map[string]any{"annotationIds": []string{"n"}})).Data
	require.Len(env.T, found, 1)
	found[0].Comments = nil
	return Talk{found[0], Older[[]redline.ThreadComment](env, GetComments, Doc("d", map[string]any{"annotationId": "n"})).Data}
}

// Edit makes a call that has to find every comment.
func Edit(env *Env, call map[string]any) {
	env.T.Helper()
	for id, entry := range Items(env, client.UpdateComments, call) {
		require.Equal(env.T, redline.Item{Success: true, ID: id, Message: "Comment updated."}, entry)
	}
}

// NotifiedRows returns who is notified of which comment of the workspace, and why.
func NotifiedRows(env *Env) (who []string) {
	env.T.Helper()
	found, err := env.DB().Query(env.Ctx, `SELECT concat_ws(' ', n.comment_seq, r.user_id, r.reason) FROM notification_recipients r
JOIN notifications n ON n.id = r.notification_id WHERE n.workspace_id = $1 ORDER BY 1`, env.Workspace.ID)
	require.NoError(env.T, err)
	defer found.Close()
	for found.Next() {
		var one string
		require.NoError(env.T, found.Scan(&one))
		who = append(who, one)
	}
	require.NoError(env.T, found.Err())
	return who
}

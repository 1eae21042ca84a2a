package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
)

// These returns a call about comments of the annotation n in the document d, or about all
// of them if none is named.
func These(commentIDs ...int64) map[string]any {
	call := Doc("d", map[string]any{"annotationId": "n"})
	if len(commentIDs) > 0 {
		call["commentIds"] = commentIDs
	}
	return call
}

// CommentIDs returns the ids of the comments of the annotation n, none where it is gone.
func CommentIDs(env *Env) (ids []int64) {
	env.T.Helper()
	for _, c := range Older[[]redline.ThreadComment](env, GetComments, These()).Data {
		ids = append(ids, c.CommentID)
	}
	return ids
}

// Activities returns the activities of the workspace: what was done, to which annotation
// and comment, and by whom.
func Activities(env *Env) (all []string) {
	env.T.Helper()
	require.NoError(env.T, env.DB().QueryRow(env.Ctx, `SELECT array_agg(concat_ws(' ', action_type, annotation_id, nullif(comment_id, 0), action_user->>'userId')
ORDER BY action_type, comment_id) FROM activities WHERE workspace_id = $1`, env.Workspace.ID).Scan(&all))
	return all
}

// NumberedFrom returns so many ids of comments, which follow one another from the first.
func NumberedFrom(first, count int64) []int64 {
	ids := make([]int64, count)
	for i := range ids {
		ids[i] = first + int64(i)
	}
	return ids
}

// External returns the agent of a comment that nobody registered.
func External() map[string]any {
	return map[string]any{"agentSource": "external", "agentName": "Bot", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
}

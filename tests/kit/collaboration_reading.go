package kit

import (
	"fmt"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// ReadBy returns a call that marks annotations of the document d as read by a user: all
// where none is named.
func ReadBy(user string, annotationIDs ...string) map[string]any {
	call := Doc("d", map[string]any{"userId": user})
	if len(annotationIDs) > 0 {
		call["annotationIds"] = annotationIDs
	}
	return call
}

// NotAnyMore returns a call that takes the marks of ReadBy back.
func NotAnyMore(call map[string]any) map[string]any {
	return With(call, map[string]any{"read": false})
}

// TryRead makes a call that marks annotations, for any goroutine; a refusal is an error.
func TryRead(env *Env, call map[string]any) (redline.ReadResult, error) {
	return client.Call[redline.ReadResult](env.Ctx, env.Keyed, client.ReadAnnotations, call)
}

// Read makes a call that marks annotations, which has to succeed.
func Read(env *Env, call map[string]any) redline.ReadResult {
	env.T.Helper()
	result, err := TryRead(env, call)
	require.NoError(env.T, err)
	return result
}

// Unread returns how many annotations of the document d a user has not read.
func Unread(env *Env, user string) int {
	env.T.Helper()
	return Counts(env, user, "d")["d"][1]
}

// Shows proves that an annotation counts as unread by eve just if a comment came behind
// her mark.
func Shows(env *Env, annotationID string) {
	env.T.Helper()
	var behind int
	require.NoError(env.T, env.DB().QueryRow(env.Ctx, `SELECT count(*) FROM comments c JOIN annotations a ON a.key = c.annotation_key
WHERE a.workspace_id = $1 AND a.annotation_id = $2 AND c.seq > greatest(
    (SELECT seq FROM read_marks WHERE annotation_key = a.key AND user_id = 'eve'),
    (SELECT seq FROM document_read_marks WHERE annotation_key = a.key AND user_id = 'eve'))`, env.Workspace.ID, annotationID).Scan(&behind))
	require.LessOrEqual(env.T, behind, 1)
	require.Equal(env.T, behind, Unread(env, "eve"))
}

// Reads makes a call that has to mark so many annotations; the channel receives whether
// it has.
func Reads(env *Env, call map[string]any, updated int) <-chan error {
	done := make(chan error, 1)
	go func() {
		result, err := TryRead(env, call)
		if err == nil && result.Updated != int64(updated) {
			err = fmt.Errorf("%d marked", result.Updated)
		}
		done <- err
	}()
	return done
}

// Copies makes copies of an annotation of one comment, named by number.
func Copies(env *Env, annotationID string, n int) {
	env.T.Helper()
	for _, statement := range []string{
		`INSERT INTO annotations OVERRIDING USER VALUE SELECT (jsonb_populate_record(a, jsonb_build_object('annotation_id', a.annotation_id || ' ' || n))).*
FROM annotations a CROSS JOIN generate_series(1, $3) n WHERE a.workspace_id = $1 AND a.annotation_id = $2`,
		`INSERT INTO comments SELECT (jsonb_populate_record(c, jsonb_build_object('annotation_key', b.key))).* FROM comments c
JOIN annotations a ON a.key = c.annotation_key JOIN annotations b ON b.workspace_id = a.workspace_id AND b.annotation_id LIKE a.annotation_id || ' %'
WHERE a.workspace_id = $1 AND a.annotation_id = $2 AND $3 > 0`,
	} {
		_, err := env.DB().Exec(env.Ctx, statement, env.Workspace.ID, annotationID, n)
		require.NoError(env.T, err)
	}
}

package kit

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// RequestUpload returns a signed address for a file of that size and type.
func RequestUpload(env *Env, size int, mimeType string) redline.UploadURLResult {
	env.T.Helper()
	var u redline.UploadURLResult
	env.Call(client.UploadAddress, map[string]any{"mimeType": mimeType, "fileSize": size, "fileName": "test.pdf"}, &u)
	return u
}

// Put uploads a file to a signed address and returns the code and the text of the answer; an empty type is not sent.
func Put(t *testing.T, url, mimeType string, body io.Reader) (int, string) {
	t.Helper()
	answer, err := client.PutFile(t.Context(), url, mimeType, body)
	require.NoError(t, err)
	return answer.HTTP, string(answer.Body)
}

// Get reads a file from a signed address, or a range of it, and returns the answer and its body.
func Get(t *testing.T, url, byteRange string) (*client.Reply, []byte) {
	t.Helper()
	answer, err := client.GetFile(t.Context(), url, byteRange)
	require.NoError(t, err)
	return answer, answer.Body
}

// UploadEnds has an upload's address end so long ago, such as "1 second".
func UploadEnds(env *Env, u redline.UploadURLResult, ago string) {
	env.T.Helper()
	done, err := env.DB().Exec(env.Ctx, `UPDATE uploads SET expires_at = clock_timestamp() - $2::text::interval WHERE path = $1`,
		UploadPath(u), ago)
	require.NoError(env.T, err)
	require.EqualValues(env.T, 1, done.RowsAffected())
}

// UploadPath returns the random part of a reference.
func UploadPath(u redline.UploadURLResult) string {
	return strings.TrimPrefix(u.FileRef, "gs://knowledge/")
}

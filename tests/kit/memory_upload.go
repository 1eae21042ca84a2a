package kit

import (
	"io"
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

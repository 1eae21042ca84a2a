package kit

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// UploadAddress is what upload-url returns.
type UploadAddress struct {
	UploadURL, FileRef string
	ExpiresAt          int64
}

// RequestUpload returns a signed address for a file of that size and type.
func RequestUpload(env *Env, size int, mimeType string) UploadAddress {
	env.T.Helper()
	var u UploadAddress
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

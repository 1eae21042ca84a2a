package memory

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

func TestFiles_4_ARangeThatIsNotThereIsAnErrorLikeOthers(t *testing.T) {
	env := kit.NewWorkspace(t)
	const content = "The bell must be rung at noon."
	url := kit.BroughtIn(env, kit.Ingest(env, content), "completed").OriginalDownloadURL
	beyond := kit.Ask(t, http.MethodGet, url, "", map[string]string{"range": "bytes=30-"})
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, beyond.HTTP)
	require.Equal(t, redline.ProblemStatusInvalidArgument, beyond.Failure().Status)
	require.Equal(t, redline.ErrorDetailsReasonRange, beyond.Failure().Reason)
	require.Equal(t, "bytes */30", beyond.Header.Get("content-range"))
	last := kit.Ask(t, http.MethodGet, url, "", map[string]string{"range": "bytes=29-"})
	require.Equal(t, http.StatusPartialContent, last.HTTP)
	require.Equal(t, ".", string(last.Body))
	for _, method := range []string{http.MethodOptions, http.MethodPost, http.MethodDelete} {
		require.Equal(t, http.StatusNotFound, kit.Ask(t, method, url, "", nil).HTTP, method)
	}
}

func TestSuspension_ClosesTheAddressesOfFilesToo(t *testing.T) {
	env := kit.NewWorkspace(t)
	content := []byte("The bell must be rung at noon.")
	status := kit.BroughtIn(env, kit.Ingest(env, string(content)), "completed")
	u := kit.RequestUpload(env, len(content), kit.PlainText)
	kit.Operate(t, "workspace", "suspend", env.Workspace.ID)
	code, text := kit.Put(t, u.UploadURL, kit.PlainText, bytes.NewReader(content))
	require.Equal(t, http.StatusForbidden, code, text)
	require.Contains(t, text, "PERMISSION_DENIED")
	for _, url := range []string{status.OriginalDownloadURL, status.CanonicalMdDownloadURL} {
		answer, refused := kit.Get(t, url, "")
		require.Equal(t, http.StatusForbidden, answer.HTTP)
		require.Contains(t, string(refused), "PERMISSION_DENIED")
	}
	kit.Operate(t, "workspace", "resume", env.Workspace.ID)
	code, text = kit.Put(t, u.UploadURL, kit.PlainText, bytes.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	_, back := kit.Get(t, status.OriginalDownloadURL, "")
	require.Equal(t, content, back)
}

package memory

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// An uploaded file that nobody ingested goes an hour after its address ended.
// Whoever comes later is told that the address has expired, not that it never was.
func TestUpload_1AndFiles_AFileThatNobodyIngestedGoesAndItsAddressStaysExpired(t *testing.T) {
	env := kit.NewWorkspace(t)
	const content = "The bell must be rung at noon."
	unused, uploaded, young := kit.RequestUpload(env, len(content), kit.PlainText), kit.RequestUpload(env, len(content), kit.PlainText), kit.RequestUpload(env, len(content), kit.PlainText)
	for _, u := range []redline.UploadURLResult{uploaded, young} {
		code, text := kit.Put(t, u.UploadURL, kit.PlainText, strings.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
	}
	files := func(u redline.UploadURLResult) []string {
		found, err := filepath.Glob(filepath.Join(kit.Shared.Env["REDLINE_BLOB_DIR"], "uploads", kit.UploadPath(u), "f*"))
		require.NoError(t, err)
		return found
	}
	require.NotEmpty(t, files(uploaded))
	kit.UploadEnds(env, unused, "77 minutes") // what takes the file away comes past this one first
	kit.UploadEnds(env, young, "59 minutes")
	kit.UploadEnds(env, uploaded, "76 minutes")
	kit.RequireWithin(t, kit.IngestionTime, "the file goes", func() bool { return len(files(uploaded)) == 0 })

	data := map[string]any{"source": "fileRef", "mimeType": kit.PlainText}
	for _, u := range []redline.UploadURLResult{unused, uploaded} {
		data["fileRef"] = u.FileRef
		require.Equal(t, redline.ErrorDetailsReasonUploadExpired, env.RefusedAs("FAILED_PRECONDITION", client.Ingest, data).Reason)
	}
	for u, reason := range map[redline.UploadURLResult]string{unused: "upload-expired", uploaded: "already-uploaded"} {
		code, text := kit.Put(t, u.UploadURL, kit.PlainText, strings.NewReader(content))
		require.Equal(t, http.StatusBadRequest, code)
		require.Contains(t, text, reason)
	}
	require.Len(t, files(young), 1)
	data["fileRef"] = young.FileRef
	kit.BroughtIn(env, kit.IngestAs(env, data), "completed")
}

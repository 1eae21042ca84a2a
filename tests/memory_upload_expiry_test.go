package tests

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ended moves the end of an address into the past.
func (s *scene) ended(u uploadURL, ago string) {
	s.t.Helper()
	done, err := s.rows().Exec(s.ctx, `UPDATE uploads SET expires_at = clock_timestamp() - $2::text::interval WHERE path = $1`,
		uploadPath(u), ago)
	require.NoError(s.t, err)
	require.EqualValues(s.t, 1, done.RowsAffected())
}

// uploadPath is the random part of a reference.
func uploadPath(u uploadURL) string { return strings.TrimPrefix(u.FileRef, "gs://knowledge/") }

// An uploaded file that nobody ingested goes an hour after its address ended.
// Whoever comes later is told that the address has expired, not that it never was.
func TestUpload_1AndFiles_AFileThatNobodyIngestedGoesAndItsAddressStaysExpired(t *testing.T) {
	s := begin(t)
	const content = "The bell must be rung at noon."
	unused, uploaded, young := s.uploadURL(len(content), plainText), s.uploadURL(len(content), plainText), s.uploadURL(len(content), plainText)
	for _, u := range []uploadURL{uploaded, young} {
		code, text := put(t, u.UploadURL, plainText, strings.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
	}
	files := func(u uploadURL) []string {
		found, err := filepath.Glob(filepath.Join(shared.Env["REDLINE_BLOB_DIR"], "uploads", uploadPath(u), "f*"))
		require.NoError(t, err)
		return found
	}
	require.NotEmpty(t, files(uploaded))
	s.ended(unused, "77 minutes") // what takes the file away comes past this one first
	s.ended(young, "59 minutes")
	s.ended(uploaded, "76 minutes")
	within(t, ingestionTime, "the file goes", func() bool { return len(files(uploaded)) == 0 })

	data := map[string]any{"source": "fileRef", "mimeType": plainText}
	for _, u := range []uploadURL{unused, uploaded} {
		data["fileRef"] = u.FileRef
		require.Equal(t, "upload-expired", s.refusedAs("FAILED_PRECONDITION", "memory/knowledge/ingest", data).Reason)
	}
	for u, reason := range map[uploadURL]string{unused: "upload-expired", uploaded: "already-uploaded"} {
		code, text := put(t, u.UploadURL, plainText, strings.NewReader(content))
		require.Equal(t, http.StatusBadRequest, code)
		require.Contains(t, text, reason)
	}
	require.Len(t, files(young), 1)
	data["fileRef"] = young.FileRef
	s.broughtIn(s.ingestAs(data), "completed")
}

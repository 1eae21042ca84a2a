package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// uploadURL is what upload-url gives.
type uploadURL struct {
	UploadURL, FileRef string
	ExpiresAt          int64
}

func (s *scene) uploadURL(size int, mimeType string) uploadURL {
	s.t.Helper()
	var u uploadURL
	s.call("memory/knowledge/upload-url", map[string]any{"mimeType": mimeType, "fileSize": size, "fileName": "story.pdf"}, &u)
	return u
}

// put uploads and gives the code of the answer.
func put(t *testing.T, url, mimeType string, body io.Reader) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, body)
	require.NoError(t, err)
	request.Header.Set("content-type", mimeType)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

func get(t *testing.T, url, byteRange string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	if byteRange != "" {
		request.Header.Set("range", byteRange)
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, content
}

func TestStatus_4AndFiles_3And4_ARealFileComesBackAsItWas(t *testing.T) {
	s := begin(t)
	file, err := os.ReadFile("../internal/extract/pdf/testdata/xmlformat-tutorial.pdf")
	require.NoError(t, err)
	u := s.uploadURL(len(file), pdfType)
	code, text := put(t, u.UploadURL, pdfType, bytes.NewReader(file))
	require.Equal(t, http.StatusOK, code, text)
	require.JSONEq(t, fmt.Sprintf(`{"result":{"fileRef":%q,"fileSize":%d}}`, u.FileRef, len(file)), text)
	source := s.ingestAs(map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": pdfType})
	status := s.broughtIn(source, "completed")
	require.EqualValues(t, 8, status.Metadata["pages"])

	answer, content := get(t, status.OriginalDownloadURL, "")
	require.Equal(t, file, content)
	require.Equal(t, pdfType, answer.Header.Get("content-type"))
	require.Equal(t, "nosniff", answer.Header.Get("x-content-type-options"))
	require.Contains(t, answer.Header.Get("content-disposition"), "attachment")
	answer, content = get(t, status.OriginalDownloadURL, "bytes=1000-")
	require.Equal(t, http.StatusPartialContent, answer.StatusCode)
	require.Equal(t, file[1000:], content)
	answer, content = get(t, status.CanonicalMdDownloadURL, "")
	require.Contains(t, answer.Header.Get("content-type"), "text/markdown")
	require.Contains(t, string(content), "# xmlformat Tutorial")
	damaged := []byte(status.OriginalDownloadURL)
	damaged[len(damaged)-10] ^= 1
	answer, _ = get(t, string(damaged), "")
	require.Equal(t, http.StatusNotFound, answer.StatusCode)

	failure := s.refusedAs("FAILED_PRECONDITION", "memory/knowledge/ingest", map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": pdfType})
	require.Equal(t, "already-ingested", failure.Reason)
	found := s.search("Which switch changes the file itself instead of printing?", map[string]any{"limit": 10})
	require.True(t, slices.ContainsFunc(found.Results, func(h knowledgeHit) bool { return strings.Contains(h.Text, "in-place") }), "%+v", found)
}

func TestUpload_4And5_FaultyPutsKeepNothingAndTheAddressStaysUsable(t *testing.T) {
	s := begin(t)
	content := []byte("Exactly these bytes must arrive.")
	u := s.uploadURL(len(content), plainText)
	code, _ := put(t, u.UploadURL, pdfType, bytes.NewReader(content))
	require.Equal(t, http.StatusBadRequest, code)
	code, _ = put(t, u.UploadURL, plainText, bytes.NewReader(content[:10]))
	require.Equal(t, http.StatusBadRequest, code)
	code, _ = put(t, u.UploadURL, plainText, bytes.NewReader(append(content, 'x')))
	require.Equal(t, http.StatusRequestEntityTooLarge, code)
	code, _ = put(t, u.UploadURL, plainText, io.MultiReader(bytes.NewReader(content[:10]))) // chunked
	require.Equal(t, http.StatusBadRequest, code)
	broken, cancel := context.WithCancel(t.Context())
	half := io.MultiReader(bytes.NewReader(content[:10]), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, errors.New("broken off")
	}))
	request, err := http.NewRequestWithContext(broken, http.MethodPut, u.UploadURL, half)
	require.NoError(t, err)
	request.Header.Set("content-type", plainText)
	request.ContentLength = int64(len(content))
	answer, err := http.DefaultClient.Do(request)
	if err == nil {
		_ = answer.Body.Close()
	}
	require.Error(t, err)
	notYet := s.refusedAs("FAILED_PRECONDITION", "memory/knowledge/ingest", map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText})
	require.Equal(t, "not-uploaded", notYet.Reason)

	code, text := put(t, u.UploadURL, plainText+"; charset=utf-8", io.MultiReader(bytes.NewReader(content)))
	require.Equal(t, http.StatusOK, code, text)
	code, text = put(t, u.UploadURL, plainText, bytes.NewReader(content))
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, text, "already-uploaded")
	code, _ = put(t, u.UploadURL+"x", plainText, bytes.NewReader(content))
	require.Equal(t, http.StatusNotFound, code)

	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText, "organizationId": "o"}
	require.Equal(t, "scope-mismatch", s.refusedAs("PERMISSION_DENIED", "memory/knowledge/ingest", data).Reason)
	delete(data, "organizationId")
	other := enter(t, shared.URL())
	require.Equal(t, "unknown-file-ref", other.refusedAs("NOT_FOUND", "memory/knowledge/ingest", data).Reason)
	s.broughtIn(s.ingestAs(data), "completed")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(into []byte) (int, error) { return f(into) }

func TestFiles_1AndIngest_3_TwoPutsMakeOneFileAndTwentyIngestsOneSource(t *testing.T) {
	s := begin(t)
	content := bytes.Repeat([]byte("The same line stands here again and again.\n"), 20000)
	u := s.uploadURL(len(content), plainText)
	codes := make([]int, 2)
	var callers sync.WaitGroup
	for i := range codes {
		callers.Go(func() { codes[i], _ = put(t, u.UploadURL, plainText, bytes.NewReader(content)) })
	}
	callers.Wait()
	slices.Sort(codes)
	require.Equal(t, []int{http.StatusOK, http.StatusBadRequest}, codes)

	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText}
	reasons, made := make([]string, 20), make([]string, 20)
	for i := range reasons {
		callers.Go(func() {
			answer, err := client.Call[ingested](s.ctx, s.keyed, "memory/knowledge/ingest", data)
			if failure := client.Refusal(err); failure != nil {
				reasons[i] = failure.Reason
			}
			made[i] = answer.SourceID
		})
	}
	callers.Wait()
	slices.Sort(reasons)
	require.Empty(t, reasons[0])
	require.Equal(t, slices.Repeat([]string{"already-ingested"}, 19), reasons[1:])
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(t, err)
	reply, err := s.keyed.Send(s.ctx, "/v2/memory/knowledge/ingest", body, nil)
	require.NoError(t, err)
	require.Contains(t, string(reply.Body), fmt.Sprintf(`"sourceId":%q`, slices.Max(made)), "the refusal names the source")
}

func TestUpload_1And2_FiftyAddressesAreOutstandingAtMost(t *testing.T) {
	s := begin(t)
	given := make([]uploadURL, 100)
	reasons := make([]string, 100)
	var callers sync.WaitGroup
	for i := range given {
		callers.Go(func() {
			var err error
			given[i], err = client.Call[uploadURL](s.ctx, s.keyed, "memory/knowledge/upload-url", map[string]any{"mimeType": plainText, "fileSize": 5})
			if failure := client.Refusal(err); failure != nil {
				reasons[i] = failure.Reason
			}
		})
	}
	callers.Wait()
	slices.Sort(reasons)
	require.Equal(t, append(slices.Repeat([]string{""}, 50), slices.Repeat([]string{"upload-slots"}, 50)...), reasons)
	one := given[slices.IndexFunc(given, func(u uploadURL) bool { return u.UploadURL != "" })]
	code, _ := put(t, one.UploadURL, plainText, strings.NewReader("a b c"))
	require.Equal(t, http.StatusOK, code)
	s.ingestAs(map[string]any{"source": "fileRef", "fileRef": one.FileRef, "mimeType": plainText})
	s.uploadURL(5, plainText)
	full := s.refusedAs("RESOURCE_EXHAUSTED", "memory/knowledge/upload-url", map[string]any{"mimeType": plainText, "fileSize": 5})
	require.Equal(t, "upload-slots", full.Reason)
	wait, err := strconv.Atoi(full.Header.Get("retry-after"))
	require.NoError(t, err)
	require.True(t, 0 < wait && wait <= 15*60, "until the first of them expires: %d s", wait)
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/upload-url", map[string]any{"mimeType": "text/html", "fileSize": 5}) // never served, files (5)
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/upload-url", map[string]any{"mimeType": plainText, "fileSize": 5, "fileName": " "})
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest-status", map[string]any{"sourceId": " "})
	for _, size := range []any{31457281, 0, 1.5, "10"} {
		s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/upload-url", map[string]any{"mimeType": plainText, "fileSize": size})
	}
}

func TestUpload_1AndIngest_2_TypesThatAreNotTakenInAreRefusedOnEveryWay(t *testing.T) {
	s := begin(t)
	const table = "name,amount\nrent,900\n"
	u := s.uploadURL(len(table), plainText)
	code, text := put(t, u.UploadURL, plainText, strings.NewReader(table))
	require.Equal(t, http.StatusOK, code, text)
	for mimeType, content := range map[string]string{csvType: table, xlsxType: "PK\x03\x04zipped"} {
		refused := func(operation string, data map[string]any) {
			failure := s.refusedAs("INVALID_ARGUMENT", operation, data)
			require.Equal(t, "unsupported-format", failure.Reason)
			require.Contains(t, failure.Message, mimeType)
		}
		refused("memory/knowledge/ingest", map[string]any{"source": "inline", "file": inlineFile([]byte(content), mimeType)})
		refused("memory/knowledge/ingest", map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": mimeType})
		for range 25 {
			refused("memory/knowledge/upload-url", map[string]any{"mimeType": mimeType, "fileSize": len(content)})
		}
	}
	s.uploadURL(len(table), plainText) // fifty refusals took none of the fifty slots
	source := s.ingestAs(map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText})
	s.broughtIn(source, "completed")
	found := s.search("How much is the rent?", map[string]any{"limit": 50})
	require.NotEmpty(t, found.Results)
	for _, hit := range found.Results {
		require.Equal(t, source, hit.SourceID)
	}
}

func TestSuspension_ClosesTheAddressesOfFilesToo(t *testing.T) {
	s := begin(t)
	content := []byte("The bell must be rung at noon.")
	status := s.broughtIn(s.ingest(string(content)), "completed")
	u := s.uploadURL(len(content), plainText)
	operate(t, "workspace", "suspend", s.workspace.ID)
	code, text := put(t, u.UploadURL, plainText, bytes.NewReader(content))
	require.Equal(t, http.StatusForbidden, code, text)
	require.Contains(t, text, "PERMISSION_DENIED")
	for _, url := range []string{status.OriginalDownloadURL, status.CanonicalMdDownloadURL} {
		answer, refused := get(t, url, "")
		require.Equal(t, http.StatusForbidden, answer.StatusCode)
		require.Contains(t, string(refused), "PERMISSION_DENIED")
	}
	operate(t, "workspace", "resume", s.workspace.ID)
	code, text = put(t, u.UploadURL, plainText, bytes.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	_, back := get(t, status.OriginalDownloadURL, "")
	require.Equal(t, content, back)
}

// A file whose bytes are there already is not kept a second time.
func TestIngest_AReusedUploadLeavesNoFile(t *testing.T) {
	s := begin(t)
	const content = "The bell must be rung at noon, and once more at one."
	first := s.ingest(content)
	u := s.uploadURL(len(content), plainText)
	code, text := put(t, u.UploadURL, plainText, strings.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	folder := filepath.Join(shared.Env["REDLINE_BLOB_DIR"], "uploads", strings.TrimPrefix(u.FileRef, "gs://knowledge/"))
	kept, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, kept, 1)
	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText, "onDuplicate": "reuse"}
	require.Equal(t, first, s.ingestAs(data))
	kept, err = os.ReadDir(folder)
	require.True(t, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	require.Empty(t, kept)
	delete(data, "onDuplicate")
	failure := s.refusedAs("FAILED_PRECONDITION", "memory/knowledge/ingest", data)
	require.Equal(t, "already-ingested", failure.Reason)
}

// An address ends after fifteen minutes; what was uploaded until then waits an
// hour longer.
func TestUpload_1AndFiles_AnAddressThatHasEnded(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api"))
	const content = "The bell must be rung at noon."
	ends := func(u uploadURL, ago string) {
		done, err := l.rows().Exec(t.Context(), `UPDATE uploads SET expires_at = clock_timestamp() - $2::text::interval WHERE path = $1`,
			strings.TrimPrefix(u.FileRef, "gs://knowledge/"), ago)
		require.NoError(t, err)
		require.EqualValues(t, 1, done.RowsAffected())
	}
	ingest := func(u uploadURL) map[string]any {
		return map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText}
	}
	unused := s.uploadURL(len(content), plainText)
	ends(unused, "1 second")
	code, text := put(t, unused.UploadURL, plainText, strings.NewReader(content))
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, text, "upload-expired")
	require.Equal(t, "upload-expired", s.refusedAs("FAILED_PRECONDITION", "memory/knowledge/ingest", ingest(unused)).Reason)
	for ago, taken := range map[string]bool{"59 minutes": true, "61 minutes": false} {
		u := s.uploadURL(len(content), plainText)
		code, text = put(t, u.UploadURL, plainText, strings.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
		ends(u, ago)
		if taken {
			s.ingestAs(ingest(u))
			continue
		}
		require.Equal(t, "upload-expired", s.refusedAs("FAILED_PRECONDITION", "memory/knowledge/ingest", ingest(u)).Reason)
	}
}

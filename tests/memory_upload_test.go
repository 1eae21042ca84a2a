package tests

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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

// put uploads and gives the code of the answer; an empty type is not sent.
func put(t *testing.T, url, mimeType string, body io.Reader) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, body)
	require.NoError(t, err)
	if mimeType != "" {
		request.Header.Set("content-type", mimeType)
	}
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

// kept are the files that an upload has left.
func kept(t *testing.T, u uploadURL) []string {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(shared.Env["REDLINE_BLOB_DIR"], "uploads", strings.TrimPrefix(u.FileRef, "gs://knowledge/")))
	require.True(t, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	names := []string{}
	for _, file := range found {
		names = append(names, file.Name())
	}
	return names
}

// broken sends the beginning of a file that was announced as larger and, once
// the process has begun to keep it, nothing more; it gives the code of the answer.
func broken(t *testing.T, u uploadURL, begin []byte, announced int) int {
	t.Helper()
	host, path, found := strings.Cut(strings.TrimPrefix(u.UploadURL, "http://"), "/")
	require.True(t, found)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "PUT /%s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, host, plainText, announced, begin)
	require.NoError(t, err)
	eventually(t, "the file has been begun", func() bool { return len(kept(t, u)) == 1 })
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.StatusCode
}

func TestUpload_4And5_FaultyPutsKeepNothingAndTheAddressStaysUsable(t *testing.T) {
	s := begin(t)
	content := []byte("Exactly these bytes must arrive.")
	u := s.uploadURL(len(content), plainText)
	more := append(slices.Clone(content), 'x')
	answered := make(chan struct{})
	defer close(answered)
	endless := readerFunc(func([]byte) (int, error) {
		select {
		case <-answered:
			return 0, io.EOF
		case <-time.After(patience):
			return 0, errors.New("it is read on")
		}
	})
	for _, faulty := range []struct {
		what, mimeType string
		body           io.Reader
		code           int
	}{
		{"another type", pdfType, bytes.NewReader(content), http.StatusBadRequest},
		{"no type", "", bytes.NewReader(content), http.StatusBadRequest},
		{"fewer bytes", plainText, bytes.NewReader(content[:10]), http.StatusBadRequest},
		{"fewer bytes in chunks", plainText, io.MultiReader(bytes.NewReader(content[:10])), http.StatusBadRequest},
		{"more bytes", plainText, bytes.NewReader(more), http.StatusRequestEntityTooLarge},
		{"more bytes in chunks", plainText, io.MultiReader(bytes.NewReader(more)), http.StatusRequestEntityTooLarge},
		{"more bytes without end", plainText, io.MultiReader(bytes.NewReader(more), endless), http.StatusRequestEntityTooLarge},
	} {
		code, text := put(t, u.UploadURL, faulty.mimeType, faulty.body)
		require.Equal(t, faulty.code, code, "%s: %s", faulty.what, text)
		require.Contains(t, text, "INVALID_ARGUMENT", faulty.what)
		require.Empty(t, kept(t, u), faulty.what)
	}
	require.Equal(t, http.StatusBadRequest, broken(t, u, content[:10], len(content)))
	require.Empty(t, kept(t, u), "a connection that broke")
	notYet := s.refusedAs("FAILED_PRECONDITION", "memory/knowledge/ingest", map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText})
	require.Equal(t, "not-uploaded", notYet.Reason)

	code, text := put(t, u.UploadURL, plainText+"; charset=utf-8", io.MultiReader(bytes.NewReader(content)))
	require.Equal(t, http.StatusOK, code, text)
	first := kept(t, u)
	require.Len(t, first, 1)
	code, text = put(t, u.UploadURL, plainText, bytes.NewReader(content))
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, text, "already-uploaded")
	require.Equal(t, first, kept(t, u))
	code, _ = put(t, u.UploadURL+"x", plainText, bytes.NewReader(content))
	require.Equal(t, http.StatusNotFound, code)
	s.onlyItsOwner(u)
}

// onlyItsOwner ingests an upload without scope, after others have tried.
func (s *scene) onlyItsOwner(u uploadURL) {
	s.t.Helper()
	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText, "organizationId": "o"}
	require.Equal(s.t, "scope-mismatch", s.refusedAs("PERMISSION_DENIED", "memory/knowledge/ingest", data).Reason)
	delete(data, "organizationId")
	other := s.elsewhere()
	require.Equal(s.t, "unknown-file-ref", other.refusedAs("NOT_FOUND", "memory/knowledge/ingest", data).Reason)
	s.broughtIn(s.ingestAs(data), "completed")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(into []byte) (int, error) { return f(into) }

// half is a body that stops in its middle until it is told to go on.
func half(body string, goOn <-chan struct{}) io.Reader {
	wait := readerFunc(func([]byte) (int, error) {
		<-goOn
		return 0, io.EOF
	})
	return io.MultiReader(strings.NewReader(body[:len(body)/2]), wait, strings.NewReader(body[len(body)/2:]))
}

// rivals sends two bodies of one size to one address: the second as a whole while the first
// has come half-way. It gives the body that was taken.
func (s *scene) rivals(u uploadURL, bodies [2]string) string {
	s.t.Helper()
	t := s.t
	codes, texts := make([]int, 2), make([]string, 2)
	goOn, sent, answered := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() { codes[0], texts[0] = put(t, u.UploadURL, plainText, half(bodies[0], goOn)) })
	eventually(t, "the first file has been begun", func() bool { return len(kept(t, u)) == 1 })
	go func() {
		defer close(answered)
		codes[1], texts[1] = put(t, u.UploadURL, plainText, io.MultiReader(strings.NewReader(bodies[1]), readerFunc(func([]byte) (int, error) {
			close(sent)
			return 0, io.EOF
		})))
	}()
	<-sent
	later := s.uploadURL(len(bodies[1]), plainText)
	code, text := put(t, later.UploadURL, plainText, strings.NewReader(bodies[1]))
	require.Equal(t, http.StatusOK, code, text)
	select {
	case <-answered:
		require.Fail(t, "the second one did not wait", "%d: %s", codes[1], texts[1])
	default:
	}
	require.Len(t, kept(t, u), 1, "nothing is kept of the second one meanwhile")
	close(goOn)
	first.Wait()
	<-answered
	require.Equal(t, []int{http.StatusOK, http.StatusBadRequest}, codes, "%v", texts)
	require.Contains(t, texts[1], "already-uploaded")
	return bodies[0]
}

// A PUT that comes while another one goes on is taken when that one breaks off.
func TestUpload_5_APutAfterOneThatBreaksOffIsTaken(t *testing.T) {
	s := begin(t)
	const content = "The bell must be rung at noon."
	u := s.uploadURL(len(content), plainText)
	ctx, breakOff := context.WithCancel(t.Context())
	goOn := make(chan struct{})
	defer close(goOn)
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, u.UploadURL, half(strings.Repeat("x", len(content)), goOn))
	require.NoError(t, err)
	request.Header.Set("content-type", plainText)
	var first sync.WaitGroup
	first.Go(func() {
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = answer.Body.Close()
		}
	})
	eventually(t, "the first file has been begun", func() bool { return len(kept(t, u)) == 1 })
	begun := kept(t, u)
	breakOff()
	code, text := put(t, u.UploadURL, plainText, strings.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	require.Len(t, kept(t, u), 1)
	require.NotEqual(t, begun, kept(t, u))
	source := s.ingestAs(map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText})
	_, got := get(t, s.broughtIn(source, "completed").OriginalDownloadURL, "")
	require.Equal(t, content, string(got))
}

func TestFiles_1AndIngest_3_TwoPutsMakeOneFileAndTwentyIngestsOneSource(t *testing.T) {
	s := begin(t)
	bodies := [2]string{strings.Repeat("The bell must be rung at noon.\n", 100), strings.Repeat("The gate must be shut at four.\n", 100)}
	require.Len(t, bodies[0], len(bodies[1]))
	u := s.uploadURL(len(bodies[0]), plainText)
	won := s.rivals(u, bodies)
	require.Len(t, kept(t, u), 1, "the other one leaves no file")

	var callers sync.WaitGroup
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
	source := slices.Max(made)
	require.Contains(t, string(reply.Body), fmt.Sprintf(`"sourceId":%q`, source), "the refusal names the source")
	again := ingestData(won)
	again["onDuplicate"] = "reuse"
	require.Equal(t, source, s.ingestAs(again), "it is known by the bytes that won")
	_, content := get(t, s.broughtIn(source, "completed").OriginalDownloadURL, "")
	require.Equal(t, won, string(content))
	sentence, _, _ := strings.Cut(won, "\n")
	for _, hit := range s.search("bell or gate").Results {
		require.Contains(t, hit.Text, sentence)
	}
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
	s.ended(given[slices.IndexFunc(given, func(u uploadURL) bool { return u.UploadURL != "" && u != one })], "1 second")
	s.uploadURL(5, plainText)
	s.refusedAs("RESOURCE_EXHAUSTED", "memory/knowledge/upload-url", map[string]any{"mimeType": plainText, "fileSize": 5})
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/upload-url", map[string]any{"mimeType": "text/html", "fileSize": 5})
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/upload-url", map[string]any{"mimeType": plainText, "fileSize": 5, "fileName": " "})
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest-status", map[string]any{"sourceId": " "})
	for _, size := range []any{31457281, 0, 1.5, "10"} {
		s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/upload-url", map[string]any{"mimeType": plainText, "fileSize": size})
	}
}

// A file whose bytes are there already is not kept a second time.
func TestIngest_AReusedUploadLeavesNoFile(t *testing.T) {
	s := begin(t)
	const content = "The bell must be rung at noon, and once more at one."
	first := s.ingest(content)
	u := s.uploadURL(len(content), plainText)
	code, text := put(t, u.UploadURL, plainText, strings.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	require.Len(t, kept(t, u), 1)
	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText, "onDuplicate": "reuse"}
	require.Equal(t, first, s.ingestAs(data))
	within(t, ingestionTime, "the file goes", func() bool { return len(kept(t, u)) == 0 })
	delete(data, "onDuplicate")
	failure := s.refusedAs("FAILED_PRECONDITION", "memory/knowledge/ingest", data)
	require.Equal(t, "already-ingested", failure.Reason)
}

// An address ends after fifteen minutes; what was uploaded until then waits an
// hour longer.
func TestUpload_1AndFiles_AnAddressThatHasEnded(t *testing.T) {
	s := begin(t)
	rows := s.rows()
	const content = "The bell must be rung at noon."
	ends := func(u uploadURL, ago string) {
		done, err := rows.Exec(t.Context(), `UPDATE uploads SET expires_at = clock_timestamp() - $2::text::interval WHERE path = $1`,
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

package memory

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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestStatus_4AndFiles_3And4_ARealFileComesBackAsItWas(t *testing.T) {
	env := kit.NewWorkspace(t)
	file, err := os.ReadFile("../../internal/extract/pdf/testdata/xmlformat-tutorial.pdf")
	require.NoError(t, err)
	u := kit.RequestUpload(env, len(file), pdfType)
	code, text := kit.Put(t, u.UploadURL, pdfType, bytes.NewReader(file))
	require.Equal(t, http.StatusOK, code, text)
	require.JSONEq(t, fmt.Sprintf(`{"result":{"fileRef":%q,"fileSize":%d}}`, u.FileRef, len(file)), text)
	source := kit.IngestAs(env, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": pdfType})
	status := kit.BroughtIn(env, source, "completed")
	require.EqualValues(t, 8, kit.ObjectOf(status.Metadata)["pages"])

	answer, content := kit.Get(t, status.OriginalDownloadURL, "")
	require.Equal(t, file, content)
	require.Equal(t, pdfType, answer.Header.Get("content-type"))
	require.Equal(t, "nosniff", answer.Header.Get("x-content-type-options"))
	require.Contains(t, answer.Header.Get("content-disposition"), "attachment")
	answer, content = kit.Get(t, status.OriginalDownloadURL, "bytes=1000-")
	require.Equal(t, http.StatusPartialContent, answer.HTTP)
	require.Equal(t, file[1000:], content)
	answer, content = kit.Get(t, status.CanonicalMdDownloadURL, "")
	require.Contains(t, answer.Header.Get("content-type"), "text/markdown")
	require.Contains(t, string(content), "# xmlformat Tutorial")
	damaged := []byte(status.OriginalDownloadURL)
	damaged[len(damaged)-10] ^= 1
	answer, _ = kit.Get(t, string(damaged), "")
	require.Equal(t, http.StatusNotFound, answer.HTTP)

	failure := env.RefusedAs("FAILED_PRECONDITION", client.Ingest, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": pdfType})
	require.Equal(t, redline.ErrorDetailsReasonAlreadyIngested, failure.Reason)
	found := kit.Search(env, "Which switch changes the file itself instead of printing?", map[string]any{"limit": 10})
	require.True(t, slices.ContainsFunc(found.Results, func(h redline.KnowledgeHit) bool { return strings.Contains(h.Text, "in-place") }), "%+v", found)
}

// kept are the files that an upload has left.
func kept(t *testing.T, u redline.UploadURLResult) []string {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(kit.Shared.Env["REDLINE_BLOB_DIR"], "uploads", strings.TrimPrefix(u.FileRef, "gs://knowledge/")))
	require.True(t, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	names := []string{}
	for _, file := range found {
		names = append(names, file.Name())
	}
	return names
}

// broken sends the beginning of a file that was announced as larger and, once
// the process has begun to keep it, nothing more; it returns the code of the answer.
func broken(t *testing.T, u redline.UploadURLResult, begin []byte, announced int) int {
	t.Helper()
	host, path, found := strings.Cut(strings.TrimPrefix(u.UploadURL, "http://"), "/")
	require.True(t, found)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "PUT /%s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, host, kit.PlainText, announced, begin)
	require.NoError(t, err)
	kit.RequireEventually(t, "the file has been begun", func() bool { return len(kept(t, u)) == 1 })
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(kit.Patience)))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.StatusCode
}

func TestUpload_4And5_FaultyPutsKeepNothingAndTheAddressStaysUsable(t *testing.T) {
	env := kit.NewWorkspace(t)
	content := []byte("Exactly these bytes must arrive.")
	u := kit.RequestUpload(env, len(content), kit.PlainText)
	more := append(slices.Clone(content), 'x')
	answered := make(chan struct{})
	defer close(answered)
	endless := readerFunc(func([]byte) (int, error) {
		select {
		case <-answered:
			return 0, io.EOF
		case <-time.After(kit.Patience):
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
		{"fewer bytes", kit.PlainText, bytes.NewReader(content[:10]), http.StatusBadRequest},
		{"fewer bytes in chunks", kit.PlainText, io.MultiReader(bytes.NewReader(content[:10])), http.StatusBadRequest},
		{"more bytes", kit.PlainText, bytes.NewReader(more), http.StatusRequestEntityTooLarge},
		{"more bytes in chunks", kit.PlainText, io.MultiReader(bytes.NewReader(more)), http.StatusRequestEntityTooLarge},
		{"more bytes without end", kit.PlainText, io.MultiReader(bytes.NewReader(more), endless), http.StatusRequestEntityTooLarge},
	} {
		code, text := kit.Put(t, u.UploadURL, faulty.mimeType, faulty.body)
		require.Equal(t, faulty.code, code, "%s: %s", faulty.what, text)
		require.Contains(t, text, "INVALID_ARGUMENT", faulty.what)
		require.Empty(t, kept(t, u), faulty.what)
	}
	require.Equal(t, http.StatusBadRequest, broken(t, u, content[:10], len(content)))
	require.Empty(t, kept(t, u), "a connection that broke")
	notYet := env.RefusedAs("FAILED_PRECONDITION", client.Ingest, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText})
	require.Equal(t, redline.ErrorDetailsReasonNotUploaded, notYet.Reason)

	code, text := kit.Put(t, u.UploadURL, kit.PlainText+"; charset=utf-8", io.MultiReader(bytes.NewReader(content)))
	require.Equal(t, http.StatusOK, code, text)
	first := kept(t, u)
	require.Len(t, first, 1)
	code, text = kit.Put(t, u.UploadURL, kit.PlainText, bytes.NewReader(content))
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, text, "already-uploaded")
	require.Equal(t, first, kept(t, u))
	code, _ = kit.Put(t, u.UploadURL+"x", kit.PlainText, bytes.NewReader(content))
	require.Equal(t, http.StatusNotFound, code)
	onlyItsOwner(env, u)
}

// onlyItsOwner ingests an upload without scope, after others have tried.
func onlyItsOwner(env *kit.Env, u redline.UploadURLResult) {
	env.T.Helper()
	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText, "organizationId": "o"}
	require.Equal(env.T, redline.ErrorDetailsReasonScopeMismatch, env.RefusedAs("PERMISSION_DENIED", client.Ingest, data).Reason)
	delete(data, "organizationId")
	other := kit.Elsewhere(env)
	require.Equal(env.T, redline.ErrorDetailsReasonUnknownFileRef, other.RefusedAs("NOT_FOUND", client.Ingest, data).Reason)
	kit.BroughtIn(env, kit.IngestAs(env, data), "completed")
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
// has come half-way. It returns the body that was taken.
func rivals(env *kit.Env, u redline.UploadURLResult, bodies [2]string) string {
	env.T.Helper()
	t := env.T
	codes, texts := make([]int, 2), make([]string, 2)
	goOn, sent, answered := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() { codes[0], texts[0] = kit.Put(t, u.UploadURL, kit.PlainText, half(bodies[0], goOn)) })
	kit.RequireEventually(t, "the first file has been begun", func() bool { return len(kept(t, u)) == 1 })
	go func() {
		defer close(answered)
		codes[1], texts[1] = kit.Put(t, u.UploadURL, kit.PlainText, io.MultiReader(strings.NewReader(bodies[1]), readerFunc(func([]byte) (int, error) {
			close(sent)
			return 0, io.EOF
		})))
	}()
	<-sent
	later := kit.RequestUpload(env, len(bodies[1]), kit.PlainText)
	code, text := kit.Put(t, later.UploadURL, kit.PlainText, strings.NewReader(bodies[1]))
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
	env := kit.NewWorkspace(t)
	const content = "The bell must be rung at noon."
	u := kit.RequestUpload(env, len(content), kit.PlainText)
	ctx, breakOff := context.WithCancel(t.Context())
	goOn := make(chan struct{})
	defer close(goOn)
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, u.UploadURL, half(strings.Repeat("x", len(content)), goOn))
	require.NoError(t, err)
	request.Header.Set("content-type", kit.PlainText)
	var first sync.WaitGroup
	first.Go(func() {
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = answer.Body.Close()
		}
	})
	kit.RequireEventually(t, "the first file has been begun", func() bool { return len(kept(t, u)) == 1 })
	begun := kept(t, u)
	breakOff()
	code, text := kit.Put(t, u.UploadURL, kit.PlainText, strings.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	require.Len(t, kept(t, u), 1)
	require.NotEqual(t, begun, kept(t, u))
	source := kit.IngestAs(env, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText})
	_, got := kit.Get(t, kit.BroughtIn(env, source, "completed").OriginalDownloadURL, "")
	require.Equal(t, content, string(got))
}

func TestFiles_1AndIngest_3_TwoPutsMakeOneFileAndTwentyIngestsOneSource(t *testing.T) {
	env := kit.NewWorkspace(t)
	bodies := [2]string{strings.Repeat("The bell must be rung at noon.\n", 100), strings.Repeat("The gate must be shut at four.\n", 100)}
	require.Len(t, bodies[0], len(bodies[1]))
	u := kit.RequestUpload(env, len(bodies[0]), kit.PlainText)
	won := rivals(env, u, bodies)
	require.Len(t, kept(t, u), 1, "the other one leaves no file")

	var callers sync.WaitGroup
	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText}
	reasons, made := make([]string, 20), make([]string, 20)
	for i := range reasons {
		callers.Go(func() {
			answer, err := client.Call[redline.IngestResult](env.Ctx, env.Keyed, client.Ingest, data)
			if failure := redline.AsError(err); failure != nil {
				reasons[i] = string(failure.Reason)
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
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.Ingest, body, nil)
	require.NoError(t, err)
	source := slices.Max(made)
	require.Contains(t, string(reply.Body), fmt.Sprintf(`"sourceId":%q`, source), "the refusal names the source")
	again := kit.IngestData(won)
	again["onDuplicate"] = "reuse"
	require.Equal(t, source, kit.IngestAs(env, again), "it is known by the bytes that won")
	_, content := kit.Get(t, kit.BroughtIn(env, source, "completed").OriginalDownloadURL, "")
	require.Equal(t, won, string(content))
	sentence, _, _ := strings.Cut(won, "\n")
	for _, hit := range kit.Search(env, "bell or gate").Results {
		require.Contains(t, hit.Text, sentence)
	}
}

// A file whose bytes are there already is not kept a second time.
func TestIngest_AReusedUploadLeavesNoFile(t *testing.T) {
	env := kit.NewWorkspace(t)
	const content = "The bell must be rung at noon, and once more at one."
	first := kit.Ingest(env, content)
	u := kit.RequestUpload(env, len(content), kit.PlainText)
	code, text := kit.Put(t, u.UploadURL, kit.PlainText, strings.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	require.Len(t, kept(t, u), 1)
	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText, "onDuplicate": "reuse"}
	require.Equal(t, first, kit.IngestAs(env, data))
	kit.RequireWithin(t, kit.IngestionTime, "the file goes", func() bool { return len(kept(t, u)) == 0 })
	delete(data, "onDuplicate")
	failure := env.RefusedAs("FAILED_PRECONDITION", client.Ingest, data)
	require.Equal(t, redline.ErrorDetailsReasonAlreadyIngested, failure.Reason)
}

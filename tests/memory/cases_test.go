package memory

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
)

// largestUpload is the size of the largest file that may be uploaded, in bytes.
const largestUpload = 31_457_280

// padded makes a PDF as large as it has to be: behind its end follow a comment
// and a second end, which names the table that is there.
func padded(t *testing.T, file []byte, size int) []byte {
	t.Helper()
	ends := regexp.MustCompile(`startxref\s+\d+`).FindAll(file, -1)
	require.NotEmpty(t, ends)
	end := append(append([]byte("\n"), ends[len(ends)-1]...), "\n%%EOF\n"...)
	comment := "\n%" + strings.Repeat("x", size-len(file)-len(end)-2)
	return append(append(bytes.Clone(file), comment...), end...)
}

func TestUpload_2_TheLargestFileComesIn(t *testing.T) {
	env := kit.NewWorkspace(t)
	file, err := os.ReadFile("../../internal/extract/pdf/testdata/xmlformat-tutorial.pdf")
	require.NoError(t, err)
	content := padded(t, file, largestUpload)
	require.Len(t, content, largestUpload)
	u := kit.RequestUpload(env, len(content), pdfType)
	code, text := kit.Put(t, u.UploadURL, pdfType, bytes.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	status := kit.BroughtIn(env, kit.IngestAs(env, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": pdfType}), "completed")
	require.EqualValues(t, 8, kit.ObjectOf(status.Metadata)["pages"])
	_, back := kit.Get(t, status.OriginalDownloadURL, "")
	require.True(t, bytes.Equal(content, back), "the original comes back as it was sent")
}

// memory reads a line of a process's memory in MiB.
func memory(t *testing.T, pid int, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found)
	kib, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return kib / 1024
}

func TestUpload_3_EightLargeUploadsAtOnceStayOutOfMemory(t *testing.T) {
	env, process := kit.Beside(kit.NewWorkspace(t), "GOGC=100") // as it is by itself
	content := bytes.Repeat([]byte("0123456789abcdef"), largestUpload/16)
	upload := func(part []byte) {
		u := kit.RequestUpload(env, len(part), kit.PlainText)
		code, text := kit.Put(t, u.UploadURL, kit.PlainText, bytes.NewReader(part))
		require.Equal(t, http.StatusOK, code, text)
	}
	upload(content[:1000])
	before := memory(t, process.PID(), "VmRSS")
	kit.Concurrently(8, func(int) { upload(content) })
	require.Less(t, memory(t, process.PID(), "VmHWM")-before, 64, "MiB")
}

func TestKnowledgeSearch_3AndIngest_5_TheModelGoesAndComesBack(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	model, err := proxy.NewPlain(strings.TrimPrefix(spelled(t), "http://"))
	require.NoError(t, err)
	defer model.Down()
	settings := kit.LettersAt("http://" + model.Addr())
	env := isolated.NewWorkspace(isolated.StartProcess("serve", settings...))
	other := env.Through(isolated.StartProcess("api", settings...).URL)
	old := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, old, "completed")
	found := kit.Search(other, "The gate is closed at night.")
	require.Equal(t, old, found.Results[0].SourceID, "what is completed is found at once by every process")
	require.NotZero(t, found.Results[0].Score)

	model.Down()
	young := kit.Ingest(env, "# Garden\n\nThe roses must be watered every morning.\n")
	kit.RequireWithin(t, kit.IngestionTime, "the source waits for its vectors", func() bool { return kit.Status(env, young).Progress.Stage == "embedding" })
	require.Equal(t, redline.IngestStatusStatusProcessing, kit.Status(env, young).Status)
	how, answer := degraded(env, "roses")
	require.Equal(t, "recency", how)
	require.Len(t, answer.Results, 3)
	for _, hit := range answer.Results {
		require.Zero(t, hit.Score)
		require.Equal(t, old, hit.SourceID)
	}

	require.NoError(t, model.Up())
	kit.BroughtIn(env, young, "completed")
	answer = kit.Search(env, "roses", map[string]any{"includeRules": true})
	require.Len(t, answer.Results, 5)
	for _, hit := range answer.Results {
		require.NotZero(t, hit.Score)
	}
}

func TestFiles_2_AnAddressIsForItsOwnFileWhoeverUsesIt(t *testing.T) {
	env := kit.NewWorkspace(t)
	content := []byte("The bell must be rung at noon.")
	u := kit.RequestUpload(env, len(content), kit.PlainText)
	stranger := kit.Elsewhere(env)
	path := strings.TrimPrefix(u.UploadURL, stranger.Keyed.BaseURL)
	typed := map[string]string{"content-type": kit.PlainText}
	reply, err := stranger.Keyed.Do(env.Ctx, http.MethodPut, path, bytes.NewReader(content), typed)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText}
	require.Equal(t, redline.ErrorDetailsReasonUnknownFileRef, stranger.RefusedAs("NOT_FOUND", client.Ingest, data).Reason)
	status := kit.BroughtIn(env, kit.IngestAs(env, data), "completed")
	path = strings.TrimPrefix(status.OriginalDownloadURL, stranger.Keyed.BaseURL)
	reply, err = stranger.Keyed.Do(env.Ctx, http.MethodGet, path, http.NoBody, nil)
	require.NoError(t, err)
	require.Equal(t, content, reply.Body)
}

package tests

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

	"github.com/redline-svc/redline/tests/proxy"
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
	s := begin(t)
	file, err := os.ReadFile("../internal/extract/pdf/testdata/xmlformat-tutorial.pdf")
	require.NoError(t, err)
	content := padded(t, file, largestUpload)
	require.Len(t, content, largestUpload)
	u := s.uploadURL(len(content), pdfType)
	code, text := put(t, u.UploadURL, pdfType, bytes.NewReader(content))
	require.Equal(t, http.StatusOK, code, text)
	status := s.broughtIn(s.ingestAs(map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": pdfType}), "completed")
	require.EqualValues(t, 8, status.Metadata["pages"])
	_, back := get(t, status.OriginalDownloadURL, "")
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
	l := newLab(t)
	process := l.start("api")
	s := l.begin(process)
	content := bytes.Repeat([]byte("0123456789abcdef"), largestUpload/16)
	upload := func(part []byte) {
		u := s.uploadURL(len(part), plainText)
		code, text := put(t, u.UploadURL, plainText, bytes.NewReader(part))
		require.Equal(t, http.StatusOK, code, text)
	}
	upload(content[:1000])
	before := memory(t, process.PID(), "VmRSS")
	together(8, func(int) { upload(content) })
	require.Less(t, memory(t, process.PID(), "VmHWM")-before, 64, "MiB")
}

func TestKnowledgeSearch_3AndIngest_5_TheModelGoesAndComesBack(t *testing.T) {
	l := newLab(t)
	model, err := proxy.NewPlain(strings.TrimPrefix(spelled(t), "http://"))
	require.NoError(t, err)
	defer model.Down()
	settings := lettersAt("http://" + model.Addr())
	s := l.begin(l.start("serve", settings...))
	other := s.through(l.start("api", settings...).URL)
	old := s.ingest(housePaper)
	s.broughtIn(old, "completed")
	found := other.search("The gate is closed at night.")
	require.Equal(t, old, found.Results[0].SourceID, "what is completed is found at once by every process")
	require.NotNil(t, found.Results[0].Score)

	model.Down()
	young := s.ingest("# Garden\n\nThe roses must be watered every morning.\n")
	within(t, ingestionTime, "the source waits for its vectors", func() bool { return s.status(young).Progress.Stage == "embedding" })
	require.Equal(t, "processing", s.status(young).Status)
	how, answer := s.degraded("roses")
	require.Equal(t, "recency", how)
	require.Len(t, answer.Results, 3)
	for _, hit := range answer.Results {
		require.Nil(t, hit.Score)
		require.Equal(t, old, hit.SourceID)
	}

	require.NoError(t, model.Up())
	s.broughtIn(young, "completed")
	answer = s.search("roses", map[string]any{"includeRules": true})
	require.Len(t, answer.Results, 5)
	for _, hit := range answer.Results {
		require.NotNil(t, hit.Score)
	}
}

func TestFiles_2_AnAddressIsForItsOwnFileWhoeverUsesIt(t *testing.T) {
	s := begin(t)
	content := []byte("The bell must be rung at noon.")
	u := s.uploadURL(len(content), plainText)
	stranger := s.elsewhere()
	path := strings.TrimPrefix(u.UploadURL, stranger.keyed.BaseURL)
	typed := map[string]string{"content-type": plainText}
	reply, err := stranger.keyed.Do(s.ctx, http.MethodPut, path, bytes.NewReader(content), typed)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText}
	require.Equal(t, "unknown-file-ref", stranger.refusedAs("NOT_FOUND", "memory/knowledge/ingest", data).Reason)
	status := s.broughtIn(s.ingestAs(data), "completed")
	path = strings.TrimPrefix(status.OriginalDownloadURL, stranger.keyed.BaseURL)
	reply, err = stranger.keyed.Do(s.ctx, http.MethodGet, path, http.NoBody, nil)
	require.NoError(t, err)
	require.Equal(t, content, reply.Body)
}

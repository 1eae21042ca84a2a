package memory

import (
	"encoding/base64"
	"mime"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestIngest_BytesInEveryAlphabetAreTheSame(t *testing.T) {
	env := kit.NewWorkspace(t)
	content := []byte("Where does it ring? ~~~ At noon, they say: ÿÿÿ>>>???")
	require.NotZero(t, len(content)%3, "there is padding")
	forms := map[string]*base64.Encoding{
		"standard": base64.StdEncoding, "standard without padding": base64.RawStdEncoding,
		"URL-safe": base64.URLEncoding, "URL-safe without padding": base64.RawURLEncoding,
	}
	require.Contains(t, base64.StdEncoding.EncodeToString(content), "+")
	require.Contains(t, base64.StdEncoding.EncodeToString(content), "/")
	ingest := func(text string) map[string]any {
		file := kit.InlineFile(content, kit.PlainText)
		file["base64"] = text
		return map[string]any{"source": "inline", "file": file, "onDuplicate": "reuse"}
	}
	sources := map[string]bool{}
	for _, form := range forms {
		sources[kit.IngestAs(env, ingest(form.EncodeToString(content)))] = true
	}
	require.Len(t, sources, 1, "the same bytes, so the same source")
	for source := range sources {
		_, back := kit.Get(t, kit.BroughtIn(env, source, "completed").OriginalDownloadURL, "")
		require.Equal(t, content, back)
	}
	standard := base64.StdEncoding.EncodeToString(content)
	require.True(t, strings.HasSuffix(standard, "w=="), standard)
	trailing := strings.TrimSuffix(standard, "w==") + "x=="
	for what, text := range map[string]string{
		"two alphabets":          strings.Replace(standard, "+", "-", 1),
		"padding in the middle":  standard[:4] + "==" + standard[4:],
		"too much padding":       standard + "====",
		"too little padding":     base64.StdEncoding.EncodeToString([]byte("a"))[:3],
		"a foreign character":    "*" + standard[1:],
		"a length of no meaning": base64.RawStdEncoding.EncodeToString(content[:len(content)/3*3]) + "A",
		"an empty text":          "",
		"line ends":              standard[:4] + "\r\n" + standard[4:],
		"a line end at the end":  standard + "\n",
		"bits beyond the bytes":  trailing,
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.Ingest, ingest(text))
		require.Contains(t, failure.Message, "base64", what)
	}
}

func TestUploadAndIngest_AScopeIsRepeatedAsItWasGiven(t *testing.T) {
	env := kit.NewWorkspace(t)
	const content = "The bell must be rung at noon."
	asked := map[string]any{"mimeType": kit.PlainText, "fileSize": len(content)}
	for at, scope := range kit.Scopes {
		var u redline.UploadURLResult
		env.Call(client.UploadAddress, kit.Scoped(asked, scope), &u)
		code, text := kit.Put(t, u.UploadURL, kit.PlainText, strings.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
		data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText}
		for i, other := range kit.Scopes {
			if i != at {
				failure := env.RefusedAs("PERMISSION_DENIED", client.Ingest, kit.Scoped(data, other))
				require.Equal(t, redline.ErrorDetailsReasonScopeMismatch, failure.Reason, "%v as %v", scope, other)
			}
		}
		source := kit.IngestAs(env, kit.Scoped(data, scope))
		require.Empty(t, kit.Status(env, source).DedupOf)
		require.Equal(t, source, kit.IngestAs(env, kit.Scoped(kit.IngestData(content), kit.Scoped(scope, map[string]any{"onDuplicate": "reuse"}))), "it lies in that scope")
		kit.BroughtIn(env, source, "completed")
	}
	alone := map[string]any{"documentId": "d"}
	for operation, data := range map[string]map[string]any{"upload-url": asked, "ingest": kit.IngestData(content)} {
		failure := env.RefusedAs("INVALID_ARGUMENT", "memory/knowledge/"+operation, kit.Scoped(data, alone))
		require.Contains(t, failure.Message, "organizationId")
	}
}

func TestUpload_AFileWithoutNameIsUntitled(t *testing.T) {
	env := kit.NewWorkspace(t)
	file, err := os.ReadFile("../../internal/extract/pdf/testdata/weather-station.pdf")
	require.NoError(t, err)
	for name, content := range map[string]string{"untitled.pdf": string(file), "untitled.txt": "The bell must be rung at noon."} {
		mimeType := map[string]string{"untitled.pdf": pdfType, "untitled.txt": kit.PlainText}[name]
		var u redline.UploadURLResult
		env.Call(client.UploadAddress, map[string]any{"mimeType": mimeType, "fileSize": len(content), "fileName": nil}, &u)
		code, text := kit.Put(t, u.UploadURL, mimeType, strings.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
		status := kit.BroughtIn(env, kit.IngestAs(env, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": mimeType}), "completed")
		answer, _ := kit.Get(t, status.OriginalDownloadURL, "")
		_, offered, err := mime.ParseMediaType(answer.Header.Get("content-disposition"))
		require.NoError(t, err)
		require.Equal(t, name, offered["filename"])
	}
}

package tests

import (
	"encoding/base64"
	"maps"
	"mime"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIngest_BytesInEveryAlphabetAreTheSame(t *testing.T) {
	s := begin(t)
	content := []byte("Where does it ring? ~~~ At noon, they say: ÿÿÿ>>>???")
	require.NotZero(t, len(content)%3, "there is padding")
	forms := map[string]*base64.Encoding{
		"standard": base64.StdEncoding, "standard without padding": base64.RawStdEncoding,
		"URL-safe": base64.URLEncoding, "URL-safe without padding": base64.RawURLEncoding,
	}
	require.Contains(t, base64.StdEncoding.EncodeToString(content), "+")
	require.Contains(t, base64.StdEncoding.EncodeToString(content), "/")
	ingest := func(text string) map[string]any {
		file := inlineFile(content, plainText)
		file["base64"] = text
		return map[string]any{"source": "inline", "file": file, "onDuplicate": "reuse"}
	}
	sources := map[string]bool{}
	for _, form := range forms {
		sources[s.ingestAs(ingest(form.EncodeToString(content)))] = true
	}
	require.Len(t, sources, 1, "the same bytes, so the same source")
	for source := range sources {
		_, back := get(t, s.broughtIn(source, "completed").OriginalDownloadURL, "")
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
		failure := s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", ingest(text))
		require.Contains(t, failure.Message, "base64", what)
	}
}

// scopes are places that have no bytes in common.
var scopes = []map[string]any{
	{}, {"organizationId": "o"}, {"organizationId": "o", "documentId": "d"}, {"organizationId": "p"}, {"organizationId": "p", "documentId": "d"},
}

// scoped puts a request's data in a scope.
func scoped(data, scope map[string]any) map[string]any {
	joined := maps.Clone(data)
	maps.Copy(joined, scope)
	return joined
}

func TestIngest_TheSameBytesAreAnotherSourceInEveryScope(t *testing.T) {
	s := begin(t)
	data := ingestData("The bell must be rung at noon.")
	reuse := scoped(data, map[string]any{"onDuplicate": "reuse"})
	oldest := map[string]bool{}
	for _, scope := range scopes {
		first := s.ingestAs(scoped(reuse, scope))
		require.False(t, oldest[first], "a source of another scope is not reused: %v", scope)
		require.Empty(t, s.status(first).DedupOf, "nor named: %v", scope)
		oldest[first] = true
		second := s.ingestAs(scoped(data, scope))
		require.NotEqual(t, first, second)
		require.Equal(t, first, s.status(second).DedupOf, "%v", scope)
		require.Equal(t, first, s.ingestAs(scoped(reuse, scope)), "%v", scope)
	}
}

func TestUploadAndIngest_AScopeIsRepeatedAsItWasGiven(t *testing.T) {
	s := begin(t)
	const content = "The bell must be rung at noon."
	asked := map[string]any{"mimeType": plainText, "fileSize": len(content)}
	for at, scope := range scopes {
		var u uploadURL
		s.call("memory/knowledge/upload-url", scoped(asked, scope), &u)
		code, text := put(t, u.UploadURL, plainText, strings.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
		data := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText}
		for i, other := range scopes {
			if i != at {
				failure := s.refusedAs("PERMISSION_DENIED", "memory/knowledge/ingest", scoped(data, other))
				require.Equal(t, "scope-mismatch", failure.Reason, "%v as %v", scope, other)
			}
		}
		source := s.ingestAs(scoped(data, scope))
		require.Empty(t, s.status(source).DedupOf)
		require.Equal(t, source, s.ingestAs(scoped(ingestData(content), scoped(scope, map[string]any{"onDuplicate": "reuse"}))), "it lies in that scope")
		s.broughtIn(source, "completed")
	}
	alone := map[string]any{"documentId": "d"}
	for operation, data := range map[string]map[string]any{"upload-url": asked, "ingest": ingestData(content)} {
		failure := s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/"+operation, scoped(data, alone))
		require.Contains(t, failure.Message, "organizationId")
	}
}

func TestUpload_AFileWithoutNameIsUntitled(t *testing.T) {
	s := begin(t)
	file, err := os.ReadFile("../internal/extract/pdf/testdata/weather-station.pdf")
	require.NoError(t, err)
	for name, content := range map[string]string{"untitled.pdf": string(file), "untitled.txt": "The bell must be rung at noon."} {
		mimeType := map[string]string{"untitled.pdf": pdfType, "untitled.txt": plainText}[name]
		var u uploadURL
		s.call("memory/knowledge/upload-url", map[string]any{"mimeType": mimeType, "fileSize": len(content), "fileName": nil}, &u)
		code, text := put(t, u.UploadURL, mimeType, strings.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
		status := s.broughtIn(s.ingestAs(map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": mimeType}), "completed")
		answer, _ := get(t, status.OriginalDownloadURL, "")
		_, offered, err := mime.ParseMediaType(answer.Header.Get("content-disposition"))
		require.NoError(t, err)
		require.Equal(t, name, offered["filename"])
	}
}

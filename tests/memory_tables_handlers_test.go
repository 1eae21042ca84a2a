package tests

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIngest_2_BytesThatContradictTheTypeOfATable(t *testing.T) {
	s := begin(t)
	for _, c := range []struct{ mimeType, content string }{
		{csvType, "PK\x03\x04zipped"},
		{csvType, "%PDF-1.4\n1 0 obj\n"},
		{xlsxType, "PK\x03\x04zipped"},
		{xlsxType, "name,amount\nrent,900\n"},
		{xlsxType, "%PDF-1.4\n1 0 obj\n"},
		{plainText, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
	} {
		s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", map[string]any{"source": "inline", "file": inlineFile([]byte(c.content), c.mimeType)})
		u := s.uploadURL(len(c.content), c.mimeType)
		code, text := put(t, u.UploadURL, c.mimeType, strings.NewReader(c.content))
		require.Equal(t, http.StatusOK, code, text)
		s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": c.mimeType})
	}
}

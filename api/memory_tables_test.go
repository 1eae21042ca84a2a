package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestIngest_2_BytesThatContradictTheTypeOfATable(t *testing.T) {
	env := newWorkspace(t)
	for _, c := range []struct{ mimeType, content string }{
		{kit.CSVType, "PK\x03\x04zipped"},
		{kit.CSVType, "%PDF-1.4\n1 0 obj\n"},
		{kit.XlsxType, "PK\x03\x04zipped"},
		{kit.XlsxType, "name,amount\nrent,900\n"},
		{kit.XlsxType, "%PDF-1.4\n1 0 obj\n"},
		{kit.PlainText, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.Ingest, map[string]any{"source": "inline", "file": kit.InlineFile([]byte(c.content), c.mimeType)})
		u := kit.RequestUpload(env, len(c.content), c.mimeType)
		code, text := kit.Put(t, u.UploadURL, c.mimeType, strings.NewReader(c.content))
		require.Equal(t, http.StatusOK, code, text)
		env.RefusedAs("INVALID_ARGUMENT", client.Ingest, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": c.mimeType})
	}
}

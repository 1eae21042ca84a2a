package memory

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// Whether bytes are text is judged by a beginning of the file, wherever that
// happens to end.
func TestIngest_2_TextsBeyondASCIIOfAnyLength(t *testing.T) {
	env := kit.NewWorkspace(t)
	for _, sentence := range []string{"Счёт оплачивается в течение тридцати дней. ", "发票应在三十天内付款。", "🇩🇪🧑‍🚀 "} {
		for lead := range 4 {
			content := []byte(strings.Repeat("-", lead) + strings.Repeat(sentence, 5000/len(sentence)))
			kit.IngestAs(env, map[string]any{"source": "inline", "file": kit.InlineFile(content, kit.PlainText)})
			if lead > 1 {
				continue
			}
			u := kit.RequestUpload(env, len(content), kit.PlainText)
			code, text := kit.Put(t, u.UploadURL, kit.PlainText, bytes.NewReader(content))
			require.Equal(t, http.StatusOK, code, text)
			kit.IngestAs(env, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText})
		}
	}
}

func TestFiles_NamesAreOfferedForSavingAsTheyWereSent(t *testing.T) {
	env := kit.NewWorkspace(t)
	for _, name := range []string{"plain.txt", "a=b; c.txt", "10:30 @desk.txt", `"quoted" 'twice'.txt`, "Größe 100%.txt", "发票.txt", "a+b&c,d.txt"} {
		file := kit.InlineFile([]byte("The name of this file is "+name+"."), kit.PlainText)
		file["fileName"] = name
		status := kit.BroughtIn(env, kit.IngestAs(env, map[string]any{"source": "inline", "file": file}), "completed")
		answer, _ := kit.Get(t, status.OriginalDownloadURL, "")
		kind, params, err := mime.ParseMediaType(answer.Header.Get("content-disposition"))
		if assert.NoError(t, err, answer.Header.Get("content-disposition")) {
			assert.Equal(t, []string{"attachment", name}, []string{kind, params["filename"]})
		}
	}
}

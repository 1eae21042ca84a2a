package tests

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whether bytes are text is judged by a beginning of the file, wherever that
// happens to end.
func TestIngest_2_TextsBeyondASCIIOfAnyLength(t *testing.T) {
	s := begin(t)
	for _, sentence := range []string{"Счёт оплачивается в течение тридцати дней. ", "发票应在三十天内付款。", "🇩🇪🧑‍🚀 "} {
		for lead := range 4 {
			content := []byte(strings.Repeat("-", lead) + strings.Repeat(sentence, 5000/len(sentence)))
			s.ingestAs(map[string]any{"source": "inline", "file": inlineFile(content, plainText)})
			if lead > 1 {
				continue
			}
			u := s.uploadURL(len(content), plainText)
			code, text := put(t, u.UploadURL, plainText, bytes.NewReader(content))
			require.Equal(t, http.StatusOK, code, text)
			s.ingestAs(map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText})
		}
	}
}

func TestFiles_NamesAreOfferedForSavingAsTheyWereSent(t *testing.T) {
	s := begin(t)
	for _, name := range []string{"plain.txt", "a=b; c.txt", "10:30 @desk.txt", `"quoted" 'twice'.txt`, "Größe 100%.txt", "发票.txt", "a+b&c,d.txt"} {
		file := inlineFile([]byte("The name of this file is "+name+"."), plainText)
		file["fileName"] = name
		status := s.broughtIn(s.ingestAs(map[string]any{"source": "inline", "file": file}), "completed")
		answer, _ := get(t, status.OriginalDownloadURL, "")
		kind, params, err := mime.ParseMediaType(answer.Header.Get("content-disposition"))
		if assert.NoError(t, err, answer.Header.Get("content-disposition")) {
			assert.Equal(t, []string{"attachment", name}, []string{kind, params["filename"]})
		}
	}
}

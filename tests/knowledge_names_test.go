package tests

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

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

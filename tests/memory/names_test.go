package memory

import (
	"mime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/redline-svc/redline/tests/kit"
)

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

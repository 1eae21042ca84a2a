package api_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestIngest_1_SizesOfInlineFiles(t *testing.T) {
	env := newWorkspace(t)
	const largest = 5 << 20
	line := []byte("All work and no play makes a dull day. ")
	content := bytes.Repeat(line, largest/len(line)+1)[:largest]
	kit.IngestAs(env, map[string]any{"source": "inline", "file": kit.InlineFile(content, kit.PlainText)})
	failure := env.RefusedAs("INVALID_ARGUMENT", client.Ingest, map[string]any{"source": "inline", "file": kit.InlineFile(append(content, 'x'), kit.PlainText)})
	require.Equal(t, http.StatusBadRequest, failure.HTTPStatus)
	require.Contains(t, failure.Message, "upload the file instead", "a hint how it can be brought in")
	wrong := kit.InlineFile(append(content, 'x'), kit.PlainText)
	wrong["fileSize"] = largest
	require.Contains(t, env.RefusedAs("INVALID_ARGUMENT", client.Ingest, map[string]any{"source": "inline", "file": wrong}).Message, "upload the file instead")
	wrong = kit.InlineFile([]byte("hello"), kit.PlainText)
	wrong["fileSize"] = 6
	env.RefusedAs("INVALID_ARGUMENT", client.Ingest, map[string]any{"source": "inline", "file": wrong})
}

func TestIngest_3_RacingReuseMakesOneSource(t *testing.T) {
	env := newWorkspace(t)
	data := kit.IngestData("The very same bytes must be one source.")
	data["onDuplicate"] = "reuse"
	ids := make([]string, 20)
	var callers sync.WaitGroup
	for i := range ids {
		callers.Go(func() {
			answer, err := client.Call[redline.IngestResult](env.Ctx, env.Keyed, client.Ingest, data)
			if err == nil {
				ids[i] = answer.SourceID
			}
		})
	}
	callers.Wait()
	require.NotEmpty(t, ids[0])
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids))), 1)
	again := kit.Ingest(env, "The very same bytes must be one source.")
	require.NotEqual(t, ids[0], again)
	require.Equal(t, ids[0], kit.Status(env, again).DedupOf)
}

// Whether bytes are text is judged by a beginning of the file, wherever that
// happens to end.
func TestIngest_2_TextsBeyondASCIIOfAnyLength(t *testing.T) {
	env := newWorkspace(t)
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

// A name is counted in characters, and is neither a path nor anything that a terminal obeys.
func TestFiles_NamesHave255CharactersAtMost(t *testing.T) {
	env := newWorkspace(t)
	for name, taken := range map[string]bool{
		strings.Repeat("é", 255): true, strings.Repeat("é", 256): false, "": false, "a/b.txt": false, `a\b.txt`: false, "a\x07.txt": false, "ä b.txt": true,
	} {
		address, file := map[string]any{"mimeType": kit.PlainText, "fileSize": 5, "fileName": name}, kit.InlineFile([]byte("The "+name), kit.PlainText)
		file["fileName"] = name
		ingest := map[string]any{"source": "inline", "file": file}
		if taken {
			env.Call(client.UploadAddress, address, nil)
			kit.IngestAs(env, ingest)
			require.Equal(t, name, kit.NewestSources(env, map[string]any{})[0].FileName)
			continue
		}
		env.RefusedAs("INVALID_ARGUMENT", client.UploadAddress, address)
		env.RefusedAs("INVALID_ARGUMENT", client.Ingest, ingest)
	}
}

func TestIngest_TheSameBytesAreAnotherSourceInEveryScope(t *testing.T) {
	env := newWorkspace(t)
	data := kit.IngestData("The bell must be rung at noon.")
	reuse := kit.Scoped(data, map[string]any{"onDuplicate": "reuse"})
	oldest := map[string]bool{}
	for _, scope := range kit.Scopes {
		first := kit.IngestAs(env, kit.Scoped(reuse, scope))
		require.False(t, oldest[first], "a source of another scope is not reused: %v", scope)
		require.Empty(t, kit.Status(env, first).DedupOf, "nor named: %v", scope)
		oldest[first] = true
		second := kit.IngestAs(env, kit.Scoped(data, scope))
		require.NotEqual(t, first, second)
		require.Equal(t, first, kit.Status(env, second).DedupOf, "%v", scope)
		require.Equal(t, first, kit.IngestAs(env, kit.Scoped(reuse, scope)), "%v", scope)
	}
}

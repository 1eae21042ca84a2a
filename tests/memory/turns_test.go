package memory

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

// slowReader is an embedding endpoint that keeps texts with a word until release.
func slowReader(t *testing.T, word string) (address string, release func()) {
	t.Helper()
	behind, err := url.Parse(spelled(t))
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(behind)
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller has gone
		}
		if bytes.Contains(body, []byte(word)) {
			select {
			case <-released:
			case <-r.Context().Done():
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	release = sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	return server.URL, release
}

func TestIngest_SourcesThatWaitForTheModelKeepNoOtherWaiting(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	url, release := slowReader(t, "snail")
	process := isolated.StartProcess("serve", kit.LettersAt(url)...)
	env, other := isolated.NewWorkspace(process), isolated.NewWorkspace(process)
	var slow []string
	bring := func(count int) {
		for i := range count {
			slow = append(slow, kit.Ingest(env, fmt.Sprintf("The snail crosses road %d, %d.", count, i)))
		}
		for _, source := range slow {
			kit.RequireWithin(t, kit.IngestionTime, "the source waits for its vectors", func() bool { return kit.Status(env, source).Progress.Stage == "embedding" })
		}
	}
	bring(40)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	require.Len(t, kit.Search(env, "gate").Results, 2)
	how, answer := degraded(env, "snail")
	require.Equal(t, "recency", how, "a question waits for its vector for a while only")
	require.Len(t, answer.Results, 3)
	require.Zero(t, answer.Results[0].Score)
	bring(24) // as many as a workspace may have in work
	kit.BroughtIn(other, kit.Ingest(other, kit.HousePaper), "completed")
	require.Len(t, kit.Search(other, "gate").Results, 2)
	for _, source := range slow {
		require.Equal(t, redline.IngestStatusStatusProcessing, kit.Status(env, source).Status)
	}
	release()
	for _, source := range slow {
		kit.BroughtIn(env, source, "completed")
	}
}

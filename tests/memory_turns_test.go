package tests

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
	l := newLab(t)
	url, release := slowReader(t, "snail")
	process := l.start("serve", lettersAt(url)...)
	s, other := l.begin(process), l.begin(process)
	var slow []string
	bring := func(count int) {
		for i := range count {
			slow = append(slow, s.ingest(fmt.Sprintf("The snail crosses road %d, %d.", count, i)))
		}
		for _, source := range slow {
			within(t, ingestionTime, "the source waits for its vectors", func() bool { return s.status(source).Progress.Stage == "embedding" })
		}
	}
	bring(40)
	s.broughtIn(s.ingest(housePaper), "completed")
	require.Len(t, s.search("gate").Results, 2)
	how, answer := s.degraded("snail")
	require.Equal(t, "recency", how, "a question waits for its vector for a while only")
	require.Len(t, answer.Results, 3)
	require.Nil(t, answer.Results[0].Score)
	bring(24) // as many as a workspace may have in work
	other.broughtIn(other.ingest(housePaper), "completed")
	require.Len(t, other.search("gate").Results, 2)
	for _, source := range slow {
		require.Equal(t, "processing", s.status(source).Status)
	}
	release()
	for _, source := range slow {
		s.broughtIn(source, "completed")
	}
}

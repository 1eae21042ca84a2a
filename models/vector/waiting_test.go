package vector_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/vector"
)

// An index that does not answer one call keeps nobody else from theirs.
func TestNobodyWaitsForTheCallOfAnother(t *testing.T) {
	t.Parallel()
	reached, release := make(chan struct{}), make(chan struct{})
	index := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/RedlineChunks_slow") {
			close(reached)
			<-release
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer index.Close()
	x, err := vector.New(strings.TrimPrefix(index.URL, "http://"), "127.0.0.1:1")
	require.NoError(t, err)
	insert := func(suffix, workspace string) <-chan error {
		done := make(chan error, 1)
		p := vector.Partition{Suffix: suffix, Workspace: workspace, Corpus: vector.Chunks}
		go func() { done <- x.Insert(t.Context(), p, objects("src", "src/1", 0, 1)) }()
		return done
	}
	slow := insert("_slow", "ws_a")
	<-reached
	select {
	case err := <-insert("_quick", "ws_b"):
		require.Equal(t, fault.StatusUnavailable, fault.From(err).Status, "it was answered")
	case <-time.After(time.Minute):
		t.Error("it waits for the call of another")
	}
	close(release)
	require.Error(t, <-slow)
}

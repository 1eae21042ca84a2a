package vector_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/vector"
)

// beginning plays an index that has just begun: it knows none of its collections until it is
// ready, and says so. Found says that it finds what it is asked about by then.
type beginning struct {
	ready, found atomic.Bool
	calls        atomic.Int64
}

func (b *beginning) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/.well-known/ready") && b.ready.Load():
		w.WriteHeader(http.StatusOK)
	case strings.HasSuffix(r.URL.Path, "/.well-known/ready"):
		w.WriteHeader(http.StatusServiceUnavailable)
	case strings.HasSuffix(r.URL.Path, "/meta"):
		_, _ = fmt.Fprint(w, `{"version":"1.39.0"}`)
	case b.ready.Load() && b.found.Load():
		b.calls.Add(1)
		w.WriteHeader(http.StatusNoContent)
	default:
		b.calls.Add(1)
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = fmt.Fprint(w, `{"error":[{"message":"class not found"}]}`)
	}
}

func TestAnIndexThatHasJustBegunIsNotBelievedThatNothingIsThere(t *testing.T) {
	t.Parallel()
	b := &beginning{}
	server := httptest.NewServer(b)
	defer server.Close()
	x, err := vector.New(strings.TrimPrefix(server.URL, "http://"), "127.0.0.1:1")
	require.NoError(t, err)
	p := vector.Partition{Suffix: "_one", Workspace: "ws_a", Corpus: vector.Judgments}
	uses := map[string]func(ctx context.Context) error{
		"object":    func(ctx context.Context) error { return x.Delete(ctx, p, p.JudgmentID(1)) },
		"version":   func(ctx context.Context) error { return x.DeleteVersion(ctx, p, "src/1") },
		"workspace": func(ctx context.Context) error { return x.DeleteWorkspace(ctx, "_one", "ws_a") },
		"all":       func(ctx context.Context) error { return x.Drop(ctx, "_one") },
		"lost": func(ctx context.Context) error {
			return x.LostAt(ctx, p, func(context.Context, vector.Partition) (bool, error) { return false, nil })
		},
		"list": func(ctx context.Context) error {
			_, err := x.List(ctx, p, "", 10)
			return err
		},
	}
	for name, use := range uses {
		err := use(t.Context())
		require.Error(t, err, name)
		require.Equal(t, fault.StatusUnavailable, fault.From(err).Status, name)
	}
	b.ready.Store(true)
	for name, use := range uses {
		require.NoError(t, use(t.Context()), "%s: nothing is there", name)
	}
	b.found.Store(true)
	b.calls.Store(0)
	require.NoError(t, uses["object"](t.Context()))
	require.EqualValues(t, 1, b.calls.Load(), "what is there is removed at once")
}

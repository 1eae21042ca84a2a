package blob_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/blob"
)

func folder(t *testing.T) (*blob.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made")
	store, err := blob.Open(context.Background(), blob.Options{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store, dir
}

func TestFileIsReadAsWritten(t *testing.T) {
	store, _ := folder(t)
	ctx := context.Background()
	require.NoError(t, store.Check(ctx))
	require.NoError(t, store.Write(ctx, "a/b", "text/plain", strings.NewReader("hello there")))
	r, err := store.Read(ctx, "a/b")
	require.NoError(t, err)
	require.EqualValues(t, 11, r.Size())
	_, err = r.Seek(6, io.SeekStart)
	require.NoError(t, err)
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "there", string(rest))
	require.NoError(t, r.Close())
	require.NoError(t, store.Delete(ctx, "a/b"))
	require.NoError(t, store.Delete(ctx, "a/b"))
	_, err = store.Read(ctx, "a/b")
	require.ErrorIs(t, err, blob.ErrMissing)
	_, err = store.ReadAll(ctx, "a/b")
	require.ErrorIs(t, err, blob.ErrMissing)
}

func TestBrokenWriteLeavesNothing(t *testing.T) {
	store, dir := folder(t)
	ctx := context.Background()
	broken := errors.New("broken off")
	half := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	require.ErrorIs(t, store.Write(ctx, "new", "text/plain", half), broken)
	_, err := store.ReadAll(ctx, "new")
	require.ErrorIs(t, err, blob.ErrMissing)

	require.NoError(t, store.Write(ctx, "old", "text/plain", strings.NewReader("whole")))
	require.ErrorIs(t, store.Write(ctx, "old", "text/plain", io.MultiReader(strings.NewReader("x"), iotest.ErrReader(broken))), broken)
	content, err := store.ReadAll(ctx, "old")
	require.NoError(t, err)
	require.Equal(t, "whole", string(content))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
}

// TestS3IsSpoken holds what is sent to a service that speaks like S3.
func TestS3IsSpoken(t *testing.T) {
	var mu sync.Mutex
	kept := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		content, there := kept[r.URL.Path]
		switch {
		case !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=key/"):
			w.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodPut:
			body, _ := io.ReadAll(r.Body)
			kept[r.URL.Path] = string(body)
		case !there:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
		case r.Method == http.MethodDelete:
			delete(kept, r.URL.Path)
			w.WriteHeader(http.StatusNoContent)
		default:
			_, _ = io.WriteString(w, content)
		}
	}))
	t.Cleanup(server.Close)
	store, err := blob.Open(context.Background(), blob.Options{
		S3Bucket: "files", S3Region: "eu-1", S3Endpoint: server.URL, S3AccessKey: "key", S3SecretKey: "secret",
	})
	require.NoError(t, err)
	ctx := context.Background()
	require.NoError(t, store.Write(ctx, "a/b", "text/plain", strings.NewReader("hello")))
	mu.Lock()
	require.Contains(t, kept["/files/a/b"], "hello")
	mu.Unlock()
	_, err = store.ReadAll(ctx, "other")
	require.ErrorIs(t, err, blob.ErrMissing)
	require.NoError(t, store.Delete(ctx, "a/b"))
}

func TestOpenWantsAStore(t *testing.T) {
	_, err := blob.Open(context.Background(), blob.Options{})
	require.Error(t, err)
}

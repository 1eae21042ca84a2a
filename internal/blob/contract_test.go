package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// overOnePart is a size that a bucket's client sends in parts.
const overOnePart = 17 << 20

// behaviours are what every kind of store does.
var behaviours = map[string]func(*testing.T, *Store){
	"a file is read as it was written":       readAsWritten,
	"a file is read from any offset":         readFromOffsets,
	"a file larger than one part":            largerThanOnePart,
	"an empty file":                          emptyFile,
	"a file is replaced":                     replaced,
	"a missing file":                         missing,
	"a deleted file is missing":              deleted,
	"content that breaks off leaves nothing": brokenOff,
	"an ended context leaves nothing":        contextEnded,
	"keys of all kinds":                      keys,
	"many writers at once":                   manyWriters,
}

func TestStores(t *testing.T) {
	for kind, open := range map[string]func(*testing.T) *Store{
		"folder": func(t *testing.T) *Store { store, _ := openTestFolder(t); return store },
		"S3":     func(t *testing.T) *Store { return newFakeS3(t).open(t) },
		"Google": func(t *testing.T) *Store { return newFakeGoogle(t).open(t) },
	} {
		t.Run(kind, func(t *testing.T) {
			for name, behaves := range behaviours {
				t.Run(name, func(t *testing.T) { behaves(t, open(t)) })
			}
		})
	}
}

func write(t *testing.T, store *Store, key, content string) {
	t.Helper()
	require.NoError(t, store.Write(t.Context(), key, "text/plain", strings.NewReader(content)))
}

func requireContent(t *testing.T, store *Store, key, content string) {
	t.Helper()
	got, err := store.ReadAll(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, content, string(got))
}

func requireMissing(t *testing.T, store *Store, key string) {
	t.Helper()
	_, err := store.Read(t.Context(), key)
	require.ErrorIs(t, err, ErrMissing)
	_, err = store.ReadAll(t.Context(), key)
	require.ErrorIs(t, err, ErrMissing)
}

func readAsWritten(t *testing.T, store *Store) {
	write(t, store, "a/b", "hello there")
	requireContent(t, store, "a/b", "hello there")
	r, err := store.Read(t.Context(), "a/b")
	require.NoError(t, err)
	require.EqualValues(t, 11, r.Size())
	content, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "hello there", string(content))
	require.NoError(t, r.Close())
}

func readFromOffsets(t *testing.T, store *Store) {
	write(t, store, "a/b", "hello there")
	r, err := store.Read(t.Context(), "a/b")
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	for _, c := range []struct {
		offset int64
		whence int
		at     int64
		rest   string
	}{
		{6, io.SeekStart, 6, "there"},
		{-2, io.SeekEnd, 9, "re"},
		{0, io.SeekStart, 0, "hello there"},
		{-5, io.SeekCurrent, 6, "there"},
		{0, io.SeekEnd, 11, ""},
	} {
		at, err := r.Seek(c.offset, c.whence)
		require.NoError(t, err)
		require.Equal(t, c.at, at)
		rest, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, c.rest, string(rest))
	}
	_, err = r.Seek(3, io.SeekStart)
	require.NoError(t, err)
	few := make([]byte, 2)
	_, err = io.ReadFull(r, few)
	require.NoError(t, err)
	require.Equal(t, "lo", string(few))
}

// counting is text whose every offset is told apart by what stands there.
func counting(size int) []byte {
	var text bytes.Buffer
	for text.Len() < size {
		text.WriteString(strconv.Itoa(text.Len()) + " ")
	}
	return text.Bytes()[:size]
}

func largerThanOnePart(t *testing.T, store *Store) {
	content := counting(overOnePart)
	// Not a bytes.Reader: what uploads bring has neither a length nor offsets.
	require.NoError(t, store.Write(t.Context(), "large", "text/plain", io.MultiReader(bytes.NewReader(content))))
	r, err := store.Read(t.Context(), "large")
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	require.EqualValues(t, overOnePart, r.Size())
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, bytes.Equal(content, got))
	_, err = r.Seek(-1<<20, io.SeekEnd)
	require.NoError(t, err)
	got, err = io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, bytes.Equal(content[overOnePart-1<<20:], got))
}

func emptyFile(t *testing.T, store *Store) {
	write(t, store, "empty", "")
	requireContent(t, store, "empty", "")
	r, err := store.Read(t.Context(), "empty")
	require.NoError(t, err)
	require.Zero(t, r.Size())
	require.NoError(t, r.Close())
}

func replaced(t *testing.T, store *Store) {
	write(t, store, "a", "the first and longer one")
	write(t, store, "a", "the second")
	requireContent(t, store, "a", "the second")
}

func missing(t *testing.T, store *Store) {
	requireMissing(t, store, "a/b")
	require.NoError(t, store.Delete(t.Context(), "a/b"))
}

func deleted(t *testing.T, store *Store) {
	write(t, store, "a/b", "hello")
	write(t, store, "a/c", "stays")
	require.NoError(t, store.Delete(t.Context(), "a/b"))
	requireMissing(t, store, "a/b")
	require.NoError(t, store.Delete(t.Context(), "a/b"))
	requireContent(t, store, "a/c", "stays")
}

func brokenOff(t *testing.T, store *Store) {
	ctx := t.Context()
	broken := errors.New("broken off")
	for key, begin := range map[string]io.Reader{"small": strings.NewReader("half"), "large": bytes.NewReader(counting(overOnePart))} {
		require.ErrorIs(t, store.Write(ctx, key, "text/plain", io.MultiReader(begin, iotest.ErrReader(broken))), broken)
		requireMissing(t, store, key)
	}
	write(t, store, "old", "whole")
	require.ErrorIs(t, store.Write(ctx, "old", "text/plain", io.MultiReader(strings.NewReader("x"), iotest.ErrReader(broken))), broken)
	requireContent(t, store, "old", "whole")
}

func contextEnded(t *testing.T, store *Store) {
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, store.Write(ended, "new", "text/plain", strings.NewReader("text")), context.Canceled)
	requireMissing(t, store, "new")
}

func keys(t *testing.T, store *Store) {
	all := []string{"sources/ws_1/src_2/v1/original", "sources/ws_1/src_2/v1/canonical.md", "uploads/AAEC_w-Q/f_1", "with space/é+%20&?#"}
	for _, key := range all {
		write(t, store, key, "content of "+key)
	}
	for _, key := range all {
		requireContent(t, store, key, "content of "+key)
	}
}

func manyWriters(t *testing.T, store *Store) {
	var writers sync.WaitGroup
	for i := range 16 {
		writers.Go(func() {
			key := "many/" + strconv.Itoa(i%8)
			if err := store.Write(t.Context(), key, "text/plain", strings.NewReader("content of "+key)); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	for i := range 8 {
		key := "many/" + strconv.Itoa(i)
		requireContent(t, store, key, "content of "+key)
	}
}

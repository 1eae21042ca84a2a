package knowledge_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

// A file whose row was committed is claimed; one whose writer died, or whose bytes
// a source had already, is found an hour later and known until it is gone.
func TestAFileThatNoRowNamesIsFound(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	note := func(n knowledge.NewSource) knowledge.UnclaimedFile {
		f := knowledge.UnclaimedFile{WorkspaceID: "ws_one", BlobKey: n.File.BlobKey}
		require.NoError(t, l.NoteFile(ctx, f))
		return f
	}
	keyed := func(content, key string) knowledge.NewSource {
		n := modelstest.Source(content)
		n.File.BlobKey = key
		return n
	}
	named, same, dead := keyed("text", "named"), keyed("text", "same"), keyed("other", "dead")
	same.Reuse = true
	note(named)
	wanted := []knowledge.UnclaimedFile{note(same), note(dead)}
	for _, n := range []knowledge.NewSource{named, same} {
		_, err := l.Accept(ctx, "ws_one", n)
		require.NoError(t, err)
	}
	_, err := l.IssueUpload(ctx, knowledge.Upload{WorkspaceID: "ws_one", Path: "p", MimeType: "text/plain", FileName: "a", Size: 1}, modelstest.BytesOf(1))
	require.NoError(t, err)
	require.NoError(t, l.NoteFile(ctx, knowledge.UnclaimedFile{WorkspaceID: "ws_one", BlobKey: "uploaded"}))
	won, err := l.FinishUpload(ctx, &knowledge.Upload{WorkspaceID: "ws_one", Path: "p"}, "uploaded", modelstest.BytesOf(1))
	require.NoError(t, err)
	require.True(t, won)

	l.Exec(`UPDATE unclaimed_files SET since = since - interval '59 minutes'`)
	found, err := l.UnclaimedFiles(ctx, 10)
	require.NoError(t, err)
	require.Empty(t, found, "a request may still be under way")
	l.Exec(`UPDATE unclaimed_files SET since = since - interval '2 minutes'`)
	found, err = l.UnclaimedFiles(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, wanted, found)
	away := errors.New("the file store is away")
	require.ErrorIs(t, l.DropFile(ctx, found[0], func() error { return away }), away)
	for _, f := range wanted {
		removed := 0
		for range 2 {
			require.NoError(t, l.DropFile(ctx, f, func() error { removed++; return nil }))
		}
		require.Equal(t, 1, removed)
	}
	found, err = l.UnclaimedFiles(ctx, 10)
	require.NoError(t, err)
	require.Empty(t, found)
}

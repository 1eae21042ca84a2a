package knowledge_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

// The file of an address that has ended goes; the address is known for ninety
// days more, so that an expired address can be distinguished from one that never was.
func TestExpiredUploadsLoseTheirFilesAndStayKnown(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	for i := range 3 {
		_, err := l.IssueUpload(ctx, knowledge.Upload{WorkspaceID: "ws_one", Path: strconv.Itoa(i), MimeType: "text/plain", FileName: "a", Size: 1}, modelstest.BytesOf(i))
		require.NoError(t, err)
	}
	u, err := l.UploadByToken(ctx, [][]byte{modelstest.BytesOf(7), modelstest.BytesOf(1)})
	require.NoError(t, err)
	require.Equal(t, []any{"1", "issued", false, true}, []any{u.Path, u.State, u.Expired, u.Kept})
	won, err := l.FinishUpload(ctx, u, "key", modelstest.BytesOf(1))
	require.NoError(t, err)
	require.True(t, won)
	won, err = l.FinishUpload(ctx, u, "other", modelstest.BytesOf(1))
	require.NoError(t, err)
	require.False(t, won)
	_, err = l.UploadByRef(ctx, "ws_two", "1")
	require.True(t, fault.Is(err, fault.StatusNotFound))
	l.Exec(`UPDATE uploads SET expires_at = expires_at - interval '76 minutes' WHERE path <> '0'`)
	expired, err := l.ExpiredUploads(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, []knowledge.ExpiredUpload{{"ws_one", "1", "key"}}, expired, "an address without a file leaves nothing")
	away := errors.New("the file store is away")
	require.ErrorIs(t, l.DropUpload(ctx, expired[0], func() error { return away }), away)
	again, err := l.ExpiredUploads(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, expired, again, "a file is known until it is gone")
	require.NoError(t, l.DropUpload(ctx, expired[0], func() error { return nil }))
	again, err = l.ExpiredUploads(ctx, 10)
	require.NoError(t, err)
	require.Empty(t, again)
	l.Known("0: issued", "1: uploaded", "2: issued")

	l.Exec(`UPDATE uploads SET expires_at = clock_timestamp() - interval '89 days' WHERE path = '1'`)
	l.Exec(`UPDATE uploads SET expires_at = clock_timestamp() - interval '91 days' WHERE path = '2'`)
	require.NoError(t, l.ForgetUploads(ctx, 10))
	l.Known("0: issued", "1: uploaded")
	l.Exec(`UPDATE uploads SET expires_at = clock_timestamp() - interval '91 days', blob_key = CASE path WHEN '0' THEN 'left' END`)
	require.NoError(t, l.ForgetUploads(ctx, 10))
	l.Known("0: issued") // never before its file
}

// An ingest that found its file in time keeps it, though the removal of
// what is over has seen the address already.
func TestIngestInTheLastMomentKeepsItsFile(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	l.Uploaded("p")
	removed := false
	dropped := make(chan error, 1)
	_, err := l.AcceptUpload(ctx, "ws_one", "p", func(*knowledge.Upload) error {
		go func() {
			dropped <- l.DropUpload(ctx, knowledge.ExpiredUpload{WorkspaceID: "ws_one", Path: "p", BlobKey: "key"}, func() error {
				removed = true
				return nil
			})
		}()
		l.SomebodyWaits()
		return nil
	}, knowledge.NewSource{ID: knowledge.NewSourceID(), Type: "upload"})
	require.NoError(t, err)
	require.NoError(t, <-dropped)
	require.False(t, removed)
	u, err := l.UploadByRef(ctx, "ws_one", "p")
	require.NoError(t, err)
	require.Equal(t, "ingested", u.State)
}

// A file whose bytes a source holds already is found as soon as that source is given
// instead, and no sooner than the commit.
func TestAReusedUploadLeavesItsFileToBeRemoved(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	accept := func(path string) knowledge.Accepted {
		done, err := l.AcceptUpload(ctx, "ws_one", path, func(*knowledge.Upload) error { return nil },
			knowledge.NewSource{ID: knowledge.NewSourceID(), Type: "upload", Reuse: true})
		require.NoError(t, err)
		return done
	}
	l.Uploaded("p")
	require.False(t, accept("p").Reused)
	found, err := l.UnclaimedFiles(ctx, 10)
	require.NoError(t, err)
	require.Empty(t, found, "a source names it")
	u := knowledge.Upload{WorkspaceID: "ws_one", Path: "again", MimeType: "text/plain", FileName: "a", Size: 1}
	_, err = l.IssueUpload(ctx, u, modelstest.BytesOf(3))
	require.NoError(t, err)
	won, err := l.FinishUpload(ctx, &u, "second", modelstest.BytesOf(2))
	require.NoError(t, err)
	require.True(t, won)
	require.True(t, accept("again").Reused)
	found, err = l.UnclaimedFiles(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, []knowledge.UnclaimedFile{{WorkspaceID: "ws_one", BlobKey: "second"}}, found)
}

// A slot is free again when its address expires unused; a file that was
// uploaded keeps its slot for an hour more.
func TestUpload_1_AnExpiredAddressFreesItsSlot(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	issue := func(path int) error {
		_, err := l.IssueUpload(ctx, knowledge.Upload{WorkspaceID: "ws_one", Path: strconv.Itoa(path), MimeType: "text/plain", FileName: "a", Size: 1}, modelstest.BytesOf(path))
		return err
	}
	for path := range 50 {
		require.NoError(t, issue(path))
	}
	full := func() { require.True(t, fault.Is(issue(99), fault.StatusResourceExhausted)) }
	full()
	u, err := l.UploadByToken(ctx, [][]byte{modelstest.BytesOf(0)})
	require.NoError(t, err)
	won, err := l.FinishUpload(ctx, u, "key", modelstest.BytesOf(1))
	require.NoError(t, err)
	require.True(t, won)
	expire := func(path int, ago string) {
		l.Exec(`UPDATE uploads SET expires_at = clock_timestamp() - $2::text::interval WHERE path = $1`, strconv.Itoa(path), ago)
	}
	expire(0, "59 minutes")
	full()
	expire(0, "61 minutes")
	require.NoError(t, issue(50))
	full()
	expire(1, "1 second")
	require.NoError(t, issue(51))
	full()
}

// One PUT at a time has the turn of an address: another one gets it when the first gives
// it back or has not asked for long, and none when a file was taken.
func TestPutsOfAnAddressTakeTurns(t *testing.T) {
	t.Parallel()
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	_, err := l.IssueUpload(ctx, knowledge.Upload{WorkspaceID: "ws_one", Path: "p", MimeType: "text/plain", FileName: "a", Size: 1}, modelstest.BytesOf(1))
	require.NoError(t, err)
	u, err := l.UploadByRef(ctx, "ws_one", "p")
	require.NoError(t, err)
	turn := func(put string, taken, waits bool) {
		t.Helper()
		got, more, err := l.TakeTurn(ctx, u, put)
		require.NoError(t, err)
		require.Equal(t, []bool{taken, waits}, []bool{got, more})
	}
	taken := make(chan bool, 20)
	for _, err := range modelstest.AtOnce(cap(taken), func(i int) error {
		got, _, err := l.TakeTurn(ctx, u, strconv.Itoa(i))
		if got {
			taken <- true
		}
		return err
	}) {
		require.NoError(t, err)
	}
	require.Len(t, taken, 1)
	l.Exec(`UPDATE uploads SET put_until = NULL`)
	turn("one", true, true)
	turn("two", false, true)
	turn("one", true, true)
	require.NoError(t, l.EndTurn(ctx, u, "two"))
	turn("two", false, true)
	require.NoError(t, l.EndTurn(ctx, u, "one"))
	turn("two", true, true)
	l.Exec(`UPDATE uploads SET put_until = put_until - interval '15 seconds'`)
	turn("one", true, true)
	won, err := l.FinishUpload(ctx, u, "key", modelstest.BytesOf(1))
	require.NoError(t, err)
	require.True(t, won)
	turn("one", false, false)
	turn("two", false, false)
}

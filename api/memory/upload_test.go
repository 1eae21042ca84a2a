package memory

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/knowledge"
)

// fakeRows holds one upload; it was finished by another call where lost is set.
type fakeRows struct {
	knowledgeStore

	upload knowledge.Upload
	lost   bool
	sum    []byte
	// noted are the keys of files to come.
	noted []string
	// turn has who has the turn of the address; others are told so as often as busy says.
	turn string
	busy int
}

func (f *fakeRows) TakeTurn(_ context.Context, _ *knowledge.Upload, put string) (taken, waits bool, err error) {
	if f.busy > 0 {
		f.busy--
		return false, true, nil
	}
	if f.upload.State != "issued" {
		return false, false, nil
	}
	f.turn = put
	return true, true, nil
}

func (f *fakeRows) EndTurn(_ context.Context, _ *knowledge.Upload, put string) error {
	if f.turn == put {
		f.turn = ""
	}
	return nil
}

func (f *fakeRows) NoteFile(_ context.Context, file knowledge.UnclaimedFile) error {
	f.noted = append(f.noted, file.BlobKey)
	return nil
}

func (f *fakeRows) UploadByToken(context.Context, [][]byte) (*knowledge.Upload, error) {
	return &f.upload, nil
}

func (f *fakeRows) FinishUpload(_ context.Context, _ *knowledge.Upload, _ string, sum []byte) (bool, error) {
	f.sum = sum
	return !f.lost, nil
}

// fakeFiles reads what it is given and notes what was removed.
type fakeFiles struct {
	fileStore

	rows    *fakeRows
	written string
	removed int
}

var errNotNoted = errors.New("the key of the file is in no row")

func (f *fakeFiles) Write(_ context.Context, key, _ string, content io.Reader) error {
	if !slices.Contains(f.rows.noted, key) {
		return errNotNoted
	}
	text, err := io.ReadAll(content)
	f.written = string(text)
	return err
}

func (f *fakeFiles) Delete(context.Context, string) error {
	f.removed++
	return nil
}

// uploads makes the operations over one upload that waits.
func uploads(t *testing.T) (*Knowledge, *fakeRows, *fakeFiles) {
	t.Helper()
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	rows := &fakeRows{upload: knowledge.Upload{WorkspaceID: "ws_a", Path: "p", MimeType: "text/plain", Size: 5, State: "issued"}}
	files := &fakeFiles{rows: rows}
	return NewKnowledge(KnowledgeParts{Box: box, Store: rows, Files: files, Bucket: "knowledge"}), rows, files
}

func TestAnUploadIsTakenOnceAndInTime(t *testing.T) {
	k, rows, _ := uploads(t)
	file, err := k.Incoming(t.Context(), "token")
	require.NoError(t, err)
	require.NoError(t, file.Refused)
	require.Equal(t, []any{"ws_a", "text/plain", int64(5)}, []any{file.WorkspaceID, file.MimeType, file.Size})
	rows.upload.Expired = true
	file, err = k.Incoming(t.Context(), "token")
	require.NoError(t, err)
	require.Equal(t, "upload-expired", fault.From(file.Refused).Reason)
	rows.upload.State = "uploaded"
	file, err = k.Incoming(t.Context(), "token")
	require.NoError(t, err)
	require.Equal(t, "already-uploaded", fault.From(file.Refused).Reason, "that it was used counts before its time")
}

func TestAnUploadedFileIsKeptWithItsSum(t *testing.T) {
	k, rows, files := uploads(t)
	file, err := k.Incoming(t.Context(), "token")
	require.NoError(t, err)
	kept, err := file.Store(t.Context(), strings.NewReader("hello"))
	require.NoError(t, err)
	require.Equal(t, &UploadedFile{FileRef: "gs://knowledge/p", FileSize: 5}, kept)
	require.Equal(t, "hello", files.written)
	require.Len(t, rows.sum, 32)
	rows.lost = true
	_, err = file.Store(t.Context(), strings.NewReader("hello"))
	require.Equal(t, "already-uploaded", fault.From(err).Reason)
	require.Equal(t, 1, files.removed, "the file that lost is removed")
}

// A PUT reads nothing before its turn, and gives the turn back whatever became of it.
func TestAnUploadWaitsForItsTurn(t *testing.T) {
	k, rows, files := uploads(t)
	file, err := k.Incoming(t.Context(), "token")
	require.NoError(t, err)
	rows.busy = 2
	_, err = file.Store(t.Context(), broken{})
	require.Error(t, err)
	require.Equal(t, []any{0, ""}, []any{rows.busy, rows.turn})
	rows.busy, rows.upload.State = 1, "uploaded"
	_, err = file.Store(t.Context(), strings.NewReader("hello"))
	require.Equal(t, "already-uploaded", fault.From(err).Reason, "the one before it was taken")
	require.Empty(t, files.written)
	rows.busy = 1000
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = file.Store(ended, strings.NewReader("hello"))
	require.True(t, fault.Is(err, fault.StatusDeadlineExceeded))
}

// broken is a body that ends too early.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestABrokenUploadIsNotKept(t *testing.T) {
	k, rows, _ := uploads(t)
	file, err := k.Incoming(t.Context(), "token")
	require.NoError(t, err)
	_, err = file.Store(t.Context(), broken{})
	require.Error(t, err)
	require.Nil(t, rows.sum)
}

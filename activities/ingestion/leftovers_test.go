package ingestion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models/knowledge"
)

var errStuck = errors.New("the file store is away")

// leftover are rows of removed sources with their files, and note what is done.
type leftover struct {
	rows

	removed   []knowledge.RemovedVersion
	unclaimed []knowledge.UnclaimedFile
	away      bool
	// stuck is a file that cannot be removed.
	stuck string
	done  []string
	// held says that a backup copies files; released is below zero while somebody removes some.
	held     bool
	released int
}

func (l *leftover) RemovedVersions(_ context.Context, limit int) ([]knowledge.RemovedVersion, error) {
	return l.removed[:min(limit, len(l.removed))], nil
}

func (l *leftover) FormerVersions(context.Context, int) ([]knowledge.RemovedVersion, error) {
	return nil, nil
}

func (l *leftover) HiddenVersions(context.Context, int) ([]knowledge.VersionRef, error) {
	return nil, errHidden
}

var errHidden = errors.New("hidden versions cannot be found")

func (l *leftover) ExpiredUploads(context.Context, int) ([]knowledge.ExpiredUpload, error) {
	return nil, nil
}

func (l *leftover) ForgetUploads(context.Context, int) error { return nil }

func (l *leftover) UnclaimedFiles(_ context.Context, limit int) ([]knowledge.UnclaimedFile, error) {
	return slices.Clone(l.unclaimed[:min(limit, len(l.unclaimed))]), nil
}

func (l *leftover) DropFile(_ context.Context, f knowledge.UnclaimedFile, remove func() error) error {
	if err := remove(); err != nil {
		return err
	}
	l.unclaimed = slices.DeleteFunc(l.unclaimed, func(other knowledge.UnclaimedFile) bool { return other == f })
	return nil
}

func (l *leftover) RemovingFiles(context.Context) (release func(), held bool, err error) {
	l.released--
	return func() { l.released++ }, l.held, nil
}

func (l *leftover) Dropped(context.Context) ([]knowledge.Generation, error) { return nil, nil }

func (l *leftover) IdleWorkspaces(context.Context, int) ([]string, error) { return nil, nil }

func (l *leftover) DropVersion(_ context.Context, v knowledge.VersionRef) error {
	l.removed = slices.DeleteFunc(slices.Clone(l.removed), func(other knowledge.RemovedVersion) bool { return other.VersionRef == v })
	l.done = append(l.done, "rows of "+v.SourceID)
	return nil
}

func (l *leftover) Delete(_ context.Context, key string) error {
	if l.away || l.stuck != "" && strings.HasPrefix(key, l.stuck) {
		return errStuck
	}
	l.done = append(l.done, key)
	return nil
}

// The files of a removed source go before its rows, those that no row names too, and
// no call leaves any for the next.
func TestRemovalTakesFilesBeforeRows(t *testing.T) {
	l := &leftover{away: true, removed: []knowledge.RemovedVersion{
		{VersionRef: knowledge.VersionRef{WorkspaceID: "ws", SourceID: "a", Version: 1}, OriginalKey: "one"},
		{VersionRef: knowledge.VersionRef{WorkspaceID: "ws", SourceID: "b", Version: 2}, OriginalKey: "two"},
	}}
	work := inProcess(Parts{Rows: l, Files: l, Models: embed.NewModels(embed.Lexical{}, nil)})
	require.Error(t, work.removeSources(t.Context()))
	require.Empty(t, l.done, "rows stay as long as there are files")
	l.away = false
	require.NoError(t, work.removeSources(t.Context()))
	require.Equal(t, []string{
		"one", "sources/ws/a/v1/canonical.md", "rows of a", "two", "sources/ws/b/v2/canonical.md", "rows of b",
	}, l.done)
}

// What cannot be removed, be it more than a look finds at once, keeps neither the rest
// of its kind nor the other kinds waiting.
func TestRemovalGoesOnBehindWhatCannotBeRemoved(t *testing.T) {
	l := &leftover{stuck: "stuck"}
	for n := range 3 * removeBatch {
		l.unclaimed = append(l.unclaimed, knowledge.UnclaimedFile{WorkspaceID: "ws", BlobKey: fmt.Sprint("stuck", n)})
		l.removed = append(l.removed, knowledge.RemovedVersion{
			VersionRef: knowledge.VersionRef{WorkspaceID: "ws", SourceID: fmt.Sprint("stuck", n), Version: 1}, OriginalKey: fmt.Sprint("stuck", n),
		})
	}
	l.unclaimed = append(l.unclaimed, knowledge.UnclaimedFile{WorkspaceID: "ws", BlobKey: "file"})
	l.removed = append(l.removed, knowledge.RemovedVersion{VersionRef: knowledge.VersionRef{WorkspaceID: "ws", SourceID: "a", Version: 1}, OriginalKey: "one"})
	err := inProcess(Parts{Rows: l, Files: l, Models: embed.NewModels(embed.Lexical{}, nil)}).RemoveLeftovers(t.Context())
	require.ErrorIs(t, err, errStuck)
	require.ErrorIs(t, err, errHidden)
	require.Less(t, len(err.Error()), 1000, "it tells of some of them")
	require.Equal(t, []string{"file", "one", "sources/ws/a/v1/canonical.md", "rows of a"}, l.done)
	require.Len(t, l.unclaimed, 3*removeBatch)
	require.Len(t, l.removed, 3*removeBatch)
}

// While a backup copies files none goes, and no row without its files.
func TestRemovalLeavesFilesThatAreCopied(t *testing.T) {
	l := &leftover{held: true, unclaimed: []knowledge.UnclaimedFile{{WorkspaceID: "ws", BlobKey: "file"}}, removed: []knowledge.RemovedVersion{
		{VersionRef: knowledge.VersionRef{WorkspaceID: "ws", SourceID: "a", Version: 1}, OriginalKey: "one"},
	}}
	work := inProcess(Parts{Rows: l, Files: l, Models: embed.NewModels(embed.Lexical{}, nil)})
	require.NoError(t, work.removeWithFiles(t.Context()))
	require.Empty(t, l.done)
	l.held, l.released = false, 0
	require.NoError(t, work.removeWithFiles(t.Context()))
	require.Equal(t, []string{"file", "one", "sources/ws/a/v1/canonical.md", "rows of a"}, l.done)
	require.Zero(t, l.released, "the lock is given back")
}

// A batch of workspaces that the index does not release keeps no other one in memory.
func TestRemovalReleasesBehindABatchThatFails(t *testing.T) {
	r := &idleRows{}
	for n := range 2*idleBatch + 1 {
		r.idle = append(r.idle, fmt.Sprint("ws", n))
	}
	require.ErrorIs(t, inProcess(Parts{Rows: r, Index: holdingOn{}, Models: embed.NewModels(embed.Lexical{}, nil)}).releaseIdle(t.Context()), errStuck)
	require.Len(t, r.idle, idleBatch)
	require.Equal(t, "ws0", r.idle[0])
}

// idleRows are workspaces that nobody uses.
type idleRows struct {
	rows

	idle []string
}

func (r *idleRows) IdleWorkspaces(_ context.Context, limit int) ([]string, error) {
	return slices.Clone(r.idle[:min(limit, len(r.idle))]), nil
}

func (*idleRows) Standing(context.Context) ([]knowledge.Generation, error) {
	return []knowledge.Generation{{}}, nil
}

func (r *idleRows) Released(_ context.Context, workspaces []string) error {
	r.idle = slices.DeleteFunc(r.idle, func(id string) bool { return slices.Contains(workspaces, id) })
	return nil
}

// holdingOn is an index that does not release the first workspace.
type holdingOn struct{ Index }

func (holdingOn) Release(_ context.Context, _ string, workspaces []string) error {
	if slices.Contains(workspaces, "ws0") {
		return errStuck
	}
	return nil
}

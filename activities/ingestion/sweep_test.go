package ingestion

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models/knowledge"
)

// leftover are rows of removed sources with their files, and note what is done.
type leftover struct {
	rows

	removed []knowledge.RemovedVersion
	away    bool
	done    []string
}

func (l *leftover) RemovedVersions(context.Context, int) ([]knowledge.RemovedVersion, error) {
	return l.removed[:min(1, len(l.removed))], nil
}

func (l *leftover) DropVersion(_ context.Context, v knowledge.VersionRef) error {
	l.removed, l.done = l.removed[1:], append(l.done, "rows of "+v.SourceID)
	return nil
}

func (l *leftover) Delete(_ context.Context, key string) error {
	if l.away {
		return errors.New("the file store is away")
	}
	l.done = append(l.done, key)
	return nil
}

// The files of a removed source go before its rows, those that no row names too, and
// no sweep leaves any for the next.
func TestSweepRemovesFilesBeforeRows(t *testing.T) {
	l := &leftover{away: true, removed: []knowledge.RemovedVersion{
		{VersionRef: knowledge.VersionRef{WorkspaceID: "ws", SourceID: "a", Version: 1}, OriginalKey: "one"},
		{VersionRef: knowledge.VersionRef{WorkspaceID: "ws", SourceID: "b", Version: 2}, OriginalKey: "two"},
	}}
	work := New(Parts{Rows: l, Files: l, Models: embed.NewModels(embed.Lexical{}, nil)})
	require.Error(t, work.sweepSources(t.Context()))
	require.Empty(t, l.done, "rows stay as long as there are files")
	l.away = false
	require.NoError(t, work.sweepSources(t.Context()))
	require.Equal(t, []string{
		"one", "sources/ws/a/v1/canonical.md", "rows of a", "two", "sources/ws/b/v2/canonical.md", "rows of b",
	}, l.done)
}

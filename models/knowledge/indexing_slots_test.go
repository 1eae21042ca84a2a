package knowledge_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

// indexingSlots is how many versions of a workspace are being indexed at once.
const indexingSlots = 16

// embeddedVersions are versions that are to be indexed next.
func embeddedVersions(l *modelstest.Library, workspaceID string, count int) []knowledge.VersionRef {
	versions := make([]knowledge.VersionRef, count)
	for i := range versions {
		versions[i] = l.Staged(workspaceID, fmt.Sprint("text ", i))
	}
	l.Exec(`UPDATE source_versions SET done = done - 1, stage = 'embedding' WHERE workspace_id = $1`, workspaceID)
	return versions
}

// Of 17 versions of a workspace that come at one moment 16 are indexed, and the last
// one as soon as one of them is done. They keep no other workspace's from theirs.
func TestSixteenVersionsOfAWorkspaceAreIndexedAtOnce(t *testing.T) {
	l := modelstest.NewLibrary(t)
	many, few := embeddedVersions(l, "ws_one", indexingSlots+1), embeddedVersions(l, "ws_two", 2)
	begin := func(v knowledge.VersionRef) error {
		_, err := l.BeginStage(t.Context(), v, knowledge.StageIndexing)
		return err
	}
	var in []knowledge.VersionRef
	var waits knowledge.VersionRef
	for i, err := range modelstest.AtOnce(len(many), func(i int) error { return begin(many[i]) }) {
		if err == nil {
			in = append(in, many[i])
			continue
		}
		require.Equal(t, fault.StatusResourceExhausted, fault.From(err).Status, "%v", err)
		waits = many[i]
	}
	require.Len(t, in, indexingSlots)
	for _, v := range in {
		require.NoError(t, begin(v), "one that is tried again has its slot")
	}
	require.Equal(t, fault.StatusResourceExhausted, fault.From(begin(waits)).Status, "tries do not free any")
	for _, v := range few {
		require.NoError(t, begin(v), "another workspace has slots of its own")
	}

	require.NoError(t, l.MarkIndexed(t.Context(), in[0], l.Generation().ID))
	require.NoError(t, begin(waits), "what is indexed holds no slot")
}

// A version that ends while it is being indexed leaves its slot.
func TestAVersionThatFailsLeavesItsIndexingSlot(t *testing.T) {
	l := modelstest.NewLibrary(t)
	versions := embeddedVersions(l, "ws_one", indexingSlots+1)
	last := versions[indexingSlots]
	for _, v := range versions[:indexingSlots] {
		l.Begin(v, knowledge.StageIndexing)
	}
	_, err := l.BeginStage(t.Context(), last, knowledge.StageIndexing)
	require.Equal(t, fault.StatusResourceExhausted, fault.From(err).Status)
	require.NoError(t, l.Fail(t.Context(), versions[0], "index-failed", "The index could not be written."))
	l.Begin(last, knowledge.StageIndexing)
}

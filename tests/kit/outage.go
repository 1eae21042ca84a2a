package kit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/stack"
)

// OwnParts starts servers of one test, which may stop them; no process of the service runs.
func OwnParts(t *testing.T) *stack.Stack {
	t.Helper()
	t.Parallel()
	TakeSlot(t, IsolatedSlots)
	folder := filepath.Join(folderOf(t), "stack")
	parts, err := stack.Start(t.Context(), Shared.Binary, folder, "none")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, parts.Stop()) })
	require.NoError(t, parts.Without(t.Context(), "fsync", "full_page_writes"))
	return parts
}

// folderOf is a folder for the servers of one test, which goes with them unless all is to be kept.
func folderOf(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "redline-parts-") //nolint:usetesting // that of the test goes with it
	require.NoError(t, err)
	if os.Getenv("REDLINE_TEST_KEEP") == "1" {
		t.Logf("data and logs of its servers stay in %s", folder)
		return folder
	}
	t.Cleanup(func() { require.NoError(t, stack.Remove(folder)) })
	return folder
}

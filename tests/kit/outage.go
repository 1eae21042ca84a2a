package kit

import (
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
	folder := filepath.Join(t.TempDir(), "stack")
	t.Cleanup(func() { require.NoError(t, stack.Remove(folder)) })
	parts, err := stack.Start(t.Context(), Shared.Binary, folder, "none")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, parts.Stop()) })
	require.NoError(t, parts.Without(t.Context(), "fsync", "full_page_writes"))
	return parts
}

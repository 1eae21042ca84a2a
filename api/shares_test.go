package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// More updates of one document than there are connections wait for one row. Another
// workspace is answered all the same, and then each update is: done, or told to come again.
func TestCallsThatWaitForOneRowLeaveOthersTheirConnections(t *testing.T) {
	t.Parallel()
	s := handlerServer(t, "REDLINE_DATABASE_MAX_CONNS=8")
	many, other := kit.NewWorkspaceAt(t, s.URL), kit.NewWorkspaceAt(t, s.URL)
	many.Database = s.Database
	kit.Discuss(many, kit.Wrote("ann", "one"))
	kit.Discuss(other, kit.Wrote("ann", "one"))

	conn, err := many.DB().Begin(many.Ctx)
	require.NoError(t, err)
	_, err = conn.Exec(many.Ctx, `SELECT FROM annotations WHERE workspace_id = $1 FOR UPDATE`, many.Workspace.ID)
	require.NoError(t, err)
	const updates = 110
	answers := make(chan error, updates)
	for range updates {
		go func() {
			_, err := client.Call[redline.ItemByIDResult](many.Ctx, many.Keyed, client.UpdateAnnotations,
				kit.Doc("d", map[string]any{"allAnnotations": true, "updatedData": map[string]any{"priority": kit.PriorityOf("P1")}}))
			answers <- err
		}()
	}
	waiting := func() (n int) {
		require.Empty(t, answers, "none is answered while the row is locked")
		require.NoError(t, many.DB().QueryRow(many.Ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n))
		return n
	}
	// Of 128 MiB of memory each call takes a little more than the 32 that threads may have; of
	// the connections the workspace might hold four.
	const held = 3
	kit.RequireEventually(t, "the workspace waits with all that it may hold", func() bool { return waiting() == held })
	for range 20 {
		require.Len(t, kit.Older[[]redline.Annotation](other, kit.GetAnnotations, kit.Doc("d")).Data, 1)
		kit.Annotate(other, kit.Made("e", kit.Annotated(kit.Unique("n"), kit.Wrote("ann", "two"))))
	}
	require.Equal(t, held, waiting(), "others wait before they take a connection")
	require.NoError(t, conn.Rollback(many.Ctx))
	for range updates {
		if err := <-answers; err != nil {
			require.Equal(t, redline.ErrorDetailsReasonBusy, redline.AsError(err).Reason)
		}
	}
}

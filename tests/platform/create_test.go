package platform

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
)

func TestWorkspaceCreate_8_KilledDuringTheCall(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api")
	for name, hold := range map[string]func(func(byte, []byte) bool) *proxy.Hold{
		"before the commit": isolated.Rows.HoldCommit, "after the commit": isolated.Rows.HoldCommitReply,
	} {
		email := kit.OwnerEmail(kit.Unique("killed"))
		held := hold(proxy.Says(email))
		answered := make(chan error, 1)
		go func() {
			_, err := client.Call[json.RawMessage](t.Context(), client.Public(api.URL), client.WorkspaceCreate, map[string]any{"ownerEmail": email})
			answered <- err
		}()
		kit.RequireReached(t, "the commit", held.Reached())
		api.Kill()
		isolated.Rows.Cut()
		held.Release()
		require.NoError(t, isolated.Rows.Mend())
		require.Error(t, <-answered, name)
		isolated.Restart(api)

		again := func() string {
			_, err := client.Call[json.RawMessage](t.Context(), client.Public(api.URL), client.WorkspaceCreate, map[string]any{"ownerEmail": email})
			if failure := redline.AsError(err); failure != nil {
				return string(failure.Status)
			}
			require.NoError(t, err)
			return "OK"
		}
		if name == "before the commit" {
			require.Equal(t, "OK", again(), "nothing exists")
		}
		require.Equal(t, "ALREADY_EXISTS", again(), "all exists")
		require.Equal(t, 1, strings.Count(isolated.Operate("workspace", "list", "--owner", email, "--json"), `"ownerId"`))
	}
}

func TestWorkspaceCreate_OperatorsListIsReadAgain(t *testing.T) {
	extra, allow := file(t, "extra", "throw.example.com\n"), file(t, "allow", "mailinator.com\n")
	env, api := kit.Beside(kit.NewWorkspace(t), "REDLINE_EMBEDDER=lexical", "REDLINE_DISPOSABLE_EXTRA_FILE="+extra, "REDLINE_DISPOSABLE_ALLOW_FILE="+allow)
	session := kit.Public(env)
	kit.Declined(t, session, client.WorkspaceCreate, map[string]any{"ownerEmail": kit.Unique("o") + "@a.throw.example.com"}, "INVALID_ARGUMENT", "disposable-domain")
	kit.Asked[kit.WorkspaceView](t, session, client.WorkspaceCreate, map[string]any{"ownerEmail": kit.Unique("o") + "@mailinator.com"})

	require.NoError(t, os.WriteFile(extra, []byte("late.example.com\n"), 0o600))
	require.NoError(t, syscall.Kill(api.PID(), syscall.SIGHUP))
	kit.RequireEventually(t, "the new list counts", func() bool {
		_, err := client.Call[json.RawMessage](t.Context(), session, client.WorkspaceCreate, map[string]any{"ownerEmail": kit.Unique("o") + "@late.example.com"})
		failure := redline.AsError(err)
		return failure != nil && failure.Reason == "disposable-domain"
	})
	kit.Asked[kit.WorkspaceView](t, session, client.WorkspaceCreate, map[string]any{"ownerEmail": kit.Unique("o") + "@a.throw.example.com"})
}

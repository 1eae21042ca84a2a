package platform

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
)

func TestWorkspaceCreate_TheWholeAnswer(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("Owner"))
	local, _, _ := strings.Cut(email, "@")
	began := time.Now().Truncate(time.Millisecond)
	made := kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, map[string]any{
		"ownerEmail": email, "name": "John Doe", "avatar": "https://example.com/a.png",
	})
	assert.Regexp(t, `^ws_[0-9a-z]{26}$`, made.ID)
	assert.Regexp(t, `^usr_[0-9a-z]{26}$`, made.Owner.ID)
	assert.Regexp(t, `^wst_[A-Za-z0-9_-]{43}$`, made.AuthToken)
	assert.Equal(t, "John Doe workspace", made.Name)
	assert.Equal(t, email, made.Owner.Email)
	assert.Equal(t, "John Doe", made.Owner.Name)
	assert.Equal(t, "https://example.com/a.png", *made.Owner.Avatar)
	assert.Equal(t, "free", made.Plan)
	at, err := time.Parse("2006-01-02T15:04:05.000Z", made.CreatedAt)
	require.NoError(t, err)
	assert.False(t, at.Before(began))
	assert.False(t, at.After(time.Now()))
	keys := made.Keys(t)
	require.Len(t, keys, 1)
	assert.Regexp(t, `^ak_[0-9a-z]{26}$`, keys[0].ID)
	assert.Equal(t, local+" Test API Key", keys[0].APIKeyName)
	assert.Equal(t, redline.APIKeyTypeTesting, keys[0].Type)
}

func TestWorkspaceCreate_4_DecomposedLettersAreTheSameOwner(t *testing.T) {
	t.Parallel()
	tail := kit.Unique("lodie") + "@exemple.example.com"
	first := kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, map[string]any{"ownerEmail": "é" + tail})
	kit.Declined(t, public(), client.WorkspaceCreate, map[string]any{"ownerEmail": "e\u0301" + tail, "workspaceName": " e\u0301" + strings.ToUpper(tail) + " WORKSPACE "},
		"ALREADY_EXISTS", "workspace-exists")
	kit.Declined(t, public(), client.WorkspaceCreate, map[string]any{"ownerEmail": "E\u0301" + tail, "workspaceName": "other"}, "PERMISSION_DENIED", "plan-required")
	kit.Operate(t, "workspace", "set-plan", first.ID, "paid")
	second := kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, map[string]any{"ownerEmail": "e\u0301" + tail, "workspaceName": "other"})
	require.Equal(t, first.Owner.ID, second.Owner.ID)
	require.Equal(t, first.Keys(t)[0].APIKeyName, second.Keys(t)[0].APIKeyName)
	require.Equal(t, "e\u0301"+tail, second.Owner.Email, "as it was sent")
}

func TestWorkspaceCreate_5_FiftyEqualRequestsAtOnce(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("race"))
	var mu sync.Mutex
	outcomes := map[string]int{}
	kit.Concurrently(50, func(int) {
		_, err := client.Call[json.RawMessage](t.Context(), public(), client.WorkspaceCreate, map[string]any{"ownerEmail": email})
		mu.Lock()
		defer mu.Unlock()
		if failure := redline.AsError(err); failure != nil {
			outcomes[string(failure.Status)]++
			return
		}
		assert.NoError(t, err)
		outcomes["OK"]++
	})
	require.Equal(t, map[string]int{"OK": 1, "ALREADY_EXISTS": 49}, outcomes)
	require.Equal(t, 1, strings.Count(kit.Operate(t, "workspace", "list", "--owner", email, "--json"), `"ownerId"`))
}

func TestWorkspaceCreate_6_PaidRootOwnsFive(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("five"))
	create := func(name string) map[string]any { return map[string]any{"ownerEmail": email, "workspaceName": name} }
	root := kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, create("one"))
	kit.Operate(t, "workspace", "set-plan", root.ID, "paid")
	for _, name := range []string{"two", "three", "four", "five"} {
		made := kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, create(name))
		require.Equal(t, root.Owner.ID, made.Owner.ID)
	}
	failure := kit.Declined(t, public(), client.WorkspaceCreate, create("six"), "RESOURCE_EXHAUSTED", "workspace-quota")
	require.Zero(t, failure.RetryAfter, "time does not lift it")
	kit.Declined(t, public(), client.WorkspaceCreate, create(" FIVE "), "ALREADY_EXISTS", "workspace-exists")
}

func TestWorkspaceCreate_7_RootThatWasDowngraded(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("down"))
	create := func(name string) map[string]any { return map[string]any{"ownerEmail": email, "workspaceName": name} }
	root := kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, create("one"))
	kit.Operate(t, "workspace", "set-plan", root.ID, "paid")
	for _, name := range []string{"two", "three"} {
		kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, create(name))
	}
	kit.Operate(t, "workspace", "set-plan", root.ID, "free")
	kit.Declined(t, public(), client.WorkspaceCreate, create("four"), "PERMISSION_DENIED", "plan-required")
	kit.Operate(t, "workspace", "set-plan", root.ID, "paid")
	for _, name := range []string{"four", "five"} {
		kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, create(name))
	}
	kit.Operate(t, "workspace", "set-plan", root.ID, "free")
	kit.Declined(t, public(), client.WorkspaceCreate, create("six"), "RESOURCE_EXHAUSTED", "workspace-quota")
}

func TestOperator_FreesAnAddressThatAStrangerOccupies(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("occupied"))
	create := map[string]any{"ownerEmail": strings.ToUpper(email), "workspaceName": "Desk"}
	first := kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, map[string]any{"ownerEmail": email, "workspaceName": "desk"})
	kit.Declined(t, public(), client.WorkspaceCreate, create, "ALREADY_EXISTS", "workspace-exists")
	for range 2 {
		kit.Operate(t, "workspace", "release-email", first.ID)
	}
	own := kit.Asked[kit.WorkspaceView](t, public(), client.WorkspaceCreate, create)
	kit.Declined(t, public(), client.WorkspaceCreate, map[string]any{"ownerEmail": email, "workspaceName": "another"}, "PERMISSION_DENIED", "plan-required")
	stranger := public().With(map[string]string{"x-svc-workspace-id": first.ID, "x-svc-workspace-auth-token": first.AuthToken})
	still := kit.Asked[kit.WorkspaceView](t, stranger, client.GetWorkspace, map[string]any{})
	require.Equal(t, []string{first.ID, "desk", email}, []string{still.ID, still.Name, still.Owner.Email}, "it goes on as it is")
	require.NotEqual(t, own.Owner.ID, still.Owner.ID)
	listed := kit.Operate(t, "workspace", "list", "--owner", email, "--json")
	require.Contains(t, listed, own.ID)
	require.NotContains(t, listed, first.ID)
	rows := kit.Audited(t, kit.Operate(t, "audit", "--json", "--workspace", first.ID, "--operation", "admin workspace release-email"))
	require.Len(t, rows, 2)
	require.Equal(t, "test", rows[0].Actor)
}

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
	env, api := kit.Beside(kit.NewWorkspace(t), "REDLINE_DISPOSABLE_EXTRA_FILE="+extra, "REDLINE_DISPOSABLE_ALLOW_FILE="+allow)
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

package api_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// public is a session without credentials at the server that all tests share.
func public(t *testing.T) *client.Session {
	t.Helper()
	return client.Public(handlerServer(t).URL)
}

func TestWorkspaceCreate_TheWholeAnswer(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("Owner"))
	local, _, _ := strings.Cut(email, "@")
	began := time.Now().Truncate(time.Millisecond)
	made := kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, map[string]any{
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
	first := kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, map[string]any{"ownerEmail": "é" + tail})
	kit.Declined(t, public(t), client.WorkspaceCreate, map[string]any{"ownerEmail": "e\u0301" + tail, "workspaceName": " e\u0301" + strings.ToUpper(tail) + " WORKSPACE "},
		"ALREADY_EXISTS", "workspace-exists")
	kit.Declined(t, public(t), client.WorkspaceCreate, map[string]any{"ownerEmail": "E\u0301" + tail, "workspaceName": "other"}, "PERMISSION_DENIED", "plan-required")
	operateShared(t).SetPlan(first.ID, "paid")
	second := kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, map[string]any{"ownerEmail": "e\u0301" + tail, "workspaceName": "other"})
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
		_, err := client.Call[json.RawMessage](t.Context(), public(t), client.WorkspaceCreate, map[string]any{"ownerEmail": email})
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
	require.Len(t, operateShared(t).WorkspacesOf(email), 1)
}

func TestWorkspaceCreate_6_PaidRootOwnsFive(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("five"))
	create := func(name string) map[string]any { return map[string]any{"ownerEmail": email, "workspaceName": name} }
	root := kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, create("one"))
	operateShared(t).SetPlan(root.ID, "paid")
	for _, name := range []string{"two", "three", "four", "five"} {
		made := kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, create(name))
		require.Equal(t, root.Owner.ID, made.Owner.ID)
	}
	failure := kit.Declined(t, public(t), client.WorkspaceCreate, create("six"), "RESOURCE_EXHAUSTED", "workspace-quota")
	require.Zero(t, failure.RetryAfter, "time does not lift it")
	kit.Declined(t, public(t), client.WorkspaceCreate, create(" FIVE "), "ALREADY_EXISTS", "workspace-exists")
}

func TestWorkspaceCreate_7_RootThatWasDowngraded(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("down"))
	create := func(name string) map[string]any { return map[string]any{"ownerEmail": email, "workspaceName": name} }
	root := kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, create("one"))
	operateShared(t).SetPlan(root.ID, "paid")
	for _, name := range []string{"two", "three"} {
		kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, create(name))
	}
	operateShared(t).SetPlan(root.ID, "free")
	kit.Declined(t, public(t), client.WorkspaceCreate, create("four"), "PERMISSION_DENIED", "plan-required")
	operateShared(t).SetPlan(root.ID, "paid")
	for _, name := range []string{"four", "five"} {
		kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, create(name))
	}
	operateShared(t).SetPlan(root.ID, "free")
	kit.Declined(t, public(t), client.WorkspaceCreate, create("six"), "RESOURCE_EXHAUSTED", "workspace-quota")
}

func TestOperator_FreesAnAddressThatAStrangerOccupies(t *testing.T) {
	t.Parallel()
	email := kit.OwnerEmail(kit.Unique("occupied"))
	create := map[string]any{"ownerEmail": strings.ToUpper(email), "workspaceName": "Desk"}
	first := kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, map[string]any{"ownerEmail": email, "workspaceName": "desk"})
	kit.Declined(t, public(t), client.WorkspaceCreate, create, "ALREADY_EXISTS", "workspace-exists")
	for range 2 {
		operateShared(t).ReleaseEmail(first.ID)
	}
	own := kit.Asked[kit.WorkspaceView](t, public(t), client.WorkspaceCreate, create)
	kit.Declined(t, public(t), client.WorkspaceCreate, map[string]any{"ownerEmail": email, "workspaceName": "another"}, "PERMISSION_DENIED", "plan-required")
	stranger := public(t).With(map[string]string{"x-svc-workspace-id": first.ID, "x-svc-workspace-auth-token": first.AuthToken})
	still := kit.Asked[kit.WorkspaceView](t, stranger, client.GetWorkspace, map[string]any{})
	require.Equal(t, []string{first.ID, "desk", email}, []string{still.ID, still.Name, still.Owner.Email}, "it goes on as it is")
	require.NotEqual(t, own.Owner.ID, still.Owner.ID)
	listed := operateShared(t).WorkspacesOf(email)
	require.Contains(t, listed, own.ID)
	require.NotContains(t, listed, first.ID)
	rows := operateShared(t).Audits(first.ID, "admin workspace release-email")
	require.Len(t, rows, 2)
	require.Equal(t, "test", rows[0].Actor)
}

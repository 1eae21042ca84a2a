package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// fillUp adds comments until the workspace is refused, and returns their ids.
func fillUp(env *kit.Env) (ids []int64) {
	env.T.Helper()
	long := strings.Repeat("all work and no play ", 200)
	kit.RequireWithin(env.T, time.Minute, "an add is refused", func() bool {
		added, err := kit.TryReply(env, kit.Replying(kit.Wrote("ann", long), kit.Wrote("ann", long)))
		ids = append(ids, added...)
		return err != nil
	})
	return ids
}

// A workspace that keeps as much as it may reads, removes, decides and repeats, and adds nothing. Once it has
// removed enough it may add again within ten seconds. Others feel nothing of it.
func TestAWorkspaceAtItsQuotaGoesOn_5_7(t *testing.T) {
	t.Parallel()
	s := handlerServer(t, "REDLINE_QUOTA_ROWS_FREE=1000000")
	env, other := kit.NewWorkspaceAt(t, s.URL), kit.NewWorkspaceAt(t, s.URL)
	kit.Discuss(env, kit.Wrote("ann", "root"))
	kit.Discuss(other, kit.Wrote("ann", "root"))
	definition := kit.SignOff(env)
	run := kit.Dispatch(env, definition, kit.Key("known"))
	ids := fillUp(env)

	body, err := json.Marshal(map[string]any{"data": kit.Replying(kit.Wrote("ann", "more"))})
	require.NoError(t, err)
	refused, err := env.Keyed.Send(t.Context(), "/v2/"+client.AddComments, body, nil)
	require.NoError(t, err)
	require.Equal(t, 429, refused.HTTP)
	require.Empty(t, refused.Header.Get("Retry-After"))
	var answer struct {
		Error struct {
			Status  string
			Details struct {
				Reason, Kind          string
				UsedBytes, LimitBytes int64
			}
		}
	}
	require.NoError(t, json.Unmarshal(refused.Body, &answer))
	require.Equal(t, "RESOURCE_EXHAUSTED", answer.Error.Status)
	require.Equal(t, "storage-quota", answer.Error.Details.Reason)
	require.Equal(t, "rows", answer.Error.Details.Kind)
	require.GreaterOrEqual(t, answer.Error.Details.UsedBytes, answer.Error.Details.LimitBytes)
	require.EqualValues(t, 1_000_000, answer.Error.Details.LimitBytes)

	require.Len(t, kit.Discussion(env).Comments, len(ids)+1, "reads go on, and nothing of what was refused is there")
	again := kit.Dispatch(env, definition, kit.Key("known"))
	require.Equal(t, run.ID, again.ID, "a known key is answered")
	_, err = env.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new("new")})
	require.Equal(t, redline.ErrorDetailsReasonStorageQuota, redline.AsError(err).Reason)
	kit.Reply(other, kit.Replying(kit.Wrote("ann", "two")))

	kit.Items(env, client.DeleteComments, kit.Doc("d", map[string]any{"annotationId": "n", "commentIds": ids[:len(ids)/2]}))
	kit.RequireEventually(t, "it may add again", func() bool {
		_, err := kit.TryReply(env, kit.Replying(kit.Wrote("ann", "room")))
		return err == nil
	})
}

// Files are a quota of their own: while it is used up rows may be added.
func TestFilesAreAQuotaOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := handlerServer(t, "REDLINE_QUOTA_FILES_FREE=3000")
	env := kit.NewWorkspaceAt(t, s.URL)
	text := strings.Repeat("The bell must be rung at noon. ", 100)
	first := kit.Ingest(env, text)
	kit.RequireEventually(t, "another file is refused", func() bool {
		_, err := client.Call[redline.IngestResult](env.Ctx, env.Keyed, client.Ingest, kit.IngestData(kit.Unique("The gate must be shut. ")))
		return err != nil && redline.AsError(err).Reason == "storage-quota"
	})
	kit.Discuss(env, kit.Wrote("ann", "root"))
	require.Contains(t, kit.SourceIDs(kit.NewestSources(env, map[string]any{})), first)
}

package api_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestMemoryStats_1_AnEmptyWorkspace(t *testing.T) {
	env := newWorkspace(t)
	require.Equal(t, [6]int{}, kit.Stats(env))
}

func TestMemoryProfiles_OfAUser(t *testing.T) {
	env := newWorkspace(t)
	last := time.Now().Add(-time.Hour).UnixMilli()
	of := func(decision string, more map[string]any) map[string]any {
		one := kit.Verdict("ann", decision, map[string]any{"createdAt": last - 1000}, more)
		return one
	}
	reject := func(category, organizationID string) map[string]any {
		return of("rejected", map[string]any{"category": category, "organizationId": organizationID, "contentType": "article"})
	}
	kit.Record(env, kit.Listed(
		reject("b", "acme"), reject("b", "apex"), reject("c", "acme"), reject("c", "acme"), reject("c", "acme"),
		reject("a", "acme"), reject("d", "acme"), reject("e", "acme"), reject("f", "acme"),
		of("approved", map[string]any{"category": "never", "contentType": "contract"}),
		of("pass", map[string]any{"organizationId": "apex", "contentType": "contract"}),
		of("in progress", map[string]any{"organizationId": "beta"}),
		of("approve", map[string]any{"createdAt": last, "actionUser": map[string]any{"userId": "ann", "name": "Ann B.", "email": "ann@example.com"}}),
		of("reject", map[string]any{"judgeType": "agent", "agent": map[string]any{"agentId": "a"}, "createdAt": last + 1, "organizationId": "gamma"}),
		kit.Verdict("bob", "approve"),
	))
	require.JSONEq(t, fmt.Sprintf(`{"userId":"ann","name":"Ann B.","email":"ann@example.com","totalJudgments":13,"approvalRate":0.25,
"topFlags":[{"issue":"c","count":3},{"issue":"b","count":2},{"issue":"a","count":1},{"issue":"d","count":1},{"issue":"e","count":1}],
"contentTypes":["article","contract","general"],"lastActive":%d,"orgBreakdown":{
"acme":{"judgments":8,"approvals":0,"approvalRate":0},"apex":{"judgments":2,"approvals":1,"approvalRate":0.5},
"beta":{"judgments":1,"approvals":0,"approvalRate":null}}}`, last), kit.ProfileOf(env, "ann"))
}

func TestMemoryProfiles_1_CommentsAreNoApprovals(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("spring", kit.Annotated("a", kit.Wrote("ann", "one"), kit.Wrote("ann", "two"))))
	var profile struct {
		TotalJudgments int
		ApprovalRate   *float64
	}
	require.NoError(t, json.Unmarshal([]byte(kit.ProfileOf(env, "ann")), &profile))
	require.Equal(t, 2, profile.TotalJudgments)
	require.Nil(t, profile.ApprovalRate)
	kit.Record(env, kit.Listed(kit.Verdict("ann", "approve"), kit.Verdict("ann", "reject")))
	require.NoError(t, json.Unmarshal([]byte(kit.ProfileOf(env, "ann")), &profile))
	require.Equal(t, 4, profile.TotalJudgments)
	require.InDelta(t, 0.5, *profile.ApprovalRate, 0)
}

func TestMemoryProfiles_2and3_Nobody(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, map[string]any{"organizationId": "acme", "users": []any{map[string]any{"userId": "ann"}}}, nil)
	require.Equal(t, "null", kit.ProfileOf(env, "ann"), "known, and without judgments")
	kit.Record(env, kit.Verdict("ann", "approve", map[string]any{"organizationId": "acme"}))
	require.NotEqual(t, "null", kit.ProfileOf(env, "ann"))
	require.Equal(t, "null", kit.ProfileOf(env, "nobody"))
	require.Equal(t, "null", kit.ProfileOf(kit.Elsewhere(env), "ann"))
	kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"ann"}})
	require.Equal(t, "null", kit.ProfileOf(env, "ann"), "removed from the only organization")
	for _, id := range []any{"", 7} {
		env.RefusedAs("INVALID_ARGUMENT", client.GetProfile, map[string]any{"targetUserId": id})
	}
}

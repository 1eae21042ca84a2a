package tests

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemoryStats_1_AnEmptyWorkspace(t *testing.T) {
	s := begin(t)
	require.Equal(t, [6]int{}, s.stats())
}

func TestMemoryProfiles_OfAUser(t *testing.T) {
	s := begin(t)
	last := time.Now().Add(-time.Hour).UnixMilli()
	of := func(decision string, more map[string]any) map[string]any {
		one := verdict("ann", decision, map[string]any{"createdAt": last - 1000}, more)
		return one
	}
	reject := func(category, organizationID string) map[string]any {
		return of("rejected", map[string]any{"category": category, "organizationId": organizationID, "contentType": "article"})
	}
	s.record(listed(
		reject("b", "acme"), reject("b", "apex"), reject("c", "acme"), reject("c", "acme"), reject("c", "acme"),
		reject("a", "acme"), reject("d", "acme"), reject("e", "acme"), reject("f", "acme"),
		of("approved", map[string]any{"category": "never", "contentType": "contract"}),
		of("pass", map[string]any{"organizationId": "apex", "contentType": "contract"}),
		of("in progress", map[string]any{"organizationId": "beta"}),
		of("approve", map[string]any{"createdAt": last, "actionUser": map[string]any{"userId": "ann", "name": "Ann B.", "email": "ann@example.com"}}),
		of("reject", map[string]any{"judgeType": "agent", "agent": map[string]any{"agentId": "a"}, "createdAt": last + 1, "organizationId": "gamma"}),
		verdict("bob", "approve"),
	))
	require.JSONEq(t, fmt.Sprintf(`{"userId":"ann","name":"Ann B.","email":"ann@example.com","totalJudgments":13,"approvalRate":0.25,
"topFlags":[{"issue":"c","count":3},{"issue":"b","count":2},{"issue":"a","count":1},{"issue":"d","count":1},{"issue":"e","count":1}],
"contentTypes":["article","contract","general"],"lastActive":%d,"orgBreakdown":{
"acme":{"judgments":8,"approvals":0,"approvalRate":0},"apex":{"judgments":2,"approvals":1,"approvalRate":0.5},
"beta":{"judgments":1,"approvals":0,"approvalRate":null}}}`, last), s.profile("ann"))
}

func TestMemoryProfiles_1_CommentsAreNoApprovals(t *testing.T) {
	s := begin(t)
	s.annotate(made("spring", annotated("a", wrote("ann", "one"), wrote("ann", "two"))))
	var profile struct {
		TotalJudgments int
		ApprovalRate   *float64
	}
	require.NoError(t, json.Unmarshal([]byte(s.profile("ann")), &profile))
	require.Equal(t, 2, profile.TotalJudgments)
	require.Nil(t, profile.ApprovalRate)
	s.record(listed(verdict("ann", "approve"), verdict("ann", "reject")))
	require.NoError(t, json.Unmarshal([]byte(s.profile("ann")), &profile))
	require.Equal(t, 4, profile.TotalJudgments)
	require.InDelta(t, 0.5, *profile.ApprovalRate, 0)
}

func TestMemoryProfiles_2and3_Nobody(t *testing.T) {
	s := begin(t)
	s.call("users/add", map[string]any{"organizationId": "acme", "users": []any{map[string]any{"userId": "ann"}}}, nil)
	require.Equal(t, "null", s.profile("ann"), "known, and without judgments")
	s.record(verdict("ann", "approve", map[string]any{"organizationId": "acme"}))
	require.NotEqual(t, "null", s.profile("ann"))
	require.Equal(t, "null", s.profile("nobody"))
	require.Equal(t, "null", s.elsewhere().profile("ann"))
	s.items("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"ann"}})
	require.Equal(t, "null", s.profile("ann"), "removed from the only organization")
	for _, id := range []any{nil, "", 7} {
		s.refusedAs("INVALID_ARGUMENT", getProfile, map[string]any{"targetUserId": id})
	}
}

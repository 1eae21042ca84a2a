package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func groupCall(env *kit.Env, operation string, data map[string]any) redline.AgentGroup {
	env.T.Helper()
	var answer client.Wrapped[struct{ Group redline.AgentGroup }]
	env.Call(operation, data, &answer)
	return answer.Data.Group
}

func groupOf(env *kit.Env, agentIDs ...string) string {
	env.T.Helper()
	return groupCall(env, client.CreateAgentGroup, map[string]any{"name": "Language", "agentIds": agentIDs}).ID
}

func members(groupID string, agentIDs ...string) map[string]any {
	return map[string]any{"groupId": groupID, "agentIds": agentIDs}
}

func inGroup(env *kit.Env, groupID string) []string {
	env.T.Helper()
	return groupCall(env, client.GetAgentGroup, map[string]any{"groupId": groupID}).AgentIds
}

func TestAgentGroups_ComeGoAndChange(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker")
	made := groupCall(env, client.CreateAgentGroup, map[string]any{
		"name": "Language", "description": "of texts", "agentIds": []string{"spell-check", "checker", "spell-check"}, "metadata": map[string]any{"color": "blue"},
	})
	require.Regexp(t, "^grp_", made.ID)
	require.Equal(t, []string{"spell-check", "checker"}, made.AgentIds)
	require.Equal(t, map[string]any{"color": "blue"}, kit.ObjectOf(made.Metadata))
	other := groupOf(env)
	require.Empty(t, inGroup(env, other))
	added := groupCall(env, client.AddToAgentGroup, members(other, "checker", "__mock__", "checker"))
	require.Equal(t, []string{"checker", "__mock__"}, added.AgentIds)
	require.Equal(t, added.AgentIds, groupCall(env, client.AddToAgentGroup, members(other, "checker")).AgentIds, "one that is in it stays")
	require.Equal(t, []string{"__mock__"}, groupCall(env, client.RemoveFromAgentGroup, members(other, "checker", "nobody")).AgentIds)
	changed := groupCall(env, client.UpdateAgentGroup, map[string]any{"groupId": made.ID, "name": "Words", "description": nil})
	require.Equal(t, "Words", changed.Name)
	require.Nil(t, changed.Description)
	require.Equal(t, made.Metadata, changed.Metadata)
	require.GreaterOrEqual(t, changed.UpdatedAt, made.UpdatedAt)
	var listed redline.AgentGroupListResult
	env.Call(client.ListAgentGroups, map[string]any{}, &listed)
	require.Equal(t, []string{other, made.ID}, []string{listed.Data.Groups[0].ID, listed.Data.Groups[1].ID})
	require.Equal(t, []int{1, 2}, []int{int(listed.Data.Groups[0].AgentCount), int(listed.Data.Groups[1].AgentCount)})
	env.Call(client.DeleteAgentGroup, map[string]any{"groupId": made.ID}, nil)
	env.RefusedAs("NOT_FOUND", client.DeleteAgentGroup, map[string]any{"groupId": made.ID})
	env.Call(client.GetAgent, kit.AgentNamed("checker"), nil)
}

func TestAgentGroups_RefuseWhatIsNotThere(t *testing.T) {
	env := newWorkspace(t)
	stranger := kit.Elsewhere(env)
	kit.Register(stranger, "theirs")
	own := groupOf(env, "spell-check")
	for _, operation := range []string{client.CreateAgentGroup, client.AddToAgentGroup} {
		data := members(own, "spell-check", "theirs", "Spell-Check")
		if data["name"] = "Language"; operation == client.CreateAgentGroup {
			delete(data, "groupId")
		} else {
			delete(data, "name")
		}
		env.RefusedAs("NOT_FOUND", operation, data)
	}
	require.Equal(t, []string{"spell-check"}, inGroup(env, own))
	for operation, data := range map[string]map[string]any{
		client.GetAgentGroup: {}, client.UpdateAgentGroup: {"name": "x"}, client.DeleteAgentGroup: {},
		client.AddToAgentGroup: {"agentIds": []string{"spell-check"}}, client.RemoveFromAgentGroup: {"agentIds": []string{"spell-check"}},
	} {
		data["groupId"] = own
		stranger.RefusedAs("NOT_FOUND", operation, data)
	}
	for _, data := range []map[string]any{
		{},
		{"name": ""},
		{"name": strings.Repeat("a", 201)},
		{"name": "a", "description": strings.Repeat("a", 2001)},
		{"name": "a", "metadata": []any{}},
		{"name": "a", "metadata": map[string]any{"x": strings.Repeat("a", 8<<10)}},
		{"name": "a", "agentIds": make([]string, 101)},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.CreateAgentGroup, data)
	}
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateAgentGroup, map[string]any{"groupId": own})
	env.RefusedAs("INVALID_ARGUMENT", client.AddToAgentGroup, members(own))
}

// A hundred agents are in a group at most, whatever races.
func TestAgentGroups_4_TheLastPlaceIsGivenOnce(t *testing.T) {
	env := newWorkspace(t)
	agents := make([]string, 103)
	for i := range agents {
		agents[i] = fmt.Sprintf("agent-%d", i)
	}
	kit.Concurrently(len(agents), func(i int) { kit.Register(env, agents[i]) })
	group := groupOf(env, agents[:99]...)
	var full atomic.Int32
	kit.Concurrently(2, func(i int) {
		_, err := client.Call[client.Wrapped[struct{}]](env.Ctx, env.Keyed, client.AddToAgentGroup, members(group, agents[100+i]))
		if failure := redline.AsError(err); failure != nil && failure.Reason == "group-full" {
			full.Add(1)
		}
	})
	require.EqualValues(t, 1, full.Load())
	require.Len(t, inGroup(env, group), 100)
	for range 49 {
		groupOf(env)
	}
	require.Equal(t, redline.ErrorDetailsReasonGroupQuota, env.RefusedAs("RESOURCE_EXHAUSTED", client.CreateAgentGroup, map[string]any{"name": "one more"}).Reason)
}

func TestAgentGroups_5_ADeletedAgentLeavesItsGroups(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker")
	kit.Register(env, "lighthouse")
	groups := []string{groupOf(env, "checker", "lighthouse"), groupOf(env, "spell-check", "checker")}
	env.Call(client.DeleteAgent, kit.AgentNamed("checker"), nil)
	env.Call(client.DeleteAgent, kit.AgentNamed("lighthouse"), nil)
	require.Equal(t, []string{"lighthouse"}, inGroup(env, groups[0]), "the built-in one of that id is known")
	require.Equal(t, []string{"spell-check"}, inGroup(env, groups[1]))
	// One that is added while it is deleted is in no group in the end.
	kit.Register(env, "checker")
	kit.Concurrently(2, func(i int) {
		if i == 0 {
			env.Call(client.DeleteAgent, kit.AgentNamed("checker"), nil)
			return
		}
		_, _ = client.Call[client.Wrapped[struct{}]](env.Ctx, env.Keyed, client.AddToAgentGroup, members(groups[0], "checker"))
	})
	require.False(t, slices.Contains(inGroup(env, groups[0]), "checker"))
}

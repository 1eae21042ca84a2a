package api_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCreateAgent_1_TwoAtOnce(t *testing.T) {
	env := newWorkspace(t)
	var made, refused atomic.Int32
	kit.Concurrently(8, func(int) {
		_, err := client.Call[redline.Agent](env.Ctx, env.Keyed, client.CreateAgent, kit.AnAgent("checker"))
		switch failure := redline.AsError(err); {
		case err == nil:
			made.Add(1)
		case failure != nil && failure.Status == "ALREADY_EXISTS":
			refused.Add(1)
		}
	})
	require.EqualValues(t, 1, made.Load())
	require.EqualValues(t, 7, refused.Load())
}

func TestCreateAgent_2_ADeletedIDIsFree(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker")
	env.Call(client.DeleteAgent, kit.AgentNamed("checker"), nil)
	env.RefusedAs("NOT_FOUND", client.GetAgent, kit.AgentNamed("checker"))
	env.RefusedAs("NOT_FOUND", client.DeleteAgent, kit.AgentNamed("checker"))
	again := kit.Register(env, "checker", map[string]any{"name": "Another", "description": "new", "disabled": true})
	require.Equal(t, "Another", again.Name)
	require.True(t, again.Disabled)
}

func TestCreateAgent_3_AddressesThatMayNotBeCalled(t *testing.T) {
	env := newWorkspace(t)
	for _, url := range []string{"https://10.0.0.1/", "https://localhost/x", "http://agents.example.com/", "https://user@agents.example.com/", "https://[::1]/"} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateAgent, kit.AnAgent("checker", map[string]any{"url": url}))
		assert.Equal(t, []string{"url"}, failure.Issues[0].Path, url)
		assert.Equal(t, "address-refused", failure.Issues[0].Code, url)
	}
	kit.Register(env, "checker")
	failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateAgent, map[string]any{"agentId": "checker", "url": "https://10.0.0.1/"})
	require.Equal(t, "address-refused", failure.Issues[0].Code)
}

func TestCreateAgentShapes(t *testing.T) {
	env := newWorkspace(t)
	for field, values := range map[string][]any{
		"agentId": {"__own", "__mock__", "", ".x", strings.Repeat("a", 129), "a b", 7, nil},
		"name":    {"", strings.Repeat("a", 201), nil},
		"url":     {"", strings.Repeat("a", 2001), nil},
		"secret":  {strings.Repeat("a", 15), strings.Repeat("a", 513), nil},
	} {
		for _, value := range values {
			failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateAgent, kit.AnAgent("checker", map[string]any{field: value}))
			assert.Equal(t, []string{field}, failure.Issues[0].Path, "%s %v", field, value)
		}
	}
	kit.Register(env, strings.Repeat("a", 128), map[string]any{"unknown": true})
}

func TestReadAgents_1_NoSecretEver(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker")
	for _, answer := range []string{
		kit.Raw(env, client.GetAgent, `{"agentId":"checker"}`), kit.Raw(env, client.ListAgents, `{}`),
		kit.Raw(env, client.UpdateAgent, `{"agentId":"checker","secret":"a-secret-of-the-agent-2"}`), kit.Raw(env, client.DeleteAgent, `{"agentId":"checker"}`),
	} {
		require.NotContains(t, answer, "ecret")
	}
}

func TestReadAgents_2_OthersAreInvisible(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	kit.Register(env, "checker")
	other.RefusedAs("NOT_FOUND", client.GetAgent, kit.AgentNamed("checker"))
	require.Empty(t, kit.EveryPage[redline.Agent](other, client.ListAgents, nil))
	kit.Register(other, "checker", map[string]any{"name": "Theirs"})
	other.Call(client.DeleteAgent, kit.AgentNamed("checker"), nil)
	require.Equal(t, "Checker", kit.EveryPage[redline.Agent](env, client.ListAgents, nil)[0].Name)
}

func TestReadAgents_3_PagesWhileAgentsAreAdded(t *testing.T) {
	env := newWorkspace(t)
	ids := []string{"e", "d", "c", "b", "a"}
	for _, id := range ids {
		kit.Register(env, id, map[string]any{"disabled": id == "c"})
	}
	var read []string
	query := map[string]any{"pageSize": 2}
	for more := true; more; {
		var page redline.AgentPage
		env.Call(client.ListAgents, query, &page)
		for _, a := range page.Items {
			read = append(read, a.AgentID)
		}
		if more = page.HasMore; more {
			query["cursor"] = *page.NextCursor
			kit.Register(env, kit.Unique("later"))
		}
	}
	require.Equal(t, []string{"a", "b", "c", "d", "e"}, read)
	disabled := kit.EveryPage[redline.Agent](env, client.ListAgents, map[string]any{"disabled": true})
	require.Len(t, disabled, 1)
	require.Equal(t, "c", disabled[0].AgentID)
	query["disabled"] = true
	env.RefusedAs("INVALID_ARGUMENT", client.ListAgents, query)
}

func TestUpdateAgent_3_NullClearsTheDescriptionAndWhatIsOmittedStays(t *testing.T) {
	env := newWorkspace(t)
	made := kit.Register(env, "checker", map[string]any{"description": "looks at copy"})
	named := kit.ChangeAgent(env, "checker", map[string]any{"name": "Copy"})
	require.Equal(t, "looks at copy", *named.Description)
	require.Equal(t, made.CreatedAt, named.CreatedAt)
	require.GreaterOrEqual(t, named.UpdatedAt, made.UpdatedAt)
	cleared := kit.ChangeAgent(env, "checker", map[string]any{"description": nil})
	require.Nil(t, cleared.Description)
	require.Equal(t, "Copy", cleared.Name)
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateAgent, map[string]any{"agentId": "checker", "name": nil})
	env.RefusedAs("NOT_FOUND", client.UpdateAgent, map[string]any{"agentId": "nobody", "name": "x"})
}

// findingAgents are the names of the agents of a document's comments, by the text of
// the comment.
func findingAgents(env *kit.Env, documentID string) map[string]any {
	env.T.Helper()
	found := map[string]any{}
	for _, j := range kit.Judgments(env, map[string]any{"organizationId": "acme", "documentId": documentID}).Results {
		found[j.Reasoning] = kit.ObjectOf(j.Agent)["agentName"]
	}
	return found
}

// finding is a comment of an agent of the service, with the text as the annotation's id.
func finding(annotationID, agentID string) map[string]any {
	return kit.Made("d", kit.Annotated(annotationID, kit.Wrote("ann", annotationID, map[string]any{"agent": map[string]any{
		"agentSource": "svc", "agentId": agentID, "reason": map[string]any{"title": "t", "description": "d", "severity": "low"},
	}})))
}

func TestDeleteAgent_3_CommentsKeepTheirAgent(t *testing.T) {
	env := newWorkspace(t)
	env.RefusedAs("NOT_FOUND", client.AddAnnotations, finding("before", "checker"))
	kit.Register(kit.Elsewhere(env), "checker")
	env.RefusedAs("NOT_FOUND", client.AddAnnotations, finding("before", "checker"))
	kit.Register(env, "checker", map[string]any{"disabled": true})
	kit.Annotate(env, finding("first", "checker"))
	kit.ChangeAgent(env, "checker", map[string]any{"name": "Renamed"})
	kit.Annotate(env, finding("second", "checker"))
	kit.Annotate(env, finding("third", "spell-check"))
	kit.Register(env, "spell-check", map[string]any{"name": "Our spelling"})
	kit.Annotate(env, finding("fourth", "spell-check"))
	env.Call(client.DeleteAgent, kit.AgentNamed("checker"), nil)
	require.Equal(t, []any{"checker"}, kit.Details(env, client.AddAnnotations, finding("late", "checker"))["agentIds"])
	require.Equal(t, map[string]any{"first": "Checker", "second": "Renamed", "third": "Spell check", "fourth": "Our spelling"}, findingAgents(env, "d"))
}

func TestAgents_EnabledIsTheOppositeOfDisabled(t *testing.T) {
	env := newWorkspace(t)
	var view redline.Agent
	env.Call(client.CreateAgent, kit.AnAgent("a", map[string]any{"enabled": false}), &view)
	require.True(t, view.Disabled && !view.Enabled)
	env.Call(client.UpdateAgent, map[string]any{"agentId": "a", "enabled": true, "disabled": false}, &view)
	require.True(t, view.Enabled && !view.Disabled)
	failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateAgent, map[string]any{"agentId": "a", "enabled": true, "disabled": true})
	require.Equal(t, []redline.Issue{{Code: "conflict", Path: []string{"enabled"}, Message: "is not the opposite of disabled"}}, failure.Issues)
	env.Call(client.UpdateAgent, map[string]any{"agentId": "a", "enabled": false}, &view)
	require.True(t, view.Disabled)
}

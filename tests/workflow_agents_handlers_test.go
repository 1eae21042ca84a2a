package tests

import (
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	createAgent = "agents/create"
	getAgent    = "agents/get"
	listAgents  = "agents/list"
	updateAgent = "agents/update"
	deleteAgent = "agents/delete"
)

// agentSecret is the secret of agents in stories that do not try others.
const agentSecret = "a-secret-of-the-agent"

// agentView is an agent as the operations show it.
type agentView struct {
	AgentID     string  `json:"agentId"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	URL         string  `json:"url"`
	Disabled    bool    `json:"disabled"`
	CreatedAt   int64   `json:"createdAt"`
	UpdatedAt   int64   `json:"updatedAt"`
}

// anAgent is the data of agents/create; changes are its further fields.
func anAgent(agentID string, changes ...map[string]any) map[string]any {
	data := map[string]any{"agentId": agentID, "name": "Checker", "url": somewhere, "secret": agentSecret}
	for _, change := range changes {
		maps.Copy(data, change)
	}
	return data
}

func (s *scene) register(agentID string, changes ...map[string]any) agentView {
	s.t.Helper()
	var view agentView
	s.call(createAgent, anAgent(agentID, changes...), &view)
	return view
}

// changeAgent is agents/update of some fields.
func (s *scene) changeAgent(agentID string, fields map[string]any) agentView {
	s.t.Helper()
	data := map[string]any{"agentId": agentID}
	maps.Copy(data, fields)
	var view agentView
	s.call(updateAgent, data, &view)
	return view
}

func agentNamed(agentID string) map[string]any { return map[string]any{"agentId": agentID} }

func TestCreateAgent_1_TwoAtOnce(t *testing.T) {
	s := begin(t)
	var made, refused atomic.Int32
	together(8, func(int) {
		_, err := client.Call[agentView](s.ctx, s.keyed, createAgent, anAgent("checker"))
		switch failure := client.Refusal(err); {
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
	s := begin(t)
	s.register("checker")
	s.call(deleteAgent, agentNamed("checker"), nil)
	s.refusedAs("NOT_FOUND", getAgent, agentNamed("checker"))
	s.refusedAs("NOT_FOUND", deleteAgent, agentNamed("checker"))
	again := s.register("checker", map[string]any{"name": "Another", "description": "new", "disabled": true})
	require.Equal(t, "Another", again.Name)
	require.True(t, again.Disabled)
}

func TestCreateAgent_3_AddressesThatMayNotBeCalled(t *testing.T) {
	s := begin(t)
	for _, url := range []string{"https://10.0.0.1/", "https://localhost/x", "http://agents.example.com/", "https://user@agents.example.com/", "https://[::1]/"} {
		failure := s.refusedAs("INVALID_ARGUMENT", createAgent, anAgent("checker", map[string]any{"url": url}))
		assert.Equal(t, []string{"url"}, failure.Issues[0].Path, url)
		assert.Equal(t, "address-refused", failure.Issues[0].Code, url)
	}
	s.register("checker")
	failure := s.refusedAs("INVALID_ARGUMENT", updateAgent, map[string]any{"agentId": "checker", "url": "https://10.0.0.1/"})
	require.Equal(t, "address-refused", failure.Issues[0].Code)
}

func TestCreateAgentShapes(t *testing.T) {
	s := begin(t)
	for field, values := range map[string][]any{
		"agentId": {"__own", "__mock__", "", ".x", strings.Repeat("a", 129), "a b", 7, nil},
		"name":    {"", strings.Repeat("a", 201), nil},
		"url":     {"", strings.Repeat("a", 2001), nil},
		"secret":  {strings.Repeat("a", 15), strings.Repeat("a", 513), nil},
	} {
		for _, value := range values {
			failure := s.refusedAs("INVALID_ARGUMENT", createAgent, anAgent("checker", map[string]any{field: value}))
			assert.Equal(t, []string{field}, failure.Issues[0].Path, "%s %v", field, value)
		}
	}
	s.register(strings.Repeat("a", 128), map[string]any{"unknown": true})
}

func TestReadAgents_1_NoSecretEver(t *testing.T) {
	s := begin(t)
	s.register("checker")
	for _, answer := range []string{
		s.raw(getAgent, `{"agentId":"checker"}`), s.raw(listAgents, `{}`),
		s.raw(updateAgent, `{"agentId":"checker","secret":"a-secret-of-the-agent-2"}`), s.raw(deleteAgent, `{"agentId":"checker"}`),
	} {
		require.NotContains(t, answer, "ecret")
	}
}

func TestReadAgents_2_OthersAreInvisible(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	s.register("checker")
	other.refusedAs("NOT_FOUND", getAgent, agentNamed("checker"))
	require.Empty(t, everyPage[agentView](other, listAgents, nil))
	other.register("checker", map[string]any{"name": "Theirs"})
	other.call(deleteAgent, agentNamed("checker"), nil)
	require.Equal(t, "Checker", everyPage[agentView](s, listAgents, nil)[0].Name)
}

func TestReadAgents_3_PagesWhileAgentsAreAdded(t *testing.T) {
	s := begin(t)
	ids := []string{"e", "d", "c", "b", "a"}
	for _, id := range ids {
		s.register(id, map[string]any{"disabled": id == "c"})
	}
	var read []string
	query := map[string]any{"pageSize": 2}
	for more := true; more; {
		var page client.Page[agentView]
		s.call(listAgents, query, &page)
		for _, a := range page.Items {
			read = append(read, a.AgentID)
		}
		if more = page.HasMore; more {
			query["cursor"] = *page.NextCursor
			s.register(unique("later"))
		}
	}
	require.Equal(t, []string{"a", "b", "c", "d", "e"}, read)
	disabled := everyPage[agentView](s, listAgents, map[string]any{"disabled": true})
	require.Len(t, disabled, 1)
	require.Equal(t, "c", disabled[0].AgentID)
	query["disabled"] = true
	s.refusedAs("INVALID_ARGUMENT", listAgents, query)
}

func TestUpdateAgent_3_NullClearsTheDescriptionAndWhatIsOmittedStays(t *testing.T) {
	s := begin(t)
	made := s.register("checker", map[string]any{"description": "looks at copy"})
	named := s.changeAgent("checker", map[string]any{"name": "Copy"})
	require.Equal(t, "looks at copy", *named.Description)
	require.Equal(t, made.CreatedAt, named.CreatedAt)
	require.GreaterOrEqual(t, named.UpdatedAt, made.UpdatedAt)
	cleared := s.changeAgent("checker", map[string]any{"description": nil})
	require.Nil(t, cleared.Description)
	require.Equal(t, "Copy", cleared.Name)
	s.refusedAs("INVALID_ARGUMENT", updateAgent, map[string]any{"agentId": "checker", "name": nil})
	s.refusedAs("NOT_FOUND", updateAgent, map[string]any{"agentId": "nobody", "name": "x"})
}

// findingAgents are the names of the agents of a document's comments, by the text of
// the comment.
func (s *scene) findingAgents(documentID string) map[string]any {
	s.t.Helper()
	found := map[string]any{}
	for _, j := range s.judgments(map[string]any{"organizationId": "acme", "documentId": documentID}).Results {
		found[j.Reasoning] = j.Agent.(map[string]any)["agentName"]
	}
	return found
}

// finding is a comment of an agent of the service, with the text as the annotation's id.
func finding(annotationID, agentID string) map[string]any {
	return made("d", annotated(annotationID, wrote("ann", annotationID, map[string]any{"agent": map[string]any{
		"agentSource": "svc", "agentId": agentID, "reason": map[string]any{"title": "t", "description": "d", "severity": "low"},
	}})))
}

func TestDeleteAgent_3_CommentsKeepTheirAgent(t *testing.T) {
	s := begin(t)
	s.refusedAs("NOT_FOUND", addAnnotations, finding("before", "checker"))
	s.elsewhere().register("checker")
	s.refusedAs("NOT_FOUND", addAnnotations, finding("before", "checker"))
	s.register("checker", map[string]any{"disabled": true})
	s.annotate(finding("first", "checker"))
	s.changeAgent("checker", map[string]any{"name": "Renamed"})
	s.annotate(finding("second", "checker"))
	s.annotate(finding("third", "spell-check"))
	s.register("spell-check", map[string]any{"name": "Our spelling"})
	s.annotate(finding("fourth", "spell-check"))
	s.call(deleteAgent, agentNamed("checker"), nil)
	require.Equal(t, []any{"checker"}, s.details(addAnnotations, finding("late", "checker"))["agentIds"])
	require.Equal(t, map[string]any{"first": "Checker", "second": "Renamed", "third": "Spell check", "fourth": "Our spelling"}, s.findingAgents("d"))
}

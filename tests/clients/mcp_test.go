package clients

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// agent is a client of the protocol, with what it has not called yet.
type agent struct {
	t        *testing.T
	session  *mcp.ClientSession
	uncalled map[string]bool
}

// mcpCommand is `redline mcp` for a workspace.
func mcpCommand(env *kit.Env, args ...string) *exec.Cmd {
	command := exec.Command(kit.Shared.Binary, append([]string{"mcp"}, args...)...)
	held := env.Keyed.Headers
	command.Env = append(os.Environ(), "REDLINE_URL="+env.Keyed.BaseURL, "REDLINE_API_KEY="+held["x-svc-api-key"], "REDLINE_AUTH_TOKEN="+held["x-svc-auth-token"])
	return command
}

func connect(t *testing.T, transport mcp.Transport) *agent {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	a := &agent{t, session, map[string]bool{}}
	for tool, err := range session.Tools(t.Context(), nil) {
		require.NoError(t, err)
		require.NotEmpty(t, tool.Description)
		a.uncalled[tool.Name] = true
	}
	return a
}

// overHTTP starts the server at a free port and returns its address.
func overHTTP(env *kit.Env, args ...string) string {
	t := env.T
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte(mcpKey+"\n"), 0o600))
	command := mcpCommand(env, append([]string{"--http=127.0.0.1:0", "--key-file=" + file}, args...)...)
	said, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		require.NoError(t, command.Wait())
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	_, address, found := strings.Cut(strings.TrimSpace(line), "listening at ")
	require.True(t, found, line)
	return address
}

const mcpKey = "the-key-of-the-agents"

// keyed sends a key with every request.
type keyed struct{ key, origin, host string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	if k.origin != "" {
		r.Header.Set("Origin", k.origin)
	}
	r.Host = k.host
	return http.DefaultTransport.RoundTrip(r)
}

func (k keyed) at(address string) *mcp.StreamableClientTransport {
	return &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: k}, DisableStandaloneSSE: true, MaxRetries: -1}
}

func toJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

// asks calls a tool and reads its result.
func (a *agent) asks(tool string, arguments map[string]any, into any) {
	a.t.Helper()
	delete(a.uncalled, tool)
	said, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(a.t, err)
	text := said.Content[0].(*mcp.TextContent).Text
	require.False(a.t, said.IsError, text)
	answered := struct{ Result any }{into}
	require.NoError(a.t, json.Unmarshal([]byte(text), &answered))
}

// refused calls a tool that refuses, and returns what it says.
func (a *agent) refused(tool string, arguments map[string]any) string {
	a.t.Helper()
	said, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(a.t, err)
	require.True(a.t, said.IsError)
	return said.Content[0].(*mcp.TextContent).Text
}

// reads returns the text of a resource.
func (a *agent) reads(uri string) string {
	a.t.Helper()
	read, err := a.session.ReadResource(a.t.Context(), &mcp.ReadResourceParams{URI: uri})
	require.NoError(a.t, err)
	return read.Contents[0].Text
}

// usesEveryTool plays a review from the dispatch to what was learned of it.
func (a *agent) usesEveryTool(env *kit.Env) {
	t, own := a.t, clientOf(env)
	definition := signOff(t, own)
	var started redline.DispatchResult
	a.asks("dispatch", map[string]any{"definitionId": definition, "input": map[string]any{"title": "Spring"}}, &started)
	var waiting []redline.ListedStep
	kit.RequireEventually(t, "the step waits", func() bool {
		a.asks("inbox", map[string]any{"userId": "u_editor"}, &waiting)
		return len(waiting) == 1
	})
	var seen redline.Execution
	a.asks("get_execution", map[string]any{"executionId": started.ExecutionID}, &seen)
	require.JSONEq(t, `{"title":"Spring"}`, toJSON(t, seen.TriggerContext))
	var decided redline.DecideResult
	a.asks("record_decision", map[string]any{
		"executionId": started.ExecutionID, "stepId": waiting[0].StepID, "userId": "u_editor", "decision": "approve", "reason": "Two sources are enough.",
	}, &decided)
	require.True(t, decided.Recorded)
	var listed []redline.Execution
	kit.RequireEventually(t, "the execution has ended", func() bool {
		a.asks("list_executions", map[string]any{"definitionId": definition, "status": "completed"}, &listed)
		return len(listed) == 1
	})

	var found []redline.FoundJudgment
	kit.RequireEventually(t, "the decision is remembered", func() bool {
		a.asks("search_judgments", map[string]any{"query": "Two sources are enough."}, &found)
		return len(found) == 1
	})
	a.asks("suggest", map[string]any{"query": "Are two sources enough?"}, new(redline.SuggestResult))
	source := kit.Ingest(env, "Headlines must be in sentence case.")
	kit.BroughtIn(env, source, "completed")
	var passages []redline.KnowledgeHit
	a.asks("search_knowledge", map[string]any{"query": "sentence case", "limit": 3}, &passages)
	require.Equal(t, source, passages[0].SourceID)
	a.asks("ask", map[string]any{"query": "How are headlines written?"}, new(redline.AskResult))

	a.comments(own)
	a.resolves(env)
	require.Empty(t, a.uncalled, "tools that were not called")
	require.Contains(t, a.reads("redline://definitions"), definition)
	require.Contains(t, a.reads("redline://definitions/"+definition), `"nodes"`)
	require.Contains(t, a.reads("redline://organizations/acme/documents"), `"spring"`)
	require.Contains(t, a.reads("redline://organizations/acme/documents/spring"), `"spring"`)
}

// comments begins a thread and answers in it.
func (a *agent) comments(of *redline.Client) {
	_, err := of.Documents.Add(a.t.Context(), redline.AddDocumentsRequest{
		OrganizationID: "acme", CreateOrganization: new(true), Documents: []redline.AddedDocument{{DocumentID: "spring"}},
	})
	require.NoError(a.t, err)
	where := func(more map[string]any) map[string]any {
		return kit.Merged(map[string]any{"organizationId": "acme", "documentId": "spring", "userId": "u_editor"}, more)
	}
	var added struct{ AnnotationID string }
	a.asks("add_comment", where(map[string]any{"text": "Where is the second source?"}), &added)
	a.asks("add_comment", where(map[string]any{"text": "Found it.", "annotationId": added.AnnotationID}), &added)
	var threads []redline.WholeAnnotation
	a.asks("read_comments", where(nil), &threads)
	require.Len(a.t, threads[0].Comments, 2)
	var comments []redline.WholeComment
	a.asks("read_comments", where(map[string]any{"annotationId": added.AnnotationID}), &comments)
	require.Equal(a.t, "Found it.", comments[1].CommentText)
	require.Contains(a.t, a.refused("read_comments", where(map[string]any{"annotationId": "nowhere"})), "no such thread")
}

// resolves says what became of a step that an agent was asked to do.
func (a *agent) resolves(env *kit.Env) {
	env.Receiver().Answer("/agent", receiver.JSON(`{"agentExecutionId":"run-7"}`))
	kit.Register(env, "checker", map[string]any{"url": env.Receiver().URL("/agent")})
	run := kit.AsksAgent(env, client.Agent("check", "checker"))
	call := kit.CalledAgent(env, "/agent")
	var done redline.DecideResult
	a.asks("record_agent_resolution", map[string]any{
		"executionId": run.ID, "stepId": call.StepID, "responseId": "answer-1", "resolution": "resolved", "reason": "Nothing to find.",
	}, &done)
	require.True(a.t, done.Recorded)
}

func TestMCP_AnAgentUsesEveryToolOverStdio(t *testing.T) {
	env := kit.NewWorkspace(t)
	connect(t, &mcp.CommandTransport{Command: mcpCommand(env, "--write")}).usesEveryTool(env)
}

func TestMCP_AnAgentUsesEveryToolOverHTTP(t *testing.T) {
	env := kit.NewWorkspace(t)
	connect(t, keyed{key: mcpKey}.at(overHTTP(env, "--write"))).usesEveryTool(env)
}

func TestMCP_NobodyComesInOverHTTPWithoutTheKeyOrFromElsewhere(t *testing.T) {
	env := kit.NewWorkspace(t)
	address := overHTTP(env)
	for name, with := range map[string]keyed{
		"another key": {key: mcpKey + "!"}, "a page": {key: mcpKey, origin: "https://evil.test"}, "a name": {key: mcpKey, host: "evil.test"},
	} {
		_, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), with.at(address), nil)
		require.Error(t, err, name)
	}
	connect(t, keyed{key: mcpKey}.at(address))
}

func TestMCP_WithoutWriteNothingChanges(t *testing.T) {
	env := kit.NewWorkspace(t)
	a := connect(t, &mcp.CommandTransport{Command: mcpCommand(env)})
	for _, tool := range []string{"dispatch", "record_decision", "record_agent_resolution", "add_comment"} {
		require.NotContains(t, a.uncalled, tool)
		_, err := a.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}})
		require.Error(t, err)
	}
}

func TestMCP_AServerForOnePersonActsForNobodyElse(t *testing.T) {
	env := kit.NewWorkspace(t)
	a := connect(t, &mcp.CommandTransport{Command: mcpCommand(env, "--write", "--user=u_editor")})
	var waiting []redline.ListedStep
	a.asks("inbox", map[string]any{}, &waiting)
	require.Empty(t, waiting)
	require.Contains(t, a.refused("inbox", map[string]any{"userId": "u_legal"}), "u_editor alone")
	require.Contains(t, a.refused("record_decision", map[string]any{"executionId": "x", "stepId": "y", "decision": "approve", "userId": "u_legal"}), "u_editor alone")
	require.Contains(t, a.refused("get_execution", map[string]any{"executionId": "nowhere"}), "NOT_FOUND")
	require.Contains(t, a.refused("get_execution", map[string]any{"executionId": strings.Repeat("x", 201)}), "executionId")
}

func TestMCP_ALongListHasPagesThatFit(t *testing.T) {
	env := kit.NewWorkspace(t)
	client := clientOf(env)
	comments := make([]redline.AnnotationInput, 40)
	for i := range comments {
		comments[i].CommentData = []redline.CommentInput{{CommentText: new(strings.Repeat("long ", 1000)), From: redline.UserInput{UserID: "u_ann"}}}
	}
	_, err := client.Annotations.Add(t.Context(), redline.AddAnnotationsRequest{
		OrganizationID: "acme", DocumentID: "spring", CreateOrganization: new(true), CreateDocument: new(true), CommentAnnotations: comments,
	})
	require.NoError(t, err)
	a := connect(t, &mcp.CommandTransport{Command: mcpCommand(env)})
	var seen []string
	for cursor := ""; ; {
		said, err := a.session.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "read_comments", Arguments: map[string]any{"organizationId": "acme", "documentId": "spring", "pageSize": 100, "cursor": cursor},
		})
		require.NoError(t, err)
		text := said.Content[0].(*mcp.TextContent).Text
		require.Less(t, len(text), 40<<10)
		var read struct {
			Result     []redline.WholeAnnotation
			Next, Hint string
		}
		require.NoError(t, json.Unmarshal([]byte(text), &read))
		for i := range read.Result {
			seen = append(seen, read.Result[i].AnnotationID)
		}
		if cursor = read.Next; cursor == "" {
			break
		}
		require.Contains(t, read.Hint, "cursor")
	}
	slices.Sort(seen)
	require.Len(t, slices.Compact(seen), 40)
}

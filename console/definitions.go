package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	redline "github.com/redline-svc/redline/clients/go"
)

// definitionsView is a page of definitions.
type definitionsView struct {
	Items []redline.Definition
	Tag   string
	Next  string
}

func (c *Console) definitions(v *visit) (*page, error) {
	found, err := v.calls.Definitions.List(v.ctx, redline.ListDefinitionsRequest{Tag: v.optional("tag"), Cursor: v.optional("cursor"), PageSize: new(int64(rows))})
	if err != nil {
		return nil, err
	}
	view := &definitionsView{Items: found.Items, Tag: v.asked("tag")}
	if found.HasMore {
		view.Next = to("/definitions", "tag", view.Tag, "cursor", textOf(found.NextCursor))
	}
	return &page{Title: "Definitions", Template: "definitions", Section: "/definitions", Data: view}, nil
}

// definitionView is a definition, a version of it, and another beside it where one is asked for.
type definitionView struct {
	texts
	Newest   int64
	Graph    *drawing
	Versions []redline.Version
	Next     string
	Other    int64
	Lines    []line
}

func (c *Console) definition(v *visit) (*page, error) {
	view := &definitionView{Other: v.number("beside")}
	id, version := v.asked("id"), v.number("version")
	var newest, other texts
	reading := func(into *texts, version int64) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			*into, err = v.read(ctx, id, version)
			return err
		}
	}
	calls := []func(context.Context) error{
		reading(&newest, 0),
		func(ctx context.Context) error { return view.readVersions(ctx, v, id) },
	}
	if version != 0 {
		calls = append(calls, reading(&view.texts, version))
	}
	if view.Other != 0 {
		calls = append(calls, reading(&other, view.Other))
	}
	err := together(v.ctx, calls...)
	if err != nil {
		return nil, err
	}
	view.Newest = newest.Version
	if version == 0 {
		view.texts = newest
	}
	if view.Other != 0 {
		view.Lines = compare(other.Text, view.Text)
	}
	view.Graph, err = draw(view.Nodes, view.Edges, view.Groups, nil)
	return &page{Title: newest.Name, Template: "definition", Section: "/definitions", Data: view}, err
}

func (d *definitionView) readVersions(ctx context.Context, v *visit, id string) error {
	found, err := v.calls.Definitions.ListVersions(ctx, redline.ListVersionsRequest{DefinitionID: id, Cursor: v.optional("cursor"), PageSize: new(int64(rows))})
	if d.Versions = found.Items; found.HasMore {
		d.Next = to("/definition", "id", id, "cursor", textOf(found.NextCursor))
	}
	return err
}

// source is a definition as it is edited: what the interface takes, without what it adds, in the
// order in which it was sent.
type source struct {
	DefinitionID string          `json:"definitionId"`
	Name         string          `json:"name"`
	Description  *string         `json:"description,omitempty"`
	Scope        *redline.Scope  `json:"scope,omitempty"`
	Tags         json.RawMessage `json:"tags,omitempty"`
	Nodes        json.RawMessage `json:"nodes"`
	Groups       json.RawMessage `json:"groups,omitempty"`
	Edges        json.RawMessage `json:"edges"`
	Triggers     json.RawMessage `json:"triggers,omitempty"`
	Custom       json.RawMessage `json:"custom,omitempty"`
}

// written is a definition as a text to be edited.
func written(answer json.RawMessage) (string, error) {
	var s source
	if err := json.Unmarshal(answer, &s); err != nil {
		return "", err
	}
	for _, optional := range []*json.RawMessage{&s.Tags, &s.Groups, &s.Triggers, &s.Custom} {
		if string(*optional) == "null" {
			*optional = nil
		}
	}
	if s.Scope != nil && s.Scope.OrganizationID == nil {
		s.Scope = nil
	}
	return indented(s), nil
}

// texts is a definition, as it is and as a text.
type texts struct {
	redline.Definition
	Text string
}

// read reads the newest version of a definition, or the one with that number.
func (v *visit) read(ctx context.Context, id string, version int64) (found texts, err error) {
	var answer json.RawMessage
	if version == 0 {
		err = v.calls.Call(ctx, "/v2/workflow/definitions/get", redline.GetDefinitionRequest{DefinitionID: id}, &answer)
	} else {
		err = v.calls.Call(ctx, "/v2/workflow/definitions/versions/get", redline.GetVersionRequest{DefinitionID: id, Version: version}, &answer)
	}
	if err == nil {
		err = json.Unmarshal(answer, &found.Definition)
	}
	if err == nil {
		found.Text, err = written(answer)
	}
	return found, err
}

// editView is the editor: the text, what the interface says of it, and its graph.
type editView struct {
	ID      string
	Version int64
	Text    string
	lintView
}

// lintView is what is said of a text while it is typed.
type lintView struct {
	Fault  string
	Result *redline.LintResult
	Graph  *drawing
}

// example is where a new definition begins.
const example = `{
  "definitionId": "my-approval",
  "name": "My approval",
  "nodes": [
    { "nodeId": "review", "type": "human", "config": { "reviewerIds": ["u_editor"] } },
    { "nodeId": "publish", "type": "agent", "config": { "agentId": "__mock__" } },
    { "nodeId": "tell", "type": "agent", "config": { "agentId": "__mock__" } }
  ],
  "edges": [
    { "from": "review", "to": "publish", "on": "approve" },
    { "from": "review", "to": "tell", "on": "reject" }
  ]
}`

func (c *Console) edit(v *visit) (*page, error) {
	view := &editView{ID: v.asked("id"), Text: example}
	if view.ID != "" {
		found, err := v.read(v.ctx, view.ID, 0)
		if err != nil {
			return nil, err
		}
		view.Version, view.Text = found.Version, found.Text
	}
	var err error
	view.lintView, err = v.lint(view.Text)
	return &page{Title: "Edit " + view.ID, Template: "edit", Section: "/definitions", Data: view}, err
}

// lintTyped answers while somebody types.
func (c *Console) lintTyped(v *visit) (*page, error) {
	found, err := v.lint(v.form("definition"))
	return &page{Title: "Edit", Template: "edit", Data: &editView{lintView: found}}, err
}

// lint asks the interface what it thinks of a text; one that is no JSON is said to be none.
func (v *visit) lint(text string) (found lintView, err error) {
	var fields map[string]any
	if found.Fault = notJSON(text, &fields); found.Fault != "" {
		return found, nil
	}
	var result redline.LintResult
	if err := v.calls.Call(v.ctx, "/v2/workflow/definitions/lint", fields, &result); err != nil {
		if refused := redline.AsError(err); refused == nil || refused.HTTPStatus != http.StatusBadRequest {
			return found, err
		}
		result.Issues = redline.AsError(err).Issues
	}
	found.Result = &result
	found.Graph, _ = draw(fields["nodes"], fields["edges"], fields["groups"], nil) // what has another form is said by the issues
	return found, nil
}

// notJSON reads a text into to, and returns what is wrong with it, an empty text where nothing is.
func notJSON(text string, to any) string {
	if err := unmarshal(text, to); err != nil {
		return "This is not JSON yet: " + err.Error()
	}
	return ""
}

// unmarshal reads JSON with its numbers as they are written.
func unmarshal(text string, to any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(to); err != nil {
		return err
	}
	if decoder.More() {
		return errors.New("there is more behind its end")
	}
	return nil
}

func saveDefinition(v *visit) (next, notice string, err error) {
	var fields map[string]any
	if err := unmarshal(v.form("definition"), &fields); err != nil {
		return "", "", wrong("This is not JSON: " + err.Error())
	}
	id, _ := fields["definitionId"].(string)
	path := "/v2/workflow/definitions/create"
	if replaced, _ := strconv.ParseInt(v.form("version"), 10, 64); replaced != 0 {
		path, fields["ifVersion"] = "/v2/workflow/definitions/update", replaced
	}
	var saved redline.Definition
	err = v.calls.Call(v.ctx, path, fields, &saved)
	return to("/definition", "id", id), fmt.Sprintf("Saved as version %d.", saved.Version), err
}

func deleteDefinition(v *visit) (next, notice string, err error) {
	_, err = v.calls.Definitions.Delete(v.ctx, redline.DeleteDefinitionRequest{DefinitionID: v.form("id")})
	return "/definitions", "Deleted. What runs by it goes on.", err
}

func dispatch(v *visit) (next, notice string, err error) {
	wanted := redline.DispatchRequest{DefinitionID: v.form("id"), IdempotencyKey: v.typed("key"), OrganizationID: v.typed("organization"), DocumentID: v.typed("document")}
	if text := v.typed("input"); text != nil {
		input, err := inputOf(*text)
		if err != nil {
			return "", "", err
		}
		wanted.TriggerContext = &input
	}
	begun, err := v.calls.Executions.Dispatch(v.ctx, wanted)
	notice = "Dispatched."
	if begun.Deduplicated {
		notice = "This key had been dispatched before; here is its execution."
	}
	return to("/execution", "id", begun.ExecutionID), notice, err
}

// inputOf reads what an execution is dispatched with: a JSON object, or lines that are a name, a
// colon and a text.
func inputOf(text string) (map[string]any, error) {
	input := map[string]any{}
	if strings.HasPrefix(text, "{") {
		if err := unmarshal(text, &input); err != nil {
			return nil, wrong("What it is dispatched with is no JSON object: " + err.Error())
		}
		return input, nil
	}
	for line := range strings.Lines(text) {
		name, value, is := strings.Cut(line, ":")
		switch name = strings.TrimSpace(name); {
		case name == "" && !is:
		case name == "" || !is:
			return nil, wrong("Each line is a name, a colon and a text. This one is not: " + strings.TrimSpace(line))
		default:
			input[name] = strings.TrimSpace(value)
		}
	}
	return input, nil
}

// mock dispatches what stands in the editor with every call answered by a mock: it is saved as a
// definition of its own, whose id ends in -mock.
func mock(v *visit) (next, notice string, err error) {
	var fields map[string]any
	if err := unmarshal(v.form("definition"), &fields); err != nil {
		return "", "", wrong("This is not JSON: " + err.Error())
	}
	id := fmt.Sprint(fields["definitionId"]) + "-mock"
	fields["definitionId"] = id
	delete(fields, "triggers")
	mockNodes(fields["nodes"])
	if err := v.saveMock(id, fields); err != nil {
		return "", "", err
	}
	begun, err := v.calls.Executions.Dispatch(v.ctx, redline.DispatchRequest{DefinitionID: id})
	return to("/execution", "id", begun.ExecutionID), "Dispatched with mocks: only people are real.", err
}

// mockNodes makes a mock of every node but those of people.
func mockNodes(nodes any) {
	list, _ := nodes.([]any)
	for _, each := range list {
		if node, is := each.(map[string]any); is && node["type"] != "human" {
			node["type"], node["config"] = "agent", map[string]any{"agentId": "__mock__"}
			delete(node, "requireNonEmptyOutput")
		}
	}
}

func (v *visit) saveMock(id string, fields map[string]any) error {
	known, err := v.calls.Definitions.Get(v.ctx, redline.GetDefinitionRequest{DefinitionID: id})
	path := "/v2/workflow/definitions/create"
	switch {
	case err == nil:
		path, fields["ifVersion"] = "/v2/workflow/definitions/update", known.Version
	case !redline.IsNotFound(err):
		return err
	}
	return v.calls.Call(v.ctx, path, fields, nil)
}

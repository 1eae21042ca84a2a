package collaboration

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

// shownOf waits for the event of n added annotations and returns each, by its id,
// key by key.
func shownOf(env *kit.Env, path string, n int) map[string]map[string]json.RawMessage {
	env.T.Helper()
	shown := map[string]map[string]json.RawMessage{}
	for _, m := range kit.Heard(env, path, n) {
		var data struct {
			CommentAnnotation map[string]json.RawMessage `json:"commentAnnotation"`
		}
		require.NoError(env.T, json.Unmarshal(m.Data, &data))
		var id string
		require.NoError(env.T, json.Unmarshal(data.CommentAnnotation["annotationId"], &id))
		shown[id] = data.CommentAnnotation
	}
	return shown
}

// A suggestion is open until it is decided, whatever its sender says of it.
func TestAnnotationsAdd_Suggestions(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	sent := map[string]any{"status": "accepted", "STATUS": "mine", "summary": "x", "n": json.Number("1.10"), "own": map[string]any{"status": "mine"}}
	note := func(id, kind string, suggestion map[string]any) map[string]any {
		annotation := kit.Annotated(id, kit.Wrote("ann", "a", kit.Loud))
		annotation["type"] = kind
		if suggestion != nil {
			annotation["suggestion"] = suggestion
		}
		return annotation
	}
	kit.Annotate(env, kit.Made("d", note("sent", "suggestion", sent), note("bare", "suggestion", nil), note("empty", "suggestion", map[string]any{}), note("comment", "comment", sent)))
	shown := shownOf(env, "/told", 4)
	require.JSONEq(t, `{"status":"pending","STATUS":"mine","summary":"x","n":1.1,"own":{"status":"mine"}}`, string(shown["sent"]["suggestion"]))
	require.Contains(t, string(shown["sent"]["suggestion"]), `"n":1.10`, "a number as it was sent")
	for _, id := range []string{"bare", "empty"} {
		require.JSONEq(t, `{"status":"pending"}`, string(shown[id]["suggestion"]), id)
	}
	require.NotContains(t, shown["comment"], "suggestion")
	kinds := map[string]string{}
	for id, annotation := range shown {
		kinds[id] = string(annotation["type"])
	}
	require.Equal(t, map[string]string{"sent": `"suggestion"`, "bare": `"suggestion"`, "empty": `"suggestion"`, "comment": `"comment"`}, kinds)
}

func TestAnnotationsAdd_EverythingThatIsPublishedOfOne(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	kit.AddPeople(env, kit.User("bob", "Bob", "bob@example.com"))
	added := kit.Annotate(env, kit.Object(t, kit.FullAdd))
	require.Equal(t, redline.AddedAnnotation{Success: true, AnnotationID: "full", CommentIds: []int64{7, 8}, FindingID: "f-1", Message: added["full"].Message}, added["full"])
	common := fmt.Sprintf(`"commentAnnotation": %s, "actionUser": %s, "metadata": {"apiKey": %q,
"organization": {"organizationId": "acme", "organizationName": "acme"}, "document": {"documentId": "spring", "documentName": "spring"}}`,
		kit.FullShown, kit.FullAuthor, env.Workspace.APIKey)
	reported := map[string]string{}
	for _, m := range kit.Heard(env, "/told", 3) {
		reported[m.Event] = string(m.Data)
	}
	require.JSONEq(t, `{`+common+`, "targetComment": `+kit.FullRoot+`}`, reported["comment_annotation.add"])
	require.JSONEq(t, `{`+common+`, "oldAssignedTo": null, "newAssignedTo": `+kit.FullWorker+`}`, reported["comment_annotation.assign"])
	require.JSONEq(t, `{`+common+`, "targetComment": `+kit.FullRoot+`}`, reported["comment.add"])
}

func TestAnnotationsAdd_EveryAgentThatIsBuiltIn(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	builtIn := []string{
		"__mock__", "spell-check", "grammar-check", "broken-links", "pii-detection", "profanity-filter", "sensitive-data", "lighthouse",
		"accessibility-checker", "og-image-checker", "lorem-ipsum",
	}
	for _, id := range builtIn {
		agent := map[string]any{"agentSource": "svc", "agentId": id, "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
		kit.Annotate(env, kit.Made("d", kit.Annotated(id, kit.Wrote("ann", "a", kit.Loud, map[string]any{"agent": agent}))))
	}
	for i, m := range kit.Heard(env, "/told", len(builtIn)) {
		var shown struct {
			CommentAnnotation struct {
				Agent struct{ AgentID, AgentName, AgentType string }
			}
		}
		require.NoError(t, json.Unmarshal(m.Data, &shown))
		agent := shown.CommentAnnotation.Agent
		require.Equal(t, []string{builtIn[i], "built-in"}, []string{agent.AgentID, agent.AgentType})
		require.NotEmpty(t, agent.AgentName)
	}
}

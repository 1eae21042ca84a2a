package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Who acts as a reviewer sees what waits for them, decides with a reason and is led to the next.
func TestInbox_OneAfterTheOther(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	other := kit.Define(env, []redline.NodeInput{client.Human("legal", "bob"), client.Mock("publish")}, client.Both("legal", "publish")...)
	kit.Dispatch(env, other).WaitsAt("legal")
	var runs []*kit.Run
	for _, title := range []string{"Spring", "Summer"} {
		run := kit.Dispatch(env, definition, kit.Input(map[string]any{"title": title}))
		run.WaitsAt("review")
		runs = append(runs, run)
	}
	v := kit.Visit(env)
	require.Contains(t, v.Open("/inbox").Text(), "What waits for anybody")
	shown := v.Submit("/acting", "acting", "ann", "next", "/inbox")
	require.Equal(t, "/inbox", shown.Address)
	require.NotContains(t, shown.Text(), "legal")
	require.Len(t, shown.Links("review"), 2)
	for range runs {
		step, execution := shown.Field("stepId"), shown.Field("executionId")
		shown = v.Submit("/step/decide", "executionId", execution, "stepId", step, "reviewerId", "ann", "decision", "approve", "reason", "fine", "next", shown.Field("next"))
		require.Contains(t, shown.Text(), "Approved as ann.")
	}
	require.Contains(t, shown.Text(), "Nothing waits for ann .")
	for _, run := range runs {
		run.Ends("completed")
	}
}

// The comments of the document that an execution is about are beside what is to be decided.
func TestInbox_ShowsTheDocumentsComments(t *testing.T) {
	env := kit.NewWorkspace(t)
	_, err := client.Call[any](env.Ctx, env.Keyed, "organizations/add", map[string]any{"organizations": []any{map[string]any{"organizationId": "acme", "organizationName": "Acme"}}})
	require.NoError(t, err)
	env.Call("organizations/documents/add", map[string]any{"organizationId": "acme", "documents": []any{map[string]any{"documentId": "letter", "documentName": "Letter"}}}, nil)
	env.Call("commentannotations/add", map[string]any{"organizationId": "acme", "documentId": "letter", "commentAnnotations": []any{
		map[string]any{"commentData": []any{map[string]any{"commentText": "<b>Which spring is meant?</b>", "from": map[string]any{"userId": "u_brand", "name": "Bea"}}}},
	}}, nil)
	var begun redline.DispatchResult
	env.Call(client.StartExecution, map[string]any{"definitionId": kit.SignOff(env), "organizationId": "acme", "documentId": "letter"}, &begun)
	v := kit.Visit(env)
	kit.RequireEventually(t, "the step waits", func() bool { return strings.Contains(v.Open("/inbox").Text(), "review") })
	text := v.Open("/inbox").Text()
	require.Contains(t, text, "<b>Which spring is meant?</b>")
	require.Contains(t, text, "Bea")
	require.Len(t, v.Open("/inbox").Links("All comments"), 1)
	require.Equal(t, http.StatusOK, v.Open("/document", "organization", "acme", "id", "letter").Code)
}

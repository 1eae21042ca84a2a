package collaboration

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// A comment is read as it is shown in events.
func TestWholeCommentsGet_AsTheyWereAdded(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	kit.AddPeople(env, kit.User("bob", "Bob", "bob@example.com"))
	kit.Annotate(env, kit.Object(t, kit.FullAdd))
	var want []map[string]any
	require.NoError(t, json.Unmarshal(shownOf(env, "/told", 1)["full"]["comments"], &want))
	require.NotEmpty(t, want)
	found := kit.Older[[]map[string]any](env, kit.GetWholeComments, map[string]any{"organizationId": "acme", "documentId": "spring", "annotationId": "full"}).Data
	require.Equal(t, want, found)

	exact := map[string]any{"context": json.RawMessage(`{"n": 12345678901234567890, "f": 0.1000}`)}
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "{{bob}}", exact), kit.Wrote("ann", "b"))))
	thread := kit.ThreadOf(env, "n", nil)
	require.Equal(t, `{"n":12345678901234567890,"f":0.1000}`, strings.ReplaceAll(string(thread[0].Context), " ", ""))
	require.JSONEq(t, `[{"userId":"bob","contact":{"userId":"bob","name":"Bob","email":"bob@example.com"}}]`, string(thread[0].TaggedUserContacts))
	require.Equal(t, []string{`{}`, `[]`}, []string{string(thread[1].Context), string(thread[1].TaggedUserContacts)})
	env.Call(client.UpdateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	call := kit.Doc("d", map[string]any{"annotationId": "n"})
	require.Equal(t, redline.ErrorDetailsReasonAdvancedQueriesDisabled, kit.OlderRefused(env, "FAILED_PRECONDITION", kit.GetWholeComments, call).Reason)
}

package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

const written = `{"definitionId":"sign-off","name":"Sign <off>","nodes":[
 {"nodeId":"review","type":"human","config":{"reviewerIds":["ann"]}},
 {"nodeId":"publish","type":"webhook","config":{"url":"https://publish.example.com/"}},
 {"nodeId":"tell","type":"agent","config":{"agentId":"__mock__"}}],
 "edges":[{"from":"review","to":"publish","on":"approve"},{"from":"review","to":"tell","on":"reject"}]}`

// A definition is written, looked at while it is typed, saved, changed, compared and dispatched.
func TestDefinition_WrittenSavedComparedDispatched(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	require.Contains(t, v.Open("/definitions").Text(), "No definition yet.")
	require.Contains(t, v.Open("/definition/edit").Text(), "valid")
	shown := v.Submit("/definition/save", "version", "0", "definition", written)
	require.Contains(t, shown.Text(), "Saved as version 1.")
	require.Contains(t, shown.Text(), "Sign <off>")
	shown = v.Submit("/definition/save", "version", "1", "definition", strings.Replace(written, `"ann"`, `"ann","bob"`, 1))
	require.Contains(t, shown.Text(), "Saved as version 2.")
	compared := v.Open("/definition", "id", "sign-off", "version", "2", "beside", "1")
	require.Contains(t, compared.Text(), `+ "bob"`)
	stale := v.Submit("/definition/save", "version", "1", "definition", written)
	require.Equal(t, http.StatusBadRequest, stale.Code)
	require.Contains(t, stale.Text(), "FAILED_PRECONDITION")
	shown = v.Submit("/definition/dispatch", "id", "sign-off", "input", `{"n": 12345678901234567890}`)
	require.Contains(t, shown.Text(), "12345678901234567890")
	require.Contains(t, shown.Text(), "Dispatched.")
	shown = v.Submit("/definition/dispatch", "id", "sign-off", "input", "title: Spring: the catalogue\r\n\r\npages : 412")
	require.Contains(t, shown.Text(), "title Spring: the catalogue")
	require.Contains(t, shown.Text(), "pages 412")
	for _, text := range []string{"no colon", ": nothing", "{no JSON", `["a list"]`} {
		require.Equal(t, http.StatusBadRequest, v.Submit("/definition/dispatch", "id", "sign-off", "input", text).Code, text)
	}
}

func TestDefinition_FaultsAreSaidWhileItIsTyped(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	for text, want := range map[string]string{
		`{"definitionId":`: "This is not JSON yet",
		strings.Replace(written, `"on":"reject"`, `"on":"perhaps"`, 1):                                                               "fault",
		strings.Replace(written, `{"from":"review","to":"tell","on":"reject"}`, `{"from":"review","to":"nowhere","on":"reject"}`, 1): "nowhere",
		`{"definitionId":"x","name":"x","nodes":7,"edges":"<script>"}`:                                                               "nodes",
		written: "valid",
	} {
		shown := v.Submit("/definition/lint", "definition", text)
		require.Equal(t, http.StatusOK, shown.Code, text)
		require.Contains(t, shown.Text(), want)
	}
	require.Contains(t, v.Open("/definitions").Text(), "No definition yet.", "looking saves nothing")
}

// With mocks only people are real.
func TestDefinition_TriedWithMocks(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	shown := v.Submit("/definition/mock", "definition", written)
	require.Contains(t, shown.Text(), "Dispatched with mocks")
	id := shown.Address[len("/execution?id="):]
	kit.RequireEventually(t, "the person is waited for", func() bool { return strings.Contains(v.Open("/inbox").Text(), "sign-off-mock") })
	inbox := v.Open("/inbox")
	v.Submit("/step/decide", "executionId", inbox.Field("executionId"), "stepId", inbox.Field("stepId"), "reviewerId", "ann", "decision", "approve")
	kit.RequireEventually(t, "it is published", func() bool { return strings.Contains(v.Open("/execution", "id", id).Text(), "execution.completed") })
	require.Contains(t, v.Submit("/definition/mock", "definition", written).Text(), "Dispatched with mocks", "and once more")
}

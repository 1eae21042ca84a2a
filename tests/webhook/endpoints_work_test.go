package webhook

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// workData is the data of a message about an execution.
type workData struct {
	receiver.Delivery
	Metadata kit.ScopeData `json:"metadata"`
}

// What endpoints are told of an execution says what its events say, in their
// order, and by whose call they came.
func TestEndpoints_LearnOfExecutions(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/work", map[string]any{"channels": []string{"organization:acme"}})
	definition := kit.SignOff(env)
	kit.Dispatch(env, definition).WaitsAt("review")
	r := kit.Dispatch(env, definition, func(d *redline.DispatchRequest) { d.OrganizationID, d.DocumentID = new("acme"), new("spring") })
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	events := r.Events()
	messages := kit.Heard(env, "/work", len(events))
	secret := kit.SecretOf(env, e.ID)
	for _, request := range env.Receiver().Requests("/work") {
		require.NoError(t, receiver.VerifyMessage(request, secret))
	}
	keys := map[string]string{}
	for i, event := range events {
		m := messages[i]
		assert.Equal(t, []string{event.Type, "workflow"}, []string{m.Event, m.Source})
		var data workData
		require.NoError(t, json.Unmarshal(m.Data, &data))
		assert.Equal(t, []any{event.EventID, event.Seq, r.ID, definition, 1, r.CorrelationID, event.StepID},
			[]any{data.EventID, data.Seq, data.ExecutionID, data.DefinitionID, data.DefinitionVersion, data.CorrelationID, data.StepID})
		assert.JSONEq(t, kit.OrNull(json.RawMessage(event.Data)), kit.OrNull(data.Data))
		keys[event.Type] = data.Metadata.APIKey
		assert.Equal(t, "acme", data.Metadata.Organization.OrganizationID)
		assert.Equal(t, "spring", data.Metadata.Document.DocumentID)
	}
	assert.Regexp(t, `^ak_`, keys["execution.dispatched"], "a caller did it")
	assert.Equal(t, keys["execution.dispatched"], keys["execution.completed"], "the decision ended it")
	assert.Empty(t, keys["step.awaiting-approval"], "the service itself went on")
}

func TestEndpoints_LearnHowIngestsEnd(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/ingests", map[string]any{"filterTypes": []string{"knowledge.ingest.completed", "knowledge.ingest.failed"}})
	reported := func(n int) (m receiver.Message, data kit.IngestEnded) {
		m = kit.Heard(env, "/ingests", n)[n-1]
		require.NoError(t, json.Unmarshal(m.Data, &data))
		return m, data
	}
	whole := kit.Ingest(env, kit.HousePaper)
	status := kit.BroughtIn(env, whole, "completed")
	m, data := reported(1)
	assert.Equal(t, []string{"knowledge.ingest.completed", "memory"}, []string{m.Event, m.Source})
	assert.Equal(t, []any{whole, 1, "completed", int(status.ChunkCount)}, []any{data.SourceID, data.Version, data.Status, data.ChunkCount})
	assert.Nil(t, data.Error)

	broken := "%PDF-1.7\nnothing of it is a document\n%%EOF"
	failed := kit.IngestAs(env, map[string]any{"source": "inline", "file": map[string]any{
		"base64":   base64.StdEncoding.EncodeToString([]byte(broken)),
		"mimeType": "application/pdf", "fileName": "broken.pdf", "fileSize": len(broken),
	}})
	reason := kit.BroughtIn(env, failed, "failed").FailureReason
	m, data = reported(2)
	assert.Equal(t, []string{"knowledge.ingest.failed", "failed"}, []string{m.Event, m.ActionType})
	assert.Equal(t, []any{failed, "failed", "broken.pdf"}, []any{data.SourceID, data.Status, data.FileName})
	require.NotNil(t, data.Error)
	assert.Equal(t, reason, data.Error.Code)
	assert.Empty(t, data.Metadata.APIKey, "the service itself found it out")
}

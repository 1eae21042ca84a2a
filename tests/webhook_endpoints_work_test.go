package tests

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// scopeData is the metadata of a message.
type scopeData struct {
	APIKey       string                                  `json:"apiKey"`
	Organization *struct{ OrganizationID string }        `json:"organization"`
	Document     *struct{ DocumentID, DocumentName any } `json:"document"`
}

// workData is the data of a message about an execution.
type workData struct {
	receiver.Delivery
	Metadata scopeData `json:"metadata"`
}

// What endpoints are told of an execution says what its events say, in their
// order, and by whose call they came.
func TestEndpoints_LearnOfExecutions(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/work", map[string]any{"channels": []string{"organization:acme"}})
	definition := s.signOff()
	s.dispatch(definition).waitsAt("review")
	r := s.dispatch(definition, func(d *client.Dispatch) { d.OrganizationID, d.DocumentID = "acme", "spring" })
	r.waitsAt("review")
	r.decide("review", "ann", "approve")
	r.ends("completed")
	events := r.events()
	messages := s.heard("/work", len(events))
	secret := s.secretOf(e.ID)
	for _, request := range s.receiver().Requests("/work") {
		require.NoError(t, receiver.VerifyMessage(request, secret))
	}
	keys := map[string]string{}
	for i, event := range events {
		m := messages[i]
		assert.Equal(t, []string{event.Type, "workflow"}, []string{m.Event, m.Source})
		var data workData
		require.NoError(t, json.Unmarshal(m.Data, &data))
		assert.Equal(t, []any{event.EventID, event.Seq, r.id, definition, 1, r.correlationID, event.StepID},
			[]any{data.EventID, data.Seq, data.ExecutionID, data.DefinitionID, data.DefinitionVersion, data.CorrelationID, data.StepID})
		assert.JSONEq(t, orNull(event.Data), orNull(data.Data))
		keys[event.Type] = data.Metadata.APIKey
		assert.Equal(t, "acme", data.Metadata.Organization.OrganizationID)
		assert.Equal(t, "spring", data.Metadata.Document.DocumentID)
	}
	assert.Regexp(t, `^ak_`, keys["execution.dispatched"], "a caller did it")
	assert.Equal(t, keys["execution.dispatched"], keys["execution.completed"], "the decision ended it")
	assert.Empty(t, keys["step.awaiting-approval"], "the service itself went on")
}

// ingestEnded is the data of a message about a source.
type ingestEnded struct {
	SourceID              string
	Version               int
	Status                string
	MimeType, FileName    string
	ChunkCount, RuleCount int
	Error                 *struct{ Code, Message string }
	Metadata              scopeData
}

func TestEndpoints_LearnHowIngestsEnd(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/ingests", map[string]any{"filterTypes": []string{"knowledge.ingest.completed", "knowledge.ingest.failed"}})
	reported := func(n int) (m receiver.Message, data ingestEnded) {
		m = s.heard("/ingests", n)[n-1]
		require.NoError(t, json.Unmarshal(m.Data, &data))
		return m, data
	}
	whole := s.ingest(housePaper)
	status := s.broughtIn(whole, "completed")
	m, data := reported(1)
	assert.Equal(t, []string{"knowledge.ingest.completed", "memory"}, []string{m.Event, m.Source})
	assert.Equal(t, []any{whole, 1, "completed", *status.ChunkCount}, []any{data.SourceID, data.Version, data.Status, data.ChunkCount})
	assert.Nil(t, data.Error)

	broken := "%PDF-1.7\nnothing of it is a document\n%%EOF"
	failed := s.ingestAs(map[string]any{"source": "inline", "file": map[string]any{
		"base64":   base64.StdEncoding.EncodeToString([]byte(broken)),
		"mimeType": "application/pdf", "fileName": "broken.pdf", "fileSize": len(broken),
	}})
	reason := s.broughtIn(failed, "failed").FailureReason
	m, data = reported(2)
	assert.Equal(t, []string{"knowledge.ingest.failed", "failed"}, []string{m.Event, m.ActionType})
	assert.Equal(t, []any{failed, "failed", "broken.pdf"}, []any{data.SourceID, data.Status, data.FileName})
	require.NotNil(t, data.Error)
	assert.Equal(t, reason, data.Error.Code)
	assert.Empty(t, data.Metadata.APIKey, "the service itself found it out")
}

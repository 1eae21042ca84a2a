package envelope

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// Sources of events: the part of the service that raises them.
const (
	SourceComment  = "comment"
	SourceWorkflow = "workflow"
	SourceMemory   = "memory"
	SourceWebhook  = "webhook"
)

// Names of event types that the program raises by name. Those of executions are
// the types of their events.
const (
	AnnotationAdd    = "comment_annotation.add"
	AnnotationAssign = "comment_annotation.assign"
	AnnotationUpdate = "comment_annotation.update"
	AnnotationDelete = "comment_annotation.delete"
	StatusChange     = "comment_annotation.status_change"
	PriorityChange   = "comment_annotation.priority_change"
	SuggestionAccept = "comment_annotation.suggestion_accept"
	SuggestionReject = "comment_annotation.suggestion_reject"
	CommentAdd       = "comment.add"
	CommentUpdate    = "comment.update"
	CommentDelete    = "comment.delete"
	IngestCompleted  = "knowledge.ingest.completed"
	IngestFailed     = "knowledge.ingest.failed"
	Exhausted        = "message.attempt.exhausted"
	EndpointDisabled = "endpoint.disabled"
	Test             = "webhook.test"
)

// Event is a type of event. Data is what a message of it may say.
type Event struct {
	Name, Description, Source string
	Data                      json.RawMessage
	// InDocument says that such events happen in an organization and a document.
	InDocument bool
}

// events are all types, in the order of their names.
var events = sorted(commentEvents, workflowEvents, memoryEvents, webhookEvents)

// byName finds a type.
var byName = func() map[string]Event {
	found := map[string]Event{}
	for _, e := range events {
		found[e.Name] = e
	}
	return found
}()

func sorted(parts ...[]Event) []Event {
	all := slices.Concat(parts...)
	slices.SortFunc(all, func(a, b Event) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Events returns all types, in the order of their names.
func Events() []Event { return slices.Clone(events) }

// Find returns a type by its name.
func Find(name string) (Event, bool) {
	e, known := byName[name]
	return e, known
}

// Of the message that a type's sample shows.
const (
	sampleMessage  = "msg_01kdvm9w00abcdefghjkmnpqrs"
	sampleSequence = 1042
)

// Sample is a whole body as a message of the type may have.
func (e Event) Sample() json.RawMessage {
	m := Message{
		ID: sampleMessage, Event: e.Name, At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Sequence: sampleSequence,
		Data: e.Data, Metadata: e.SampleMetadata(),
	}
	body, err := m.Body(Form{})
	if err != nil {
		panic("envelope: the sample of " + e.Name + ": " + err.Error())
	}
	return body
}

// SampleMetadata is where the event of the sample happened.
func (e Event) SampleMetadata() Metadata {
	if !e.InDocument {
		return Metadata{}
	}
	return Metadata{
		APIKey:       "ak_01jd8p3y5t7c2m0w9x4v6k8r1q",
		Organization: json.RawMessage(`{"organizationId":"acme","organizationName":"Acme"}`),
		Document:     json.RawMessage(`{"documentId":"spring","documentName":"Spring issue"}`),
	}
}

var webhookEvents = []Event{
	{Exhausted, "a delivery to another endpoint failed for good", SourceWebhook, json.RawMessage(
		`{"messageId":"msg_01kdvm8000abcdefghjkmnpqrs","endpointId":"ep_01kdvm7000abcdefghjkmnpqrs","event":"comment.add",` +
			`"attempts":8,"class":"http-5xx","httpStatus":500}`), false},
	{EndpointDisabled, "the service disabled another endpoint", SourceWebhook, json.RawMessage(
		`{"endpointId":"ep_01kdvm7000abcdefghjkmnpqrs","url":"https://hooks.example.com/redline","reason":"failing",` +
			`"failingSince":"2025-12-27T00:00:00.000Z","lastAttemptAt":"2026-01-01T00:00:00.000Z"}`), false},
	{Test, "the test of an endpoint", SourceWebhook, json.RawMessage(`{"test":true}`), false},
}

var memoryEvents = []Event{
	{IngestCompleted, "a version of a source of knowledge can be searched", SourceMemory, json.RawMessage(
		`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","version":1,"status":"completed","mimeType":"application/pdf",` +
			`"fileName":"handbook.pdf","chunkCount":42,"ruleCount":7,"error":null}`), true},
	{IngestFailed, "a version of a source of knowledge could not be taken in", SourceMemory, json.RawMessage(
		`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","version":1,"status":"failed","mimeType":"application/pdf",` +
			`"fileName":"handbook.pdf","chunkCount":0,"ruleCount":0,"error":{"code":"no-text-layer","message":"The pages hold no text; the file is a scan without a text layer."}}`), true},
}

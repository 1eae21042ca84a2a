package envelope

import (
	"encoding/json"
	"strings"
)

// Parts of the samples of comments' events.
const (
	sampleActor   = `{"userId":"u_ann","name":"Ann","email":"ann@example.com","initial":"A"}`
	sampleComment = `{"commentId":1201,"type":"text","status":"added","commentText":"Please check {{u_bob}}","commentHtml":"",` +
		`"isCommentTextAvailable":true,"isCommentResolverUsed":false,"context":{},"from":` + sampleActor +
		`,"createdAt":1767225600000,"lastUpdated":"2026-01-01T00:00:00.000Z","taggedUserContacts":[]}`
	sampleOpen       = `{"id":"OPEN","name":"Open","type":"default","color":"#625df5","lightColor":"#e7e8fa"}`
	sampleAnnotation = `{"annotationId":"ann_01kdvm9w00abcdefghjkmnpqrs","organizationId":"acme","documentId":"spring","folderId":null,` +
		`"type":"comment","commentType":"manual","sourceType":"rest-api","createdAt":1767225600000,"lastUpdated":1767225600000,` +
		`"from":` + sampleActor + `,"status":` + sampleOpen + `,"visibility":{"type":"public"},"comments":[` + sampleComment +
		`],"commentCount":1,"location":{"id":"page-3","locationName":"Page 3"},"targetElement":null,"context":{}}`
)

// commentSample is the data of an event of an annotation: the annotation, what
// this type has beside it, and who acted.
func commentSample(extra ...string) json.RawMessage {
	parts := append([]string{`"commentAnnotation":` + sampleAnnotation}, extra...)
	return json.RawMessage("{" + strings.Join(append(parts, `"actionUser":`+sampleActor), ",") + "}")
}

const sampleTarget = `"targetComment":` + sampleComment

var commentEvents = []Event{
	{AnnotationAdd, "an annotation was added", SourceComment, commentSample(sampleTarget), true},
	{
		AnnotationUpdate, "location, target, context or visibility of an annotation changed", SourceComment,
		commentSample(`"changes":{"location":{"from":{"id":"page-2"},"to":{"id":"page-3","locationName":"Page 3"}}}`), true,
	},
	{
		AnnotationDelete, "an annotation was removed", SourceComment,
		json.RawMessage(`{"annotationId":"ann_01kdvm9w00abcdefghjkmnpqrs","actionUser":` + sampleActor + `}`), true,
	},
	{
		StatusChange, "the status of an annotation changed", SourceComment,
		commentSample(`"oldStatus":{"id":"REVIEW","name":"In review","type":"ongoing"}`, `"newStatus":`+sampleOpen), true,
	},
	{
		AnnotationAssign, "the assignee of an annotation was set, changed or removed", SourceComment,
		commentSample(`"oldAssignedTo":null`, `"newAssignedTo":{"userId":"u_bob","name":"Bob"}`), true,
	},
	{
		PriorityChange, "the priority of an annotation changed or was removed", SourceComment,
		commentSample(`"oldPriority":null`, `"newPriority":{"id":"P0","name":"Urgent","color":"#ff0000","lightColor":"#ffdddd"}`), true,
	},
	{SuggestionAccept, "a suggestion was accepted", SourceComment, commentSample(), true},
	{SuggestionReject, "a suggestion was rejected", SourceComment, commentSample(), true},
	{CommentAdd, "a comment was added", SourceComment, commentSample(sampleTarget), true},
	{CommentUpdate, "a comment changed", SourceComment, commentSample(sampleTarget), true},
	{CommentDelete, "a comment was removed", SourceComment, commentSample(sampleTarget), true},
}

package envelope

import (
	"encoding/json"
	"maps"

	"github.com/redline-svc/redline/internal/shape"
)

// tree says what of a value is no personal data: an id, or another plain value
// (a state, a number, a time), or the members of an object that have a tree.
// Arrays are looked through.
type tree struct {
	id      bool
	members map[string]tree
}

var (
	anID  = tree{id: true}
	plain = tree{}
)

// object has these members; those of several maps together.
func object(parts ...map[string]tree) tree {
	all := map[string]tree{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return tree{members: all}
}

// named gives members the same tree.
func named(t tree, names ...string) map[string]tree {
	members := make(map[string]tree, len(names))
	for _, name := range names {
		members[name] = t
	}
	return members
}

// Objects that several events have.
var (
	personTree     = object(named(anID, "userId"), named(plain, "accessRole"))
	stateTree      = object(named(anID, "id"), named(plain, "type"))
	elementTree    = object(named(anID, "elementId"), named(plain, "occurrence"))
	visibilityTree = object(named(anID, "organizationId", "userIds"), named(plain, "type"))
	agentTree      = object(named(anID, "agentId", "executionId"), named(plain, "agentType", "agentSource"),
		map[string]tree{"reason": object(named(anID, "findingId"), named(plain, "severity", "findingType", "confidence", "source"))})
	actionTree  = object(named(plain, "disabled", "hidden"))
	commentTree = object(
		named(anID, "commentId"),
		named(plain, "type", "status", "sourceType", "isCommentTextAvailable", "isCommentResolverUsed", "createdAt", "lastUpdated"),
		map[string]tree{
			"from": personTree, "agent": agentTree, "taggedUserContacts": object(named(anID, "userId")), "actions": actionTree,
			"attachments": object(named(anID, "attachmentId"), named(plain, "size")),
			"progress":    object(named(plain, "state", "startedAt"), map[string]tree{"steps": object(named(plain, "state", "startedAt", "completedAt"))}),
		},
	)
	annotationTree = object(
		named(anID, "annotationId", "organizationId", "documentId", "folderId", "resolvedByUserId", "statusUpdatedByUserId", "mentionedUserIds"),
		named(plain, "type", "commentType", "sourceType", "createdAt", "lastUpdated", "commentCount",
			"isPageAnnotation", "positionX", "positionY", "screenWidth", "screenHeight", "screenScrollHeight", "screenScrollTop"),
		map[string]tree{
			"from": personTree, "assignedTo": personTree, "status": stateTree, "priority": stateTree, "visibility": visibilityTree,
			"comments": commentTree, "agent": agentTree, "actions": actionTree, "location": object(named(anID, "id")), "targetElement": elementTree,
			"suggestion": object(named(anID, "targetId"), named(plain, "status", "targetType")),
		},
	)
)

// dataTree is that of data of any event: their names mean the same everywhere.
var dataTree = object(
	map[string]tree{
		"commentAnnotation": annotationTree, "targetComment": commentTree,
		"actionUser": personTree, "oldAssignedTo": personTree, "newAssignedTo": personTree,
		"oldStatus": stateTree, "newStatus": stateTree, "oldPriority": stateTree, "newPriority": stateTree,
		"visibility": visibilityTree,
		"changes": object(map[string]tree{
			"location":      object(map[string]tree{"from": object(named(anID, "id")), "to": object(named(anID, "id"))}),
			"targetElement": object(map[string]tree{"from": elementTree, "to": elementTree}),
			"visibility":    object(map[string]tree{"from": visibilityTree, "to": visibilityTree}),
		}),
		"metadata": object(named(anID, "apiKey"), map[string]tree{
			"organization": object(named(anID, "organizationId")), "document": object(named(anID, "documentId")),
		}),
		"data":  workTree,
		"error": object(named(plain, "code")),
	},
	named(anID, "annotationId", "accessDeniedUsers", "eventId", "executionId", "definitionId", "correlationId", "stepId",
		"sourceId", "messageId", "endpointId"),
	named(plain, "seq", "definitionVersion", "status", "version", "mimeType", "chunkCount", "ruleCount",
		"event", "attempts", "class", "httpStatus", "url", "reason", "failingSince", "lastAttemptAt", "test", "truncated"),
)

// workTree is that of what an event of an execution says by itself.
var workTree = object(
	named(anID, "definitionId", "rootStepIds", "stepIds", "skippedStepIds", "actorId", "waitingForReviewers", "resumeKey", "agentId",
		"agentExecutionId", "fromReviewerId", "toReviewerId", "groupId", "loopId", "lastRejectedBy"),
	named(plain, "definitionVersion", "attempt", "mandatoryCount", "pollIntervalMs", "callbackExpected", "aggregatorStatus", "nodeType",
		"decision", "agentExecutionStatus", "source", "synthetic", "httpStatus", "channel", "delivered", "latencyMs", "retryClass", "dueAt",
		"total", "quorum", "completedTotal", "expectedSteps", "iteration", "triggeredBy"),
	map[string]tree{
		"failureReason": object(named(plain, "code")), "error": object(named(plain, "code")),
		"overridden": object(named(anID, "actorId"), named(plain, "action")),
	},
)

// withoutPersonal leaves ids, states, numbers and times.
func withoutPersonal(data json.RawMessage) json.RawMessage {
	kept, _ := dataTree.keep(data, kept{values: true, lists: true})
	return kept
}

// onlyIDs leaves what names one thing; lists of ids go, as they may be long.
func onlyIDs(data json.RawMessage) json.RawMessage {
	left, _ := dataTree.keep(data, kept{lists: true})
	return left
}

// longID is the size in bytes, as it is written, from which an id is long. There
// are about a hundred ids in the tree and none of ours is near it.
const longID = 1 << 10

// onlyShortIDs leaves what names one thing in short: an id that somebody else gave
// may be a long text, and a list of things may have many.
func onlyShortIDs(data json.RawMessage) json.RawMessage {
	left, _ := dataTree.keep(data, kept{longest: longID})
	return left
}

// nothing leaves nothing.
func nothing(json.RawMessage) json.RawMessage { return json.RawMessage("{}") }

// kept says what of a tree stays beside ids.
type kept struct {
	// values stay that are no ids, and lists of objects.
	values, lists bool
	// longest is the size of an id from which it goes; 0 for none.
	longest int
}

// keep returns what stays of a value; ok is false where nothing does.
func (t tree) keep(value json.RawMessage, k kept) (left json.RawMessage, ok bool) {
	switch value[0] {
	case '{':
		if t.members == nil {
			return nil, false
		}
		return t.keepMembers(value, k), true
	case '[':
		if t.members == nil && !k.values || !k.lists {
			return nil, false
		}
		return t.keepItems(value, k), true
	case 'n':
		return value, true
	default:
		short := k.longest == 0 || len(value) < k.longest
		return value, t.members == nil && (t.id && short || k.values)
	}
}

func (t tree) keepMembers(value json.RawMessage, k kept) json.RawMessage {
	var members []shape.Pair
	for _, member := range shape.MembersOf(value) {
		inner, known := t.members[member.Name]
		if !known {
			continue
		}
		if left, ok := inner.keep(member.Value, k); ok {
			members = append(members, shape.Pair{Name: member.Name, Value: left})
		}
	}
	return shape.AppendMembers([]byte("{}"), members)
}

func (t tree) keepItems(value json.RawMessage, k kept) json.RawMessage {
	var items []json.RawMessage
	_ = json.Unmarshal(value, &items) // the text is ours and begins as an array
	stay := make([]json.RawMessage, 0, len(items))
	for _, item := range items {
		if left, ok := t.keep(item, k); ok {
			stay = append(stay, left)
		}
	}
	return mustEncode(stay)
}

// mustEncode writes texts and what consists of JSON already.
func mustEncode(v any) json.RawMessage {
	text, err := encode(v)
	if err != nil {
		panic("envelope: " + err.Error())
	}
	return text
}

func truncated(data json.RawMessage) json.RawMessage {
	return shape.AppendMembers(data, []shape.Pair{{Name: "truncated", Value: json.RawMessage("true")}})
}

// withoutOtherComments leaves of an annotation's comments only the one that the
// event is about.
func withoutOtherComments(data json.RawMessage) json.RawMessage {
	members := shape.MembersOf(data)
	var target string
	for _, m := range members {
		if m.Name == "targetComment" {
			target = commentID(m.Value)
		}
	}
	for i, m := range members {
		if m.Name == "commentAnnotation" {
			members[i].Value = onlyComment(m.Value, target)
		}
	}
	return shape.AppendMembers([]byte("{}"), members)
}

func onlyComment(annotation json.RawMessage, target string) json.RawMessage {
	members := shape.MembersOf(annotation)
	for i, m := range members {
		if m.Name != "comments" {
			continue
		}
		var comments []json.RawMessage
		_ = json.Unmarshal(m.Value, &comments) // anything else has no comments
		stay := []json.RawMessage{}
		for _, c := range comments {
			if target != "" && commentID(c) == target {
				stay = append(stay, c)
			}
		}
		members[i].Value = mustEncode(stay)
	}
	return shape.AppendMembers([]byte("{}"), members)
}

// commentID is the text of a comment's number; empty where it has none.
func commentID(comment json.RawMessage) string {
	for _, m := range shape.MembersOf(comment) {
		if m.Name == "commentId" {
			return string(m.Value)
		}
	}
	return ""
}

package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// StandsEverywhere names the person at every place of the operations that need no worker, beside somebody else. They take part
// already.
func StandsEverywhere(env *Env, m Person, other string) {
	env.T.Helper()
	m.writes(env, other)
	m.changes(env, other)
	m.isNotified(env, other)
	m.isGranted(env)
	m.judges(env, other)
	m.deletes(env, other)
	for operation, data := range m.looksUp() {
		Older[any](env, PathOf(operation), data)
	}
	env.Call(client.QueryJudgments, map[string]any{"reviewerId": m.ID}, nil)
	env.Call(client.GetProfile, map[string]any{"targetUserId": m.ID}, nil)
}

// named are the fields of a comment that name the person.
func (m Person) named() map[string]any {
	by := map[string]any{"by": m.User()}
	return map[string]any{
		"commentHtml": "<b>{{" + m.ID + "}}</b>", "context": by, "attachments": []any{map[string]any{"name": "a", "metadata": by}},
		"progress":           map[string]any{"state": "active", "visibleToUserIds": []string{m.ID}, "steps": []any{map[string]any{"label": "first", "metadata": by}}},
		"actions":            []any{map[string]any{"id": "x", "metadata": by}},
		"taggedUserContacts": []any{map[string]any{"userId": m.ID, "contact": map[string]any{"userId": m.ID, "name": m.Name, "email": m.Email}}},
	}
}

// thread are a comment of somebody else that tags the person, one of theirs, and one of an agent that found something about them.
func (m Person) thread(other string) []any {
	found := map[string]any{"title": "a", "description": "b", "severity": "low", "by": m.User()}
	return []any{
		Wrote(other, "An agent wrote this", map[string]any{"agent": map[string]any{"agentSource": "external", "agentName": "checker", "reason": found}}),
		Wrote(other, "Ask {{"+m.ID+"}} today", m.named()), Wrote(m.ID, "Ask {{"+m.ID+"}}", m.named(), map[string]any{"from": m.User()}),
	}
}

// writes adds annotations and comments, under both names of theirs.
func (m Person) writes(env *Env, other string) {
	env.T.Helper()
	by := map[string]any{"by": m.User()}
	for _, name := range []string{"commentData", "comments"} {
		Annotate(env, Made("e", map[string]any{
			"annotationId": name, name: m.thread(other), "assignedTo": m.User(), "context": by, "pageInfo": by, "type": "suggestion",
			"suggestion": map[string]any{"status": "pending", "by": m.ID}, "actions": []any{map[string]any{"id": "x", "metadata": by}},
			"visibility": map[string]any{"type": "restricted", "userIds": []string{m.ID, other}},
		}))
		Reply(env, Doc("e", map[string]any{"annotationId": name, name: m.thread(other)}))
	}
}

// changes what is there, in the name of the person and of others.
func (m Person) changes(env *Env, other string) {
	env.T.Helper()
	by := map[string]any{"by": m.User()}
	Items(env, client.UpdateComments, Doc("e", map[string]any{
		"annotationId": "comments", "userIds": []string{m.ID}, "actionUser": m.User(),
		"updatedData": With(m.named(), map[string]any{"commentText": "I ask {{" + m.ID + "}}", "from": m.User()}),
	}))
	done := map[string]any{"id": "DONE", "name": "Done", "type": "terminal", "color": "#0a7", "lightColor": "#dfd", "iconUrl": "https://done.test/"}
	selected := Doc("e", map[string]any{"annotationIds": []string{"comments"}, "userIds": []string{m.ID, other}, "actionUser": m.User()})
	Items(env, client.UpdateAnnotations, With(selected, map[string]any{"triggerActivities": true, "updatedData": map[string]any{
		"from": m.User(), "assignedTo": m.User(), "context": by, "statusUpdatedByUserId": m.ID, "resolvedByUserId": m.ID, "status": done,
		"suggestion": map[string]any{"status": "pending", "by": m.ID}, "actions": []any{map[string]any{"id": "x", "metadata": by}},
		"visibility": map[string]any{"type": "restricted", "userIds": []string{m.ID, other}},
	}}))
	m.replaces(env, "handed", map[string]any{"userId": "eve"}, m.User())
	m.replaces(env, "back", m.User(), map[string]any{"userId": other})
	AddActivities(env, "e", Activity(other, "x", map[string]any{
		"id": "changed", "entityTargetData": by, "displayMessageTemplate": "{{who}}", "displayMessageTemplateData": map[string]any{"who": m.Name},
	}))
	Items(env, client.UpdateActivities, InAcme(map[string]any{"activities": []any{map[string]any{
		"id": "changed", "changes": map[string]any{"who": map[string]any{"from": m.ID, "to": nil}}, "entityData": by, "entityTargetData": by,
		"displayMessageTemplateData": map[string]any{"who": m.Name},
	}}}))
}

// replaces puts a user in the place of another one in an annotation of both.
func (m Person) replaces(env *Env, annotationID string, before, after map[string]any) {
	env.T.Helper()
	Annotate(env, Made("e", Annotated(annotationID, map[string]any{"commentText": "a", "from": before}, map[string]any{"commentText": "b", "from": after})))
	Items(env, client.UpdateAnnotations, Doc("e", map[string]any{
		"annotationIds": []string{annotationID}, "updateUsers": []any{map[string]any{"oldUser": before, "newUser": after}},
	}))
}

// isNotified notifies others of the person, and changes what is said there.
func (m Person) isNotified(env *Env, other string) {
	env.T.Helper()
	by := map[string]any{"by": m.User()}
	says := map[string]any{
		"displayHeadlineMessageTemplate": "{by.name}", "displayHeadlineMessageTemplateData": by, "displayBodyMessageTemplate": "{by.email}",
		"displayBodyMessageTemplateData": by, "metadata": by, "notificationSourceData": by, "actionUser": m.User(),
	}
	users := []any{m.User(), map[string]any{"userId": other}}
	env.Call(client.AddNotification, Doc("e", says, map[string]any{"notificationId": "said", "notifyUsers": users}), nil)
	env.Call(client.AddNotification, Doc("e", says, map[string]any{"notificationId": "told", "notifyUsers": users, "actionUser": map[string]any{"userId": "eve"}}), nil)
	for _, change := range []map[string]any{{"id": "said", "readByUserIds": []string{m.ID}}, {"id": "told", "unreadByUserIds": []string{m.ID}}, With(says, map[string]any{"id": "said"})} {
		env.Call(client.UpdateNotifications, InAcme(map[string]any{"notifications": []any{change}}), nil)
	}
	env.Call(client.UpdateNotifications, InAcme(ForUser(m.ID), map[string]any{"allRead": true}), nil)
}

// isGranted grants the person more than they keep, and has them accept an invitation.
func (m Person) isGranted(env *Env) {
	env.T.Helper()
	by := map[string]any{"by": m.User()}
	env.Call(client.UpdateUsers, InAcme(map[string]any{"users": []any{m.User(map[string]any{"boss": m.ID})}}), nil)
	env.Call(client.AddUsers, InAcme(map[string]any{"users": []any{m.User()}, "documentId": "e", "context": by}), nil)
	Items(env, client.AddGroups, Groups("acme", "h"))
	member := InAcme(map[string]any{"organizationUserGroupId": "h", "userIds": []string{m.ID}})
	env.Call(client.AddGroupUsers, member, nil)
	env.Call(client.DeleteGroupUsers, member, nil)
	Grant(env, m.ID, Resource("document", "d"), Resource("document", "e"))
	Takes(env, m.ID, Resource("document", "e", map[string]any{"accessRole": m.ID, "expiresAt": m.ID}))
	var made redline.TokenResult
	env.Call(client.GenerateToken, map[string]any{"userId": m.ID, "userProperties": map[string]any{"name": m.Name, "email": m.Email}}, &made)
	invited := InAcme(map[string]any{"email": m.Email, "type": "doc_user", "documentId": "e"})
	env.Call(client.AddInvitation, With(invited, map[string]any{"invitedBy": m.User()}), nil)
	env.Call(client.RespondInvitation, With(invited, map[string]any{"status": "ACCEPTED", "user": m.User(), "authToken": made.Data.Token}), nil)
}

// judges records judgments of the person, and of agents that name them.
func (m Person) judges(env *Env, other string) {
	env.T.Helper()
	agents := map[string]any{"judgeType": "agent", "agent": map[string]any{"agentName": "checker", "agentFields": map[string]any{"asked": m.User()}}}
	Record(env, Verdict(other, "approve", agents))
	Record(env, Listed(Verdict(m.ID, "approve", map[string]any{"actionUser": m.User()}), Verdict(other, "reject", agents)))
}

// deletes annotations and comments in the name of the person, and takes them out of a document.
func (m Person) deletes(env *Env, other string) {
	env.T.Helper()
	Annotate(env, Made("e", Annotated("gone", Wrote(m.ID, "a", Loud)), Annotated("shorter", Wrote(other, "a"), Wrote(m.ID, "b", Loud))))
	mine := map[string]any{"userIds": []string{m.ID}, "actionUser": m.User(), "triggerActivities": true}
	env.Call(client.DeleteComments, Doc("e", mine, map[string]any{"annotationId": "shorter"}), nil)
	env.Call(client.DeleteAnnotations, Doc("e", mine, map[string]any{"annotationIds": []string{"gone"}}), nil)
	env.Call(client.DeleteNotifications, Doc("e", ForUser(m.ID)), nil)
	env.Call(client.DeleteUsers, InAcme(map[string]any{"userIds": []string{m.ID}, "documentId": "e", "context": map[string]any{"by": m.User()}}), nil)
}

// looksUp are the reads that narrow by the person, by their operations.
func (m Person) looksUp() map[string]map[string]any {
	these, named := []string{m.ID}, map[string]any{"userId": m.ID, "email": m.Email, "userIds": []string{m.ID}, "viewerUserId": m.ID}
	only := func(keys ...string) map[string]any {
		data := InAcme(map[string]any{})
		for _, key := range keys {
			data[key] = named[key]
		}
		return data
	}
	filters := map[string]any{"filters": []any{map[string]any{"key": "owner", "operator": "==", "value": m.ID}}}
	return map[string]map[string]any{
		GetComments: Doc("e", only("userIds"), map[string]any{"annotationId": "comments"}), GetAnnotations: Doc("e", only("userIds")),
		CountNotes: InAcme(only("userId"), map[string]any{"documentIds": []string{"e"}}), CountAgain: InAcme(only("userId"), map[string]any{"documentIds": []string{"e"}}),
		client.GetComments:    Doc("e", only("userIds", "viewerUserId"), map[string]any{"annotationId": "comments"}),
		client.GetAnnotations: Doc("e", only("userIds", "viewerUserId"), map[string]any{"mentionedUserIds": these, "resolvedBy": m.ID}),
		client.GetActivities:  only("userId", "viewerUserId"), client.GetPermissions: only("userIds"), client.GetPreferences: InAcme(only("userId"), map[string]any{"getOrganizationConfig": true}), client.GetNotifications: only("userId"),
		client.GetDocuments: InAcme(filters), client.CountDocuments: InAcme(filters), client.CountUsers: only("userId"), client.GetUserData: only("userId"),
		client.GetDocumentUsers: only("userIds"), client.GetUsers: only("userIds"), client.GetInvitations: only("email"), client.GetInvitationsOf: only("email"),
	}
}

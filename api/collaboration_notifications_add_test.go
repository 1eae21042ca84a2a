package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// telling returns a call that notifies users of something in the document d.
func telling(more ...map[string]any) map[string]any {
	call := kit.Doc("d", map[string]any{
		"actionUser": map[string]any{"userId": "ann", "name": "Ann {what}"}, "displayHeadlineMessageTemplate": "{actionUser.name} printed { what }{gone}",
		"displayHeadlineMessageTemplateData": map[string]any{"what": "{x}", "actionUser": "nobody"}, "displayBodyMessage": "As it is: {what}",
	})
	for _, fields := range more {
		call = kit.With(call, fields)
	}
	return call
}

// toUsers returns the fields that name who is told.
func toUsers(ids ...string) map[string]any {
	users := make([]any, len(ids))
	for i, id := range ids {
		users[i] = map[string]any{"userId": id}
	}
	return map[string]any{"notifyUsers": users}
}

// told makes a call of notifications/add and returns the id and how many are told.
func told(env *kit.Env, call map[string]any) (id string, recipients int) {
	env.T.Helper()
	added, err := client.Call[redline.AddedNotificationResult](env.Ctx, env.Keyed, client.AddNotification, call)
	require.NoError(env.T, err)
	if added.Data.NotificationID != nil {
		id = *added.Data.NotificationID
	}
	return id, int(added.Data.Recipients)
}

// withMembers makes the document d in acme, whose members are these users.
func withMembers(t *testing.T, ids ...string) *kit.Env {
	t.Helper()
	env := newWorkspace(t)
	withDocuments(env, `{"documentId":"d"}`)
	env.Call(client.AddUsers, acme("users", toUsers(ids...)["notifyUsers"]), nil)
	return env
}

func TestNotificationsAdd_WhatItSays(t *testing.T) {
	env := withMembers(t, "ann", "bob")
	id, n := told(env, telling(toUsers("ann", "bob"), map[string]any{
		"notificationSourceData": map[string]any{"job": 1.10}, "metadata": map[string]any{"copies": 2}, "location": map[string]any{"locationId": "p1"},
	}))
	require.Equal(t, 1, n, "who causes it is not told")
	found := kit.Notices(env, kit.ForUser("bob"))
	require.Len(t, found, 1)
	one := found[0]
	require.Equal(t, id, one.ID)
	require.Equal(t, []string{"custom", "direct", "Ann {what} printed {x}", "As it is: {what}"},
		[]string{string(one.NotificationSource), string(one.Reason), one.DisplayHeadlineMessage, one.DisplayBodyMessage})
	require.Equal(t, redline.NotificationMetadata{OrganizationID: "acme", DocumentID: "d", AdditionalProperties: map[string]redline.JSON{"copies": redline.JSON("2")}}, one.Metadata)
	reply := kit.OlderReply(env, "/v2/"+client.GetNotifications, acme("documentId", "d"))
	require.Contains(t, string(reply.Body), `"notificationSourceData":{"annotationId":null,"commentId":null,"documentId":"d","job":1.1}`)
	require.Len(t, kit.Notices(env, kit.ForUser("bob"), map[string]any{"locationId": "p1"}), 1)
	require.Empty(t, kit.Notices(env, kit.ForUser("bob"), map[string]any{"locationId": "p2"}))
	env.Call(client.UpdateNotifications, acme("userId", "bob", "allRead", true), nil)
	require.Equal(t, "bob direct read", kit.Notified(kit.Notices(env, kit.ForUser("bob"))[0]))
}

func TestNotificationsAdd_1_OneID(t *testing.T) {
	env := withMembers(t, "bob")
	var added atomic.Int64
	kit.Concurrently(50, func(int) {
		_, err := client.Call[any](env.Ctx, env.Keyed, client.AddNotification, telling(toUsers("bob"), map[string]any{"notificationId": "mine"}))
		if err == nil {
			added.Add(1)
		} else {
			kit.NoError(t, sameStatus(err, "ALREADY_EXISTS"))
		}
	})
	require.EqualValues(t, 1, added.Load())
	require.Equal(t, "mine", kit.Notices(env, kit.ForUser("bob"))[0].ID)
	require.Len(t, kit.Notices(env, kit.ForUser("bob"), map[string]any{"notificationIds": []string{"mine", "gone"}}), 1)
	served, _ := told(env, telling(toUsers("bob")))
	env.RefusedAs("ALREADY_EXISTS", client.AddNotification, telling(toUsers("bob"), map[string]any{"notificationId": served}))
	entries := kit.Items(env, client.DeleteNotifications, acme("notificationIds", []string{"mine", "gone"}))
	require.True(t, entries["mine"].Success)
	require.Equal(t, redline.ItemCodeNotFound, entries["gone"].Code)
	require.Len(t, kit.Notices(env, kit.ForUser("bob")), 1)
	other := kit.Elsewhere(env)
	other.Call(client.AddDocuments, acme("createOrganization", true, "documents", []any{map[string]any{"documentId": "d"}}), nil)
	id, _ := told(other, telling(toUsers("bob"), map[string]any{"notificationId": served}))
	require.Equal(t, served, id, "an id of another workspace is free")
	env.Call(client.DeleteDocuments, acme("documentIds", []string{"d"}), nil)
	env.Call(client.AddDocuments, acme("documents", []any{map[string]any{"documentId": "d"}}), nil)
	_, n := told(env, telling(toUsers("bob"), map[string]any{"notificationId": "mine"}))
	require.Equal(t, 1, n)
}

// sameStatus is an error unless a call was refused with the status.
func sameStatus(err error, status string) error {
	if refused := redline.AsError(err); refused != nil && string(refused.Status) == status {
		return nil
	}
	return err
}

func TestNotificationsAdd_2_WhoIsNamedIsMeant(t *testing.T) {
	env := withMembers(t, "ann", "bob", "eve", "joe")
	_, n := told(env, telling(toUsers("bob")))
	require.Equal(t, 1, n)
	_, n = told(env, telling())
	require.Equal(t, 3, n, "without names all members are")
	_, n = told(env, telling(toUsers("guest", "bob"), map[string]any{"notifyAll": true}))
	require.Equal(t, 4, n)
	kit.Wants(env, map[string]any{"inbox": "NONE"}, []string{"bob"})
	id, n := told(env, telling(toUsers("bob", "ann"), map[string]any{"notificationId": "x"}))
	require.Equal(t, []any{"", 0}, []any{id, n}, "nobody is left")
	require.Len(t, kit.Notices(env, kit.InDocument("d")), 3)
}

func TestNotificationsAdd_4_TheDocumentBecomesRestricted(t *testing.T) {
	env := withMembers(t, "bob")
	env.Call(client.AddUsers, acme("documentId", "d", "users", toUsers("eve")["notifyUsers"]), nil)
	told(env, telling(toUsers("bob", "eve")))
	env.Call(client.SetAccess, acme("documentIds", []string{"d"}, "accessType", "restricted"), nil)
	require.Empty(t, kit.Notices(env, kit.ForUser("bob")))
	require.Len(t, kit.Notices(env, kit.ForUser("eve")), 1)
	_, n := told(env, telling(toUsers("bob", "eve")))
	require.Equal(t, 1, n)
}

func TestNotificationsAdd_6_DeniedAndNothingIsMade(t *testing.T) {
	env := withMembers(t, "bob")
	env.Call(client.UpdateOrganizations, map[string]any{"organizations": []any{map[string]any{"organizationId": "acme", "accessType": "organizationPrivate"}}}, nil)
	call := telling(toUsers("bob"), map[string]any{"documentId": "new", "createDocument": true, "verifyUserPermissions": true})
	env.RefusedAs("PERMISSION_DENIED", client.AddNotification, call)
	ids, _ := idsOf(env, client.GetDocuments, "id", acme())
	require.Equal(t, []string{"d"}, ids)
	require.Equal(t, redline.ProblemStatusNotFound, env.Refused(client.AddNotification, telling(map[string]any{"documentId": "new"})).Status)
	env.Call(client.DisableDocuments, switches(true), nil)
	require.Equal(t, redline.ErrorDetailsReasonAccessDisabled, env.RefusedAs("FAILED_PRECONDITION", client.AddNotification, telling()).Reason)
}

func TestNotificationsAdd_WhatIsSentIsChecked(t *testing.T) {
	env := withMembers(t, "bob")
	bare := kit.Doc("d", map[string]any{"actionUser": map[string]any{"userId": "ann"}})
	require.Len(t, env.RefusedAs("INVALID_ARGUMENT", client.AddNotification, bare).Issues, 2)
	_, n := told(env, kit.With(bare, map[string]any{"isNotificationResolverUsed": true}))
	require.Equal(t, 1, n)
	require.Equal(t, "displayBodyMessageTemplate", refusedAt(env, "conflict", client.AddNotification, telling(map[string]any{"displayBodyMessageTemplate": "x"})))
	large := map[string]any{"a": strings.Repeat("x", 8000)}
	told(env, telling(map[string]any{"displayHeadlineMessageTemplate": strings.Repeat("{a}", 600), "displayHeadlineMessageTemplateData": large}))
	for _, found := range kit.Notices(env, kit.ForUser("bob")) {
		require.LessOrEqual(t, len(found.DisplayHeadlineMessage), 2000)
	}
}

// manyMembers adds so many members.
func manyMembers(env *kit.Env, n int) {
	env.T.Helper()
	_, err := env.DB().Exec(env.Ctx, `
WITH made AS (
    INSERT INTO profiles (organization_key, user_id, workspace_id) SELECT o.key, 'm' || i, $1 FROM organizations o, generate_series(1, $2) i WHERE o.workspace_id = $1
    RETURNING organization_key, user_id)
INSERT INTO grants (organization_key, workspace_id, user_id, role) SELECT organization_key, $1, user_id, 'editor' FROM made`, env.Workspace.ID, n)
	require.NoError(env.T, err)
}

// More than a transaction notifies are left to a job; its rows are there with the answer.
func TestNotificationsAdd_ManyAreToldByAJob(t *testing.T) {
	env := withMembers(t, "bob")
	manyMembers(env, 10_500)
	_, n := told(env, telling())
	require.Equal(t, 10501, n)
	var at, later int
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT (SELECT count(*) FROM notification_recipients WHERE workspace_id = $1),
(SELECT sum(json_array_length(portion->'recipients')) FROM notification_portions WHERE workspace_id = $1)`, env.Workspace.ID).Scan(&at, &later))
	require.Equal(t, []int{10_000, 501}, []int{at, later})
}

func TestNotificationsUpdate_WhatACallerSays(t *testing.T) {
	env := withMembers(t, "ann", "bob")
	id, _ := told(env, telling(toUsers("bob")))
	env.Call(client.UpdateNotifications, acme("notifications", []any{map[string]any{"id": id, "readByUserIds": []string{"bob"}}}), nil)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "hello {{bob}}", kit.Loud))))
	var comment string
	for _, found := range kit.Notices(env, kit.ForUser("bob")) {
		if found.NotificationSource == "comment" {
			comment = found.ID
		}
	}
	edit := func(id string) map[string]any {
		return map[string]any{
			"id": id, "readByUserIds": []string{"bob"}, "displayBodyMessageTemplate": "{n} copies", "displayBodyMessageTemplateData": map[string]any{"n": 3},
			"actionUser": map[string]any{"userId": "eve", "name": "Eve"},
		}
	}
	entries := kit.Items(env, client.UpdateNotifications, acme("notifications", []any{edit(id), edit(comment)}))
	require.True(t, entries[id].Success)
	require.Equal(t, redline.ItemCodeNotEditable, entries[comment].Code)
	shown := map[string]string{}
	for _, found := range kit.Notices(env, kit.ForUser("bob")) {
		shown[found.ID] = fmt.Sprint(found.DisplayHeadlineMessage, " | ", found.DisplayBodyMessage, " | ", kit.Notified(found))
	}
	require.Equal(t, "Eve printed {x} | 3 copies | bob direct read", shown[id])
	require.Contains(t, shown[comment], "hello {{bob}} | bob mention")
	require.NotContains(t, shown[comment], "read", "neither the text nor the mark")

	env.Call(client.UpdateOrganizations, map[string]any{"organizations": []any{map[string]any{"organizationId": "acme", "accessType": "organizationPrivate"}}}, nil)
	call := acme("verifyUserPermissions", true, "notifications", []any{kit.With(edit(id), map[string]any{"displayBodyMessageTemplate": "denied"})})
	env.RefusedAs("PERMISSION_DENIED", client.UpdateNotifications, call)
	for _, found := range kit.Notices(env, kit.InDocument("d")) {
		require.NotEqual(t, "denied", found.DisplayBodyMessage)
	}
	var element json.RawMessage = []byte(`{"id":"` + id + `","displayBodyMessage":"x","displayBodyMessageTemplate":"y"}`)
	require.Equal(t, "notifications.0.displayBodyMessageTemplate", refusedAt(env, "conflict", client.UpdateNotifications, acme("notifications", []any{element})))
}

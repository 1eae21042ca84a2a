package api_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// setting is the state of an operation on settings.
func setting(env *kit.Env, operation string, data map[string]any) string {
	env.T.Helper()
	raw, err := client.Call[client.Wrapped[json.RawMessage]](env.Ctx, env.Keyed, operation, data)
	require.NoError(env.T, err)
	return string(raw.Data)
}

// in nests a value: the last name is innermost.
func in(value any, names ...string) map[string]any {
	nested := map[string]any{names[len(names)-1]: value}
	for i := len(names) - 2; i >= 0; i-- {
		nested = map[string]any{names[i]: nested}
	}
	return nested
}

const allActions = `"comment_annotation.add":true,"comment_annotation.update":true,"comment_annotation.delete":true,"comment_annotation.status_change":true,
"comment_annotation.assign":true,"comment_annotation.priority_change":true,"comment_annotation.suggestion_accept":true,"comment_annotation.suggestion_reject":true,
"comment.update":true,"comment.delete":true`

func TestActivitySettings_WhatTheServiceWrites(t *testing.T) {
	env := newWorkspace(t)
	require.JSONEq(t, `{"activityServiceConfig":{"isEnabled":true,"enabledTime":null,"immutable":true,"triggers":{"comment.add":true,`+allActions+`}}}`,
		setting(env, client.GetActivitySettings, map[string]any{}))
	set := func(value any, names ...string) {
		env.T.Helper()
		setting(env, client.UpdateActivitySettings, in(value, append([]string{"activityServiceConfig"}, names...)...))
	}
	recorded := func() []string {
		ids, _ := idsOf(env, client.GetActivities, "actionType", acme())
		return ids
	}
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "one", kit.TriggerActivities), kit.Wrote("ann", "two", kit.TriggerActivities))))
	require.Len(t, recorded(), 2)
	set(false, "triggers", "comment.add")
	kit.Annotate(env, kit.Made("d", kit.Annotated("b", kit.Wrote("ann", "one", kit.TriggerActivities), kit.Wrote("ann", "two", kit.TriggerActivities))))
	require.Len(t, recorded(), 3, "no comment.add")
	set(false, "immutable")
	kit.Annotate(env, kit.Made("d", kit.Annotated("c", kit.Wrote("ann", "one", kit.TriggerActivities))))
	deleted, err := client.Call[redline.DeletedActivities](env.Ctx, env.Keyed, client.DeleteActivities, acme("documentId", "d"))
	require.NoError(t, err)
	require.Equal(t, []int{1, 3}, []int{len(deleted.Data), int(deleted.ImmutableKept)}, "those of before stay immutable")
	set(false, "isEnabled")
	kit.Annotate(env, kit.Made("d", kit.Annotated("e", kit.Wrote("ann", "one", kit.TriggerActivities))))
	require.Len(t, recorded(), 3)
	activity := acme("documentId", "d", "activities", []any{kit.Activity("ann", "x")})
	require.Equal(t, "activities-disabled", kit.Details(env, client.ActivitiesAdd, activity)["reason"])
	set(true, "isEnabled")
	env.Call(client.ActivitiesAdd, activity, nil)
	require.NotContains(t, setting(env, client.GetActivitySettings, map[string]any{}), `"enabledTime":null`)
}

func TestNotificationSettings_ReasonsThatAreOff(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, acme("users", []any{map[string]any{"userId": "bob"}, map[string]any{"userId": "joe"}}), nil)
	env.Call(client.SetPreferences, acme("userIds", []string{"joe"}, "config", map[string]any{"inbox": "ALL"}), nil)
	set := func(reason string, on bool) {
		env.T.Helper()
		setting(env, client.UpdateNotificationSettings, in(on, "notificationServiceConfig", "triggers", reason))
	}
	told := func(annotationID, user string) (reason string) {
		for _, n := range kit.Notices(env, kit.ForUser(user)) {
			if about := n.NotificationSourceData.AnnotationID; about != nil && *about == annotationID {
				reason = string(n.Recipients[0].Reason)
			}
		}
		return reason
	}
	say := func(annotationID string) {
		kit.Annotate(env, kit.Made("d", kit.With(kit.Annotated(annotationID, kit.Wrote("ann", "{{bob}}", kit.Loud)), map[string]any{"assignedTo": map[string]any{"userId": "bob"}})))
	}
	say("one")
	require.Equal(t, []string{"mention", "all"}, []string{told("one", "bob"), told("one", "joe")})
	set("mention", false)
	set("all", false)
	say("two")
	require.Equal(t, []string{"assignment", ""}, []string{told("two", "bob"), told("two", "joe")}, "the next rule names them")
	set("assignment", false)
	say("three")
	require.Empty(t, told("three", "bob"))
	set("mention", true)
	setting(env, client.UpdateNotificationSettings, in(false, "useNotificationService"))
	say("four")
	require.Empty(t, told("four", "bob"))
	add := acme("documentId", "d", "actionUser", map[string]any{"userId": "ann"}, "notifyUsers", []any{map[string]any{"userId": "bob"}},
		"displayHeadlineMessageTemplate", "x", "displayBodyMessage", "y")
	require.Equal(t, "notifications-disabled", kit.Details(env, client.AddNotification, add)["reason"])
	require.NotEmpty(t, told("one", "bob"), "what was there is read on")
}

func TestNotificationSettings_5_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	before := setting(env, client.GetNotificationSettings, map[string]any{})
	require.JSONEq(t, `{"useNotificationService":true,"notificationServiceConfig":{"triggers":{"mention":true,"reply":true,"assignment":true,"all":true},
"delayConfig":{"isEnabled":false,"delaySeconds":300},"batchConfig":{"document":{"isEnabled":false,"batchWindowSeconds":300,"maxActivities":10},
"user":{"isEnabled":false,"batchWindowSeconds":300,"maxActivities":10}}}}`, before)
	const config = "notificationServiceConfig"
	for code, data := range map[string]map[string]any{
		"range": in(9, config, "delayConfig", "delaySeconds"), "unknown-key": in(true, config, "triggers", "digest"),
		"type": in(nil, config, "delayConfig"), "required": {},
	} {
		require.Equal(t, code, env.RefusedAs("INVALID_ARGUMENT", client.UpdateNotificationSettings, data).Issues[0].Code)
	}
	for _, wrong := range []map[string]any{
		in(15552001, config, "delayConfig", "delaySeconds"), in(51, config, "batchConfig", "user", "maxActivities"), in(1, config, "batchConfig", "user", "maxActivities"),
		in(604801, config, "batchConfig", "document", "batchWindowSeconds"), in(map[string]any{}, config),
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.UpdateNotificationSettings, wrong)
	}
	require.Equal(t, before, setting(env, client.GetNotificationSettings, map[string]any{}), "nothing is stored")
}

func TestNotificationSettings_6and7_TwoFieldsAtOnceAndTheWebhookFirst(t *testing.T) {
	env := newWorkspace(t)
	var all sync.WaitGroup
	for _, change := range []map[string]any{
		in(map[string]any{"isEnabled": true, "delaySeconds": 60}, "notificationServiceConfig", "delayConfig"),
		in(false, "notificationServiceConfig", "triggers", "all"), in(7, "notificationServiceConfig", "batchConfig", "user", "maxActivities"),
	} {
		all.Go(func() { setting(env, client.UpdateNotificationSettings, change) })
	}
	all.Wait()
	after := setting(env, client.GetNotificationSettings, map[string]any{})
	for _, part := range []string{`"delaySeconds":60`, `"all":false`, `"maxActivities":7`} {
		require.Contains(t, after, part)
	}
	kit.Hooked(env)
	kit.EndpointAt(env, "/told")
	env.Call(client.UpdateEmails, map[string]any{"useEmailService": true}, nil)
	env.Call(client.AddUsers, acme("users", []any{map[string]any{"userId": "bob", "email": "bob@example.com"}}), nil)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "{{bob}}", kit.Loud))))
	var hooks, mails int
	require.NoError(t, env.DB().QueryRow(env.Ctx, `
SELECT count(*) FILTER (WHERE v.message_id IS NOT NULL AND o.due_at <= clock_timestamp()), count(*) FILTER (WHERE v.mail_id IS NOT NULL AND o.due_at > clock_timestamp() + interval '30 seconds')
FROM deliveries v JOIN open_deliveries o ON o.id = v.id WHERE v.workspace_id = $1`, env.Workspace.ID).Scan(&hooks, &mails))
	require.Equal(t, []int{2, 1}, []int{hooks, mails})
}

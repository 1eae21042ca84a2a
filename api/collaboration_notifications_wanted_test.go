package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestNotificationsConfig_DocumentThenOrganization(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "a"))))
	kit.Annotate(env, kit.Made("e", kit.Annotated("m", kit.Wrote("ann", "a"))))
	require.Equal(t, []string{" MINE/MINE", "e MINE/MINE", "d MINE/MINE"}, kit.Wanted(env, "bob", "e", "nowhere", "d"))
	kit.Wants(env, map[string]any{"inbox": "ALL"}, []string{"bob", "eve"})
	kit.Wants(env, map[string]any{"email": "NONE"}, []string{"bob"}, "d")
	require.Equal(t, []string{" ALL/MINE", "d ALL/NONE", "e ALL/MINE"}, kit.Wanted(env, "bob", "d", "e"))
	kit.Wants(env, map[string]any{"email": "ALL"}, []string{"bob"})
	kit.Wants(env, map[string]any{"inbox": "NONE"}, []string{"bob"}, "d")
	require.Equal(t, []string{" ALL/ALL", "d NONE/NONE", "e ALL/ALL"}, kit.Wanted(env, "bob", "d", "e"))
	require.Equal(t, []string{" ALL/MINE"}, kit.Wanted(env, "eve"))
	set := map[string]any{"userIds": []string{"eve", "bob", "eve"}, "documentIds": []string{"d"}, "config": map[string]any{"inbox": "MINE"}}
	var result client.Wrapped[map[string]map[string]any]
	env.Call(client.SetPreferences, kit.InAcme(set), &result)
	require.Len(t, result.Data, 2)
	require.Equal(t, map[string]any{"success": true, "userId": "eve", "documentIds": []any{"d"}, "message": "Preference set."}, result.Data["eve"])
	require.Empty(t, kit.Wanted(kit.Elsewhere(env), "bob", "d"))
}

func TestNotificationsConfig_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "a"))))
	call := map[string]any{"userIds": []string{"bob"}, "documentIds": []string{"d", "nowhere"}, "config": map[string]any{"inbox": "ALL"}}
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "document", "id": "nowhere"}, kit.Details(env, client.SetPreferences, kit.InAcme(call)))
	require.Equal(t, []string{" MINE/MINE", "d MINE/MINE"}, kit.Wanted(env, "bob", "d"), "nothing was written")
	require.Equal(t, "organization", kit.Details(env, client.SetPreferences, kit.InAcme(call, map[string]any{"organizationId": "nowhere"}))["resource"])
	for field, change := range map[string]map[string]any{
		"config": {"config": map[string]any{}}, "userIds": {"userIds": []string{}}, "documentIds": {"documentIds": kit.Many(31)},
	} {
		require.Equal(t, field, env.RefusedAs("INVALID_ARGUMENT", client.SetPreferences, kit.InAcme(call, change)).Issues[0].Path[0])
	}
	require.Equal(t, []string{"userIds"}, env.RefusedAs("INVALID_ARGUMENT", client.SetPreferences, kit.InAcme(call, map[string]any{"userIds": kit.Many(101)})).Issues[0].Path)
	require.Equal(t, []string{"config", "email"}, env.RefusedAs("INVALID_ARGUMENT", client.SetPreferences, kit.InAcme(call, map[string]any{"config": map[string]any{"email": "SOME"}})).Issues[0].Path)
	require.Equal(t, []string{"documentIds"}, env.RefusedAs("INVALID_ARGUMENT", client.GetPreferences, kit.InAcme(kit.ForUser("bob"))).Issues[0].Path)
}

// An edit tells those whom it tags, nobody else.
func TestNotificationsConfig_EditsAreNotForAll(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "1", map[string]any{"commentId": 1}))))
	kit.Wants(env, map[string]any{"inbox": "ALL"}, []string{"all"})
	kit.Items(env, client.UpdateComments, kit.Doc("d", map[string]any{
		"annotationId": "n", "commentIds": []int{1}, "updatedData": kit.Says("2 {{bob}}"), "triggerNotification": true,
	}))
	found := kit.Notices(env, kit.InDocument("d"))
	require.Len(t, found, 1)
	require.Equal(t, "bob mention", kit.Notified(found[0]))
	require.Nil(t, found[0].ActionUser)
	require.Equal(t, "ann mentioned you in “d”", found[0].DisplayHeadlineMessage, "nobody else is named")
}

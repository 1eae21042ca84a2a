package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestNotificationsConfig_DocumentThenOrganization(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "a"))))
	s.annotate(made("e", annotated("m", wrote("ann", "a"))))
	require.Equal(t, []string{" MINE/MINE", "e MINE/MINE", "d MINE/MINE"}, s.wanted("bob", "e", "nowhere", "d"))
	s.wants(map[string]any{"inbox": "ALL"}, []string{"bob", "eve"})
	s.wants(map[string]any{"email": "NONE"}, []string{"bob"}, "d")
	require.Equal(t, []string{" ALL/MINE", "d ALL/NONE", "e ALL/MINE"}, s.wanted("bob", "d", "e"))
	s.wants(map[string]any{"email": "ALL"}, []string{"bob"})
	s.wants(map[string]any{"inbox": "NONE"}, []string{"bob"}, "d")
	require.Equal(t, []string{" ALL/ALL", "d NONE/NONE", "e ALL/ALL"}, s.wanted("bob", "d", "e"))
	require.Equal(t, []string{" ALL/MINE"}, s.wanted("eve"))
	set := map[string]any{"userIds": []string{"eve", "bob", "eve"}, "documentIds": []string{"d"}, "config": map[string]any{"inbox": "MINE"}}
	var result client.Wrapped[map[string]map[string]any]
	s.call(setPreferences, inAcme(set), &result)
	require.Len(t, result.Data, 2)
	require.Equal(t, map[string]any{"success": true, "userId": "eve", "documentIds": []any{"d"}, "message": "Preference set."}, result.Data["eve"])
	require.Empty(t, s.elsewhere().wanted("bob", "d"))
}

func TestNotificationsConfig_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "a"))))
	call := map[string]any{"userIds": []string{"bob"}, "documentIds": []string{"d", "nowhere"}, "config": map[string]any{"inbox": "ALL"}}
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "document", "id": "nowhere"}, s.details(setPreferences, inAcme(call)))
	require.Equal(t, []string{" MINE/MINE", "d MINE/MINE"}, s.wanted("bob", "d"), "nothing was written")
	require.Equal(t, "organization", s.details(setPreferences, inAcme(call, map[string]any{"organizationId": "nowhere"}))["resource"])
	for field, change := range map[string]map[string]any{
		"config": {"config": map[string]any{}}, "userIds": {"userIds": []string{}}, "documentIds": {"documentIds": many(31)},
	} {
		require.Equal(t, field, s.refusedAs("INVALID_ARGUMENT", setPreferences, inAcme(call, change)).Issues[0].Path[0])
	}
	require.Equal(t, []string{"userIds"}, s.refusedAs("INVALID_ARGUMENT", setPreferences, inAcme(call, map[string]any{"userIds": many(101)})).Issues[0].Path)
	require.Equal(t, []string{"config", "email"}, s.refusedAs("INVALID_ARGUMENT", setPreferences, inAcme(call, map[string]any{"config": map[string]any{"email": "SOME"}})).Issues[0].Path)
	require.Equal(t, []string{"documentIds"}, s.refusedAs("INVALID_ARGUMENT", getPreferences, inAcme(forUser("bob"))).Issues[0].Path)
}

// An edit tells those whom it tags, nobody else.
func TestNotificationsConfig_EditsAreNotForAll(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "1", map[string]any{"commentId": 1}))))
	s.wants(map[string]any{"inbox": "ALL"}, []string{"all"})
	s.items(updateComments, doc("d", map[string]any{
		"annotationId": "n", "commentIds": []int{1}, "updatedData": says("2 {{bob}}"), "triggerNotification": true,
	}))
	found := s.notices(inDocument("d"))
	require.Len(t, found, 1)
	require.Equal(t, "bob mention", found[0].notified())
	require.JSONEq(t, "null", string(found[0].ActionUser))
	require.Equal(t, "ann mentioned you in “d”", found[0].DisplayHeadlineMessage, "nobody else is named")
}

package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestNotificationsGet_Filters(t *testing.T) {
	env := kit.NewWorkspace(t)
	ids := kit.ThreeNotices(env)
	bob := kit.ForUser("bob")
	for _, c := range []struct {
		filter []map[string]any
		want   []string
	}{
		{[]map[string]any{bob, kit.InDocument("d")}, []string{"2 {{bob}}", "1 {{bob}} {{eve}}"}},
		{[]map[string]any{bob, kit.InDocument("d"), {"order": "asc"}}, []string{"1 {{bob}} {{eve}}", "2 {{bob}}"}},
		{[]map[string]any{kit.InDocument("d"), {"locationId": "page-1"}}, []string{"1 {{bob}} {{eve}}"}},
		{[]map[string]any{bob, {"locationId": "page-2"}}, []string{}},
		{[]map[string]any{bob, {"notificationIds": []string{ids["3 {{bob}}"], "nothing", ids["1 {{bob}} {{eve}}"]}}}, []string{"3 {{bob}}", "1 {{bob}} {{eve}}"}},
		{[]map[string]any{bob, kit.InDocument("nowhere")}, []string{}},
		{[]map[string]any{bob, {"organizationId": "nowhere"}}, []string{}},
		{[]map[string]any{kit.ForUser("stranger")}, []string{}},
	} {
		require.Equal(t, c.want, kit.NoticeBodies(kit.Notices(env, c.filter...)), "%v", c.filter)
	}
	kit.Items(env, client.UpdateNotifications, kit.InAcme(map[string]any{"notifications": []any{map[string]any{"id": ids["1 {{bob}} {{eve}}"], "readByUserIds": []string{"bob"}}}}))
	unread := map[string]any{"unreadOnly": true}
	require.Equal(t, []string{"3 {{bob}}", "2 {{bob}}"}, kit.NoticeBodies(kit.Notices(env, bob, unread)))
	require.Equal(t, []string{"2 {{bob}}", "1 {{bob}} {{eve}}"}, kit.NoticeBodies(kit.Notices(env, kit.InDocument("d"), unread)), "eve has not read it")
	one := kit.Notices(env, bob, kit.InDocument("d"), map[string]any{"order": "asc"})[0]
	require.Equal(t, "bob mention read", kit.Notified(one))
	require.True(t, one.IsRead)
	require.Empty(t, kit.Notices(kit.Elsewhere(env), bob))

	kit.Items(env, client.DeleteAnnotations, kit.Doc("e", map[string]any{"annotationIds": []string{"o"}}))
	require.Equal(t, []string{"2 {{bob}}", "1 {{bob}} {{eve}}"}, kit.NoticeBodies(kit.Notices(env, bob)))
	kit.Migrated(env, kit.Migrates(env, "d", "moved"))
	require.Equal(t, "moved", kit.Notices(env, bob, kit.InDocument("moved"))[0].Metadata.DocumentID)
	kit.Items(env, client.DeleteDocuments, kit.InAcme(map[string]any{"documentIds": []string{"moved"}}))
	require.Empty(t, kit.Notices(env, bob))
}

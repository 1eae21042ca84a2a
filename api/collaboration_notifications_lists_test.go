package api_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestNotificationsGet_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.ThreeNotices(env)
	invalid := func(operation, field string, data map[string]any) {
		t.Helper()
		require.Equal(t, field, env.RefusedAs("INVALID_ARGUMENT", operation, data).Issues[0].Path[0])
	}
	invalid(client.GetNotifications, "documentId", kit.InAcme())
	invalid(client.GetNotifications, "notificationIds", kit.InAcme(kit.ForUser("bob"), map[string]any{"notificationIds": kit.Many(31)}))
	invalid(client.GetNotifications, "order", kit.InAcme(kit.ForUser("bob"), map[string]any{"order": "up"}))
	var page redline.NotificationListResult
	env.Call(client.GetNotifications, kit.InAcme(kit.ForUser("bob"), map[string]any{"pageSize": 1}), &page)
	invalid(client.GetNotifications, "pageToken", kit.InAcme(kit.ForUser("eve"), map[string]any{"pageToken": page.NextPageToken}))
	env.Call(client.UpdateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	require.Equal(t, redline.ErrorDetailsReasonAdvancedQueriesDisabled, env.RefusedAs("FAILED_PRECONDITION", client.GetNotifications, kit.InAcme(kit.ForUser("bob"))).Reason)

	one := map[string]any{"id": "x", "readByUserIds": []string{"bob"}}
	invalid(client.UpdateNotifications, "notifications", kit.InAcme())
	invalid(client.UpdateNotifications, "notifications", kit.InAcme(kit.ForUser("bob")))
	invalid(client.UpdateNotifications, "userId", kit.InAcme(map[string]any{"allRead": true}))
	invalid(client.UpdateNotifications, "allRead", kit.InAcme(kit.ForUser("bob"), map[string]any{"allRead": true, "notifications": []any{one}}))
	invalid(client.UpdateNotifications, "notifications", kit.InAcme(map[string]any{"notifications": []any{one, one}}))
	invalid(client.UpdateNotifications, "notifications", kit.InAcme(map[string]any{"notifications": []any{kit.With(one, map[string]any{"unreadByUserIds": []string{"bob"}})}}))
	invalid(client.DeleteNotifications, "notificationIds", kit.InAcme())
	invalid(client.DeleteNotifications, "notificationIds", kit.InAcme(map[string]any{"notificationIds": kit.Many(1001)}))
	for resource, change := range map[string]map[string]any{"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}} {
		require.Equal(t, resource, kit.Details(env, client.UpdateNotifications, kit.InAcme(kit.ForUser("bob"), map[string]any{"allRead": true}, change))["resource"])
		require.Equal(t, resource, kit.Details(env, client.DeleteNotifications, kit.InAcme(kit.ForUser("bob"), change))["resource"])
	}
}

func TestNotificationsUpdate_EachForItself(t *testing.T) {
	env := newWorkspace(t)
	ids := kit.ThreeNotices(env)
	first := ids["1 {{bob}} {{eve}}"]
	mark := func(fields map[string]any) map[string]redline.Item {
		t.Helper()
		return kit.Items(env, client.UpdateNotifications, kit.InAcme(map[string]any{"notifications": []any{kit.With(map[string]any{"id": first}, fields), map[string]any{"id": "nothing"}}}))
	}
	require.Equal(t, map[string]redline.Item{
		first:     {Success: true, ID: first, Message: "Notification updated."},
		"nothing": {ID: "nothing", Message: "There is no such notification.", Code: "not-found"},
	}, mark(map[string]any{"readByUserIds": []string{"bob", "stranger", "bob"}}))
	notified := func() string { return kit.Notified(kit.Notices(env, kit.InDocument("d"))[1]) }
	require.Equal(t, "bob mention read, eve mention", notified())
	mark(map[string]any{"readByUserIds": []string{"eve"}, "unreadByUserIds": []string{"bob"}})
	require.Equal(t, "bob mention, eve mention read", notified())
	all := func(more ...map[string]any) int {
		t.Helper()
		var marked redline.UpdatedNotifications
		env.Call(client.UpdateNotifications, kit.InAcme(append(more, kit.ForUser("bob"), map[string]any{"allRead": true})...), &marked)
		return int(marked.Updated)
	}
	require.Equal(t, 2, all(kit.InDocument("d")))
	require.Equal(t, 1, all(), "that of the other document")
	require.Zero(t, all())
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(kit.ElsewhereIn(env, "acme"), client.UpdateNotifications, kit.InAcme(map[string]any{
		"notifications": []any{map[string]any{"id": first, "unreadByUserIds": []string{"bob"}}},
	}))[first].Code)
	require.Equal(t, "bob mention read, eve mention read", notified())
}

func TestNotificationsDelete_WhatIsMeant(t *testing.T) {
	env := newWorkspace(t)
	ids := kit.ThreeNotices(env)
	first, third := ids["1 {{bob}} {{eve}}"], ids["3 {{bob}}"]
	drop := func(more ...map[string]any) map[string]redline.Item {
		t.Helper()
		return kit.Items(env, client.DeleteNotifications, kit.InAcme(more...))
	}
	named := map[string]any{"notificationIds": []string{first, third, "nothing", first}}
	missing := redline.Item{ID: "nothing", Message: "There is no such notification.", Code: "not-found"}
	require.Equal(t, missing, kit.Items(kit.ElsewhereIn(env, "acme"), client.DeleteNotifications, kit.InAcme(named))["nothing"])
	require.Equal(t, map[string]redline.Item{
		first: {Success: true, ID: first, Message: "Notification deleted."}, "nothing": missing,
		third: {ID: third, Message: "There is no such notification.", Code: "not-found"},
	}, drop(named, kit.ForUser("eve")), "only her entry")
	require.Equal(t, "bob mention", kit.Notified(kit.Notices(env, kit.InDocument("d"))[1]))
	require.True(t, drop(map[string]any{"notificationIds": []string{third}}, kit.ForUser("bob"))[third].Success)
	require.Empty(t, kit.Notices(env, kit.InDocument("e")), "it was for nobody else")
	require.Empty(t, drop(kit.InDocument("d"), kit.ForUser("eve")))
	require.Len(t, kit.Notices(env, kit.ForUser("bob")), 2)
	require.Empty(t, drop(kit.InDocument("d")))
	require.Empty(t, kit.Notices(env, kit.ForUser("bob")))
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "4 {{bob}}", kit.Loud)))
	require.Empty(t, drop(kit.ForUser("bob")))
	require.Empty(t, kit.Notices(env, kit.InDocument("d")))
}

// Who deletes and who marks the same notifications do not stop each other.
func TestNotificationsDelete_WhileTheyAreMarked(t *testing.T) {
	env := newWorkspace(t)
	for range 5 {
		kit.Annotate(env, kit.Made("d", kit.Annotated(kit.Unique("n"), kit.Wrote("ann", "{{bob}} {{eve}}", kit.Loud), kit.Wrote("ann", "{{bob}} {{eve}}", kit.Loud), kit.Wrote("ann", "{{eve}} {{bob}}", kit.Loud))))
		var marks []any
		for _, n := range kit.Notices(env, kit.InDocument("d")) {
			marks = append(marks, map[string]any{"id": n.ID, "readByUserIds": []string{"eve", "bob"}})
		}
		calls := []map[string]any{
			{"notifications": marks}, kit.ForUser("eve"), kit.InDocument("d"), kit.With(kit.ForUser("bob"), map[string]any{"allRead": true}),
		}
		kit.Concurrently(len(calls), func(i int) {
			operation := []string{client.UpdateNotifications, client.DeleteNotifications, client.DeleteNotifications, client.UpdateNotifications}[i]
			_, err := client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, operation, kit.InAcme(calls[i]))
			assert.NoError(t, err)
		})
		require.Empty(t, kit.Notices(env, kit.InDocument("d")))
	}
}

func TestNotifications_AtALocation(t *testing.T) {
	env := newWorkspace(t)
	ids := kit.ThreeNotices(env)
	here, there := ids["1 {{bob}} {{eve}}"], ids["2 {{bob}}"]
	at := func(location string) map[string]any { return map[string]any{"locationId": location} }
	left := func() []string { return kit.NoticeBodies(kit.Notices(env, kit.ForUser("bob"))) }

	marked := func(more ...map[string]any) map[string]redline.Item {
		t.Helper()
		marks := map[string]any{"notifications": []any{map[string]any{"id": here, "readByUserIds": []string{"bob"}}, map[string]any{"id": there, "readByUserIds": []string{"bob"}}}}
		return kit.Items(env, client.UpdateNotifications, kit.InAcme(append(more, marks)...))
	}
	for _, narrowed := range []map[string]any{at("page-1"), kit.ForUser("eve")} {
		entries := marked(narrowed)
		require.True(t, entries[here].Success)
		require.Equal(t, redline.ItemCodeNotFound, entries[there].Code, "%v", narrowed)
	}
	require.Equal(t, redline.ItemCodeNotFound, marked(kit.InDocument("e"))[here].Code)

	var updated redline.UpdatedNotifications
	env.Call(client.UpdateNotifications, kit.InAcme(kit.ForUser("bob"), at("nowhere"), map[string]any{"allRead": true}), &updated)
	require.Zero(t, updated.Updated)
	env.Call(client.UpdateNotifications, kit.InAcme(kit.ForUser("eve"), at("page-1"), map[string]any{"allRead": true}), &updated)
	require.Equal(t, int64(1), updated.Updated)

	env.RefusedAs("INVALID_ARGUMENT", client.DeleteNotifications, kit.InAcme(at("page-1")))
	require.Empty(t, kit.Items(env, client.DeleteNotifications, kit.InAcme(kit.ForUser("bob"), at("nowhere"))))
	require.Len(t, left(), 3)
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.DeleteNotifications, kit.InAcme(kit.InDocument("d"), at("page-1"), map[string]any{"notificationIds": []string{there}}))[there].Code)
	kit.Items(env, client.DeleteNotifications, kit.InAcme(kit.ForUser("bob"), at("page-1")))
	require.Equal(t, []string{"3 {{bob}}", "2 {{bob}}"}, left())
	require.Len(t, kit.Notices(env, kit.ForUser("eve")), 1, "another's entry stays")
	kit.Items(env, client.DeleteNotifications, kit.InAcme(kit.InDocument("d"), at("page-1")))
	require.Empty(t, kit.Notices(env, kit.ForUser("eve")))
	require.Len(t, left(), 2)
}

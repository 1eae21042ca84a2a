package tests

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestNotificationsGet_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.threeNotices()
	invalid := func(operation, field string, data map[string]any) {
		t.Helper()
		require.Equal(t, field, s.refusedAs("INVALID_ARGUMENT", operation, data).Issues[0].Path[0])
	}
	invalid(getNotifications, "documentId", inAcme())
	invalid(getNotifications, "notificationIds", inAcme(forUser("bob"), map[string]any{"notificationIds": many(31)}))
	invalid(getNotifications, "order", inAcme(forUser("bob"), map[string]any{"order": "up"}))
	var page struct{ NextPageToken string }
	s.call(getNotifications, inAcme(forUser("bob"), map[string]any{"pageSize": 1}), &page)
	invalid(getNotifications, "pageToken", inAcme(forUser("eve"), map[string]any{"pageToken": page.NextPageToken}))
	s.call(updateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	require.Equal(t, "advanced-queries-disabled", s.refusedAs("FAILED_PRECONDITION", getNotifications, inAcme(forUser("bob"))).Reason)

	one := map[string]any{"id": "x", "readByUserIds": []string{"bob"}}
	invalid(updateNotifications, "notifications", inAcme())
	invalid(updateNotifications, "notifications", inAcme(forUser("bob")))
	invalid(updateNotifications, "userId", inAcme(map[string]any{"allRead": true}))
	invalid(updateNotifications, "allRead", inAcme(forUser("bob"), map[string]any{"allRead": true, "notifications": []any{one}}))
	invalid(updateNotifications, "notifications", inAcme(map[string]any{"notifications": []any{one, one}}))
	invalid(updateNotifications, "notifications", inAcme(map[string]any{"notifications": []any{with(one, map[string]any{"unreadByUserIds": []string{"bob"}})}}))
	invalid(deleteNotifications, "notificationIds", inAcme())
	invalid(deleteNotifications, "notificationIds", inAcme(map[string]any{"notificationIds": many(1001)}))
	for resource, change := range map[string]map[string]any{"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}} {
		require.Equal(t, resource, s.details(updateNotifications, inAcme(forUser("bob"), map[string]any{"allRead": true}, change))["resource"])
		require.Equal(t, resource, s.details(deleteNotifications, inAcme(forUser("bob"), change))["resource"])
	}
}

func TestNotificationsUpdate_EachForItself(t *testing.T) {
	s := begin(t)
	ids := s.threeNotices()
	first := ids["1 {{bob}} {{eve}}"]
	mark := func(fields map[string]any) map[string]itemView {
		t.Helper()
		return s.items(updateNotifications, inAcme(map[string]any{"notifications": []any{with(map[string]any{"id": first}, fields), map[string]any{"id": "nothing"}}}))
	}
	require.Equal(t, map[string]itemView{
		first:     {Success: true, ID: first, Message: "Notification updated."},
		"nothing": {ID: "nothing", Message: "There is no such notification.", Code: "not-found"},
	}, mark(map[string]any{"readByUserIds": []string{"bob", "stranger", "bob"}}))
	notified := func() string { return s.notices(inDocument("d"))[1].notified() }
	require.Equal(t, "bob mention read, eve mention", notified())
	mark(map[string]any{"readByUserIds": []string{"eve"}, "unreadByUserIds": []string{"bob"}})
	require.Equal(t, "bob mention, eve mention read", notified())
	all := func(more ...map[string]any) int {
		t.Helper()
		var marked struct{ Updated int }
		s.call(updateNotifications, inAcme(append(more, forUser("bob"), map[string]any{"allRead": true})...), &marked)
		return marked.Updated
	}
	require.Equal(t, 2, all(inDocument("d")))
	require.Equal(t, 1, all(), "that of the other document")
	require.Zero(t, all())
	require.Equal(t, "not-found", s.elsewhereIn("acme").items(updateNotifications, inAcme(map[string]any{
		"notifications": []any{map[string]any{"id": first, "unreadByUserIds": []string{"bob"}}},
	}))[first].Code)
	require.Equal(t, "bob mention read, eve mention read", notified())
}

func TestNotificationsDelete_WhatIsMeant(t *testing.T) {
	s := begin(t)
	ids := s.threeNotices()
	first, third := ids["1 {{bob}} {{eve}}"], ids["3 {{bob}}"]
	drop := func(more ...map[string]any) map[string]itemView {
		t.Helper()
		return s.items(deleteNotifications, inAcme(more...))
	}
	named := map[string]any{"notificationIds": []string{first, third, "nothing", first}}
	missing := itemView{ID: "nothing", Message: "There is no such notification.", Code: "not-found"}
	require.Equal(t, missing, s.elsewhereIn("acme").items(deleteNotifications, inAcme(named))["nothing"])
	require.Equal(t, map[string]itemView{
		first: {Success: true, ID: first, Message: "Notification deleted."}, "nothing": missing,
		third: {ID: third, Message: "There is no such notification.", Code: "not-found"},
	}, drop(named, forUser("eve")), "only her entry")
	require.Equal(t, "bob mention", s.notices(inDocument("d"))[1].notified())
	require.True(t, drop(map[string]any{"notificationIds": []string{third}}, forUser("bob"))[third].Success)
	require.Empty(t, s.notices(inDocument("e")), "it was for nobody else")
	require.Empty(t, drop(inDocument("d"), forUser("eve")))
	require.Len(t, s.notices(forUser("bob")), 2)
	require.Empty(t, drop(inDocument("d")))
	require.Empty(t, s.notices(forUser("bob")))
	s.reply(replying(wrote("ann", "4 {{bob}}", loud)))
	require.Empty(t, drop(forUser("bob")))
	require.Empty(t, s.notices(inDocument("d")))
}

// Who deletes and who marks the same notifications do not stop each other.
func TestNotificationsDelete_WhileTheyAreMarked(t *testing.T) {
	s := begin(t)
	for range 5 {
		s.annotate(made("d", annotated(unique("n"), wrote("ann", "{{bob}} {{eve}}", loud), wrote("ann", "{{bob}} {{eve}}", loud), wrote("ann", "{{eve}} {{bob}}", loud))))
		var marks []any
		for _, n := range s.notices(inDocument("d")) {
			marks = append(marks, map[string]any{"id": n.ID, "readByUserIds": []string{"eve", "bob"}})
		}
		calls := []map[string]any{
			{"notifications": marks}, forUser("eve"), inDocument("d"), with(forUser("bob"), map[string]any{"allRead": true}),
		}
		together(len(calls), func(i int) {
			operation := []string{updateNotifications, deleteNotifications, deleteNotifications, updateNotifications}[i]
			_, err := client.Call[itemsView](s.ctx, s.keyed, operation, inAcme(calls[i]))
			assert.NoError(t, err)
		})
		require.Empty(t, s.notices(inDocument("d")))
	}
}

package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// idsByBody are the ids of notifications by their texts.
func idsByBody(notices []noticeView) map[string]string {
	ids := map[string]string{}
	for _, n := range notices {
		ids[n.DisplayBodyMessage] = n.ID
	}
	return ids
}

// threeNotices makes two annotations at different places of d and one of e that tell bob and
// eve, and gives the ids of what bob is told.
func (s *scene) threeNotices() map[string]string {
	s.t.Helper()
	here := with(annotated("n", wrote("ann", "1 {{bob}} {{eve}}", loud)), map[string]any{"location": map[string]any{"id": "page-1"}})
	s.annotate(made("d", here, annotated("m", wrote("ann", "2 {{bob}}", loud))))
	s.annotate(made("e", annotated("o", wrote("ann", "3 {{bob}}", loud))))
	ids := idsByBody(s.notices(forUser("bob")))
	require.Len(s.t, ids, 3)
	return ids
}

func TestNotificationsGet_Filters(t *testing.T) {
	s := begin(t)
	ids := s.threeNotices()
	bob := forUser("bob")
	for _, c := range []struct {
		filter []map[string]any
		want   []string
	}{
		{[]map[string]any{bob, inDocument("d")}, []string{"2 {{bob}}", "1 {{bob}} {{eve}}"}},
		{[]map[string]any{bob, inDocument("d"), {"order": "asc"}}, []string{"1 {{bob}} {{eve}}", "2 {{bob}}"}},
		{[]map[string]any{inDocument("d"), {"locationId": "page-1"}}, []string{"1 {{bob}} {{eve}}"}},
		{[]map[string]any{bob, {"locationId": "page-2"}}, []string{}},
		{[]map[string]any{bob, {"notificationIds": []string{ids["3 {{bob}}"], "nothing", ids["1 {{bob}} {{eve}}"]}}}, []string{"3 {{bob}}", "1 {{bob}} {{eve}}"}},
		{[]map[string]any{bob, inDocument("nowhere")}, []string{}},
		{[]map[string]any{bob, {"organizationId": "nowhere"}}, []string{}},
		{[]map[string]any{forUser("stranger")}, []string{}},
	} {
		require.Equal(t, c.want, bodies(s.notices(c.filter...)), "%v", c.filter)
	}
	s.items(updateNotifications, inAcme(map[string]any{"notifications": []any{map[string]any{"id": ids["1 {{bob}} {{eve}}"], "readByUserIds": []string{"bob"}}}}))
	unread := map[string]any{"unreadOnly": true}
	require.Equal(t, []string{"3 {{bob}}", "2 {{bob}}"}, bodies(s.notices(bob, unread)))
	require.Equal(t, []string{"2 {{bob}}", "1 {{bob}} {{eve}}"}, bodies(s.notices(inDocument("d"), unread)), "eve has not read it")
	one := s.notices(bob, inDocument("d"), map[string]any{"order": "asc"})[0]
	require.Equal(t, "bob mention read", one.notified())
	require.True(t, *one.IsRead)
	require.Empty(t, s.elsewhere().notices(bob))

	s.items(deleteAnnotations, doc("e", map[string]any{"annotationIds": []string{"o"}}))
	require.Equal(t, []string{"2 {{bob}}", "1 {{bob}} {{eve}}"}, bodies(s.notices(bob)))
	s.migrated(s.migrates("d", "moved"))
	require.Equal(t, "moved", s.notices(bob, inDocument("moved"))[0].Metadata["documentId"])
	s.items(deleteDocuments, inAcme(map[string]any{"documentIds": []string{"moved"}}))
	require.Empty(t, s.notices(bob))
}

// elsewhereIn is another workspace that has an organization of this id too.
func (s *scene) elsewhereIn(organizationID string) *scene {
	s.t.Helper()
	other := s.elsewhere()
	other.items(addOrganizations, map[string]any{"organizations": []any{map[string]any{"organizationId": organizationID}}})
	return other
}

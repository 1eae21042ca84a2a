package tests

import (
	"encoding/json"

	"github.com/stretchr/testify/require"
)

// notices calls the operations on what people were told of comments, with marked texts and
// users.
func (l *leak) notices(person map[string]any) {
	keyed := l.s.keyed
	l.s.t.Helper()
	l.twice(keyed, setPreferences, doc("leaks", map[string]any{"userIds": []string{mark}, "documentIds": []string{"leaks"}, "config": map[string]any{"inbox": "ALL"}}))
	l.twice(keyed, getPreferences, inAcme(map[string]any{"userId": mark, "documentIds": []string{"leaks"}}))
	l.s.reply(doc("leaks", map[string]any{"annotationId": "a1", "commentData": []any{wrote("ann", mark, loud, map[string]any{"from": person})}}))
	var listed struct{ Data []noticeView }
	found := l.twice(keyed, getNotifications, doc("leaks", map[string]any{"locationId": nil, "order": "asc"}))
	require.NoError(l.s.t, json.Unmarshal(found, &listed))
	require.Len(l.s.t, listed.Data, 1)
	require.Equal(l.s.t, mark, listed.Data[0].Recipients[0].UserID)
	l.twice(keyed, updateNotifications, inAcme(map[string]any{"notifications": []any{map[string]any{"id": listed.Data[0].ID, "readByUserIds": []string{mark}}}}))
	l.twice(keyed, deleteNotifications, doc("leaks", map[string]any{"userId": mark, "notificationIds": []string{listed.Data[0].ID, mark}}))
}

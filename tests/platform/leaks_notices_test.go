package platform

import (
	"encoding/json"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// notices calls the operations on what people were told of comments, with marked texts and
// users.
func (l *leak) notices(person map[string]any) {
	keyed := l.s.Keyed
	l.s.T.Helper()
	l.twice(keyed, client.SetPreferences, kit.Doc("leaks", map[string]any{"userIds": []string{kit.Mark}, "documentIds": []string{"leaks"}, "config": map[string]any{"inbox": "ALL"}}))
	l.twice(keyed, client.GetPreferences, kit.InAcme(map[string]any{"userId": kit.Mark, "documentIds": []string{"leaks"}}))
	kit.Reply(l.s, kit.Doc("leaks", map[string]any{"annotationId": "a1", "commentData": []any{kit.Wrote("ann", kit.Mark, kit.Loud, map[string]any{"from": person})}}))
	var listed struct{ Data []redline.Notification }
	found := l.twice(keyed, client.GetNotifications, kit.Doc("leaks", map[string]any{"locationId": nil, "order": "asc"}))
	require.NoError(l.s.T, json.Unmarshal(found, &listed))
	require.Len(l.s.T, listed.Data, 1)
	require.Equal(l.s.T, kit.Mark, listed.Data[0].Recipients[0].UserID)
	l.twice(keyed, client.UpdateNotifications, kit.InAcme(map[string]any{"notifications": []any{map[string]any{"id": listed.Data[0].ID, "readByUserIds": []string{kit.Mark}}}}))
	l.twice(keyed, client.DeleteNotifications, kit.Doc("leaks", map[string]any{"userId": kit.Mark, "notificationIds": []string{listed.Data[0].ID, kit.Mark}}))
}

package tests

import (
	"encoding/json"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// webhooks calls the operations on endpoints with marked addresses and data, and
// gives the secrets of an endpoint.
func (l *leak) webhooks() []string {
	t, s := l.s.t, l.s
	t.Helper()
	l.twice(s.keyed, getHooks, map[string]any{})
	l.twice(s.keyed, setHooks, map[string]any{"isEnabled": true, "encodeData": true})
	l.twice(s.keyed, "workspace/advancedwebhook/eventtypes/get", map[string]any{})
	var made client.Wrapped[endpointView]
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, createEndpoint, map[string]any{
		"url": s.receiver().URL("/endpoint?token=" + mark), "description": mark, "metadata": map[string]any{mark: mark}, "uid": mark,
		"channels": []string{mark}, "filterTypes": []string{mark},
	}), &made))
	for _, refused := range []string{"https://" + mark + ":" + mark + "@example.com/", "https://" + mark + ".internal/", "ftp://" + mark} {
		l.refuse(s.keyed, createEndpoint, map[string]any{"url": refused})
	}
	one := map[string]any{"endpointId": made.Data.ID}
	l.twice(s.keyed, listEndpoints, map[string]any{"includeMetadata": true})
	l.twice(s.keyed, updateEndpoint, map[string]any{"endpointId": made.Data.ID, "description": mark, "metadata": map[string]any{"note": mark}})
	var secret, rotated client.Wrapped[struct{ Secret string }]
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, endpointSecret, one), &secret))
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, rotateSecret, one), &rotated))
	var tested client.Wrapped[struct{ MessageID string }]
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, testEndpoint, map[string]any{"endpointId": made.Data.ID, "eventType": "comment.add"}), &tested))
	l.twice(s.keyed, getAttempts, one)
	l.twice(s.keyed, getMessages, map[string]any{"endpointId": made.Data.ID, "channel": mark, "includePayload": true})
	var recovering client.Wrapped[recoveryView]
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, recoverMissed, map[string]any{"endpointId": made.Data.ID, "since": time.Now().UnixMilli()}), &recovering))
	l.twice(s.keyed, getRecovery, map[string]any{"recoveryId": recovering.Data.RecoveryID})
	l.twice(s.keyed, resendMessage, map[string]any{"endpointId": made.Data.ID, "messageId": tested.Data.MessageID})
	l.twice(s.keyed, deleteEndpoint, one)
	return []string{secret.Data.Secret, rotated.Data.Secret}
}

package platform

import (
	"encoding/json"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// webhooks calls the operations on endpoints with marked addresses and data, and
// returns the secrets of an endpoint.
func (l *leak) webhooks() []string {
	t, env := l.s.T, l.s
	t.Helper()
	l.twice(env.Keyed, client.GetHooks, map[string]any{})
	l.twice(env.Keyed, client.SetHooks, map[string]any{"isEnabled": true, "encodeData": true})
	l.twice(env.Keyed, client.GetEventTypes, map[string]any{})
	var made redline.EndpointResult
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.CreateEndpoint, map[string]any{
		"url": env.Receiver().URL("/endpoint?token=" + kit.Mark), "description": kit.Mark, "metadata": map[string]any{kit.Mark: kit.Mark}, "uid": kit.Mark,
		"channels": []string{kit.Mark}, "filterTypes": []string{kit.Mark},
	}), &made))
	for _, refused := range []string{"https://" + kit.Mark + ":" + kit.Mark + "@example.com/", "https://" + kit.Mark + ".internal/", "ftp://" + kit.Mark} {
		l.refuse(env.Keyed, client.CreateEndpoint, map[string]any{"url": refused})
	}
	one := map[string]any{"endpointId": made.Data.ID}
	l.twice(env.Keyed, client.ListEndpoints, map[string]any{"includeMetadata": true})
	l.twice(env.Keyed, client.UpdateEndpoint, map[string]any{"endpointId": made.Data.ID, "description": kit.Mark, "metadata": map[string]any{"note": kit.Mark}})
	var secret, rotated client.Wrapped[struct{ Secret string }]
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.EndpointSecret, one), &secret))
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.RotateSecret, one), &rotated))
	var tested client.Wrapped[struct{ MessageID string }]
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.TestEndpoint, map[string]any{"endpointId": made.Data.ID, "eventType": "comment.add"}), &tested))
	l.twice(env.Keyed, client.GetAttempts, one)
	l.twice(env.Keyed, client.GetMessages, map[string]any{"endpointId": made.Data.ID, "channel": kit.Mark, "includePayload": true})
	var recovering redline.RecoveryResult
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.RecoverMissed, map[string]any{"endpointId": made.Data.ID, "since": time.Now().UnixMilli()}), &recovering))
	l.twice(env.Keyed, client.GetRecovery, map[string]any{"recoveryId": recovering.Data.RecoveryID})
	l.twice(env.Keyed, client.ResendMessage, map[string]any{"endpointId": made.Data.ID, "messageId": tested.Data.MessageID})
	l.twice(env.Keyed, client.DeleteEndpoint, one)
	return []string{secret.Data.Secret, rotated.Data.Secret}
}

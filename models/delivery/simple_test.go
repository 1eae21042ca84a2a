package delivery_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/mail"
)

// simple changes the simple receiver and returns the new state.
func (h *hooks) simple(c delivery.SimpleChange) delivery.SimpleReceiver {
	h.t.Helper()
	after, err := h.store.ConfigureSimple(h.t.Context(), h.ws, h.caller, c)
	require.NoError(h.t, err)
	return after
}

// claim claims what waits for an endpoint.
func (h *hooks) claim(endpointID string) []*delivery.Claimed {
	h.t.Helper()
	d := delivery.New(h.DB, h.Box, delivery.Rules{}, mail.DeliveryRows)
	to, err := d.LockDestination(h.t.Context(), h.ws, endpointID, owner)
	require.NoError(h.t, err)
	batch, err := d.Claim(h.t.Context(), to, owner, delivery.ClaimLimits{Rows: noLimit})
	require.NoError(h.t, err)
	return batch.Rows
}

func TestSimple_ItIsToldInItsFormWithItsToken(t *testing.T) {
	h := newHooks(t)
	at := h.simple(delivery.SimpleChange{Enabled: new(true), URL: new("https://hooks.example.com/"), Token: new("b3Blbg==")})
	aside := added("spring")
	aside.Aside = true
	h.publish(h.ws, added("spring"), aside, delivery.Event{Event: "comment_annotation.delete", Data: map[string]any{}}, delivery.Event{Event: "webhook.test", Data: map[string]any{}})
	rows := h.claim(at.EndpointID)
	require.Len(t, rows, 1)
	m := rows[0].Message
	assert.Equal(t, "b3Blbg==", m.Token)
	require.Len(t, m.Secrets, 1)
	assert.Equal(t, `{"webhookId":"`+m.ID+`","actionType":"added","notificationSource":"comment","metadata":{"organization":{"organizationId":"acme"},"document":{"documentId":"spring"}}}`,
		string(m.Body))

	h.simple(delivery.SimpleChange{Triggers: map[string]bool{"comment.add": false}})
	h.publish(h.ws, added("spring"))
	assert.Empty(t, h.claim(at.EndpointID))
	h.simple(delivery.SimpleChange{Enabled: new(false), Triggers: map[string]bool{"comment.add": true}})
	h.publish(h.ws, added("spring"))
	assert.Empty(t, h.claim(at.EndpointID), "it is off")
	require.Len(t, h.messages(h.ws), 6, "what is not told is kept as that of other endpoints")
}

func TestSimple_EncryptedBodiesAreMadeWithTheChange(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	h.set(h.ws, delivery.SettingsChange{Encrypted: new(true), PublicKey: new(base64.StdEncoding.EncodeToString(der))})
	other := h.endpoint(h.ws, delivery.NewEndpoint{})
	h.publish(h.ws, added("spring"))
	before := h.messages(h.ws)[0].ID
	at := h.simple(delivery.SimpleChange{Enabled: new(true), URL: new("https://hooks.example.com/")})
	h.publish(h.ws, added("spring"))
	rows := h.claim(at.EndpointID)
	require.Len(t, rows, 1)
	assert.Contains(t, string(rows[0].Message.Body), `"encryptedData":`)
	assert.NotEqual(t, string(h.claim(other)[1].Message.Body), string(rows[0].Message.Body))

	_, err = h.store.Resend(t.Context(), h.ws, h.caller, before, at.EndpointID)
	require.ErrorContains(t, err, "message", "of what was encrypted before there was one nothing can be made")
	_, err = h.store.Resend(t.Context(), h.ws, h.caller, before, other)
	require.NoError(t, err)
}

func TestSimple_ChangesAreAuditedWithoutWhatTheyAre(t *testing.T) {
	h := newHooks(t)
	at := h.simple(delivery.SimpleChange{Enabled: new(true), URL: new("https://hooks.example.com/"), Token: new("b3Blbg==")})
	h.simple(delivery.SimpleChange{Triggers: map[string]bool{"comment.add": false}})
	for fields, count := range map[string]int{
		"{useWebhookService,webhookServiceConfig.rawNotificationUrl,webhookServiceConfig.authToken}": 1, "{webhookServiceConfig.triggers}": 1,
	} {
		assert.Equal(t, count, h.Count(t, `SELECT count(*) FROM audit_rows WHERE operation = 'op' AND target_id = $1 AND changed_fields = $2::text[]`, at.EndpointID, fields), fields)
	}
	assert.Zero(t, h.Count(t, `SELECT count(*) FROM audit_rows r WHERE r::text LIKE '%hooks.example.com%' OR r::text LIKE '%b3Blbg%'`))
}

func TestSimple_OneThatFailsForDaysIsSwitchedOff(t *testing.T) {
	h := newHooks(t)
	at := h.simple(delivery.SimpleChange{Enabled: new(true), URL: new("https://hooks.example.com/")})
	h.publish(h.ws, added("spring"))
	h.exec(`UPDATE endpoints SET failing_since = clock_timestamp() - interval '120 hours', failures = 9, last_attempt_at = clock_timestamp() - interval '10 hours'`)
	_, err := delivery.New(h.DB, h.Box, delivery.Rules{}, mail.DeliveryRows).Record(t.Context(), outcomes(webhook.ServerError, h.claim(at.EndpointID)))
	require.NoError(t, err)
	after, err := h.store.Simple(t.Context(), h.ws)
	require.NoError(t, err)
	at.Enabled = false
	require.Equal(t, at, after, "its address stays")
	on := h.simple(delivery.SimpleChange{Enabled: new(true)})
	require.True(t, on.Enabled)
	require.Equal(t, 1, h.Count(t, `SELECT count(*) FROM endpoints WHERE failing_since IS NULL AND failures = 0`), "and its health begins again")
}

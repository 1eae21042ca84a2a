package delivery_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/workspace"
)

// hooks is a store of endpoints with a workspace that never used it.
type hooks struct {
	*modelstest.Tenants
	t      *testing.T
	store  *delivery.Endpoints
	ws     string
	caller workspace.Caller
	woken  chan []string
	made   int
}

const endpointQuota = 8

func newHooks(t *testing.T) *hooks {
	t.Helper()
	t.Parallel()
	box := modelstest.NewBox(t)
	db := pgtest.New(t)
	hints := notifier.New(db)
	h := &hooks{Tenants: modelstest.TenantsOn(db, box), t: t, store: delivery.NewEndpoints(db, box, endpointQuota), woken: make(chan []string, 100)}
	hints.On(notifier.Destinations, func(ids []string) { h.woken <- ids })
	h.ws = h.workspace()
	h.caller = workspace.Caller{WorkspaceID: h.ws, APIKeyID: "ak_1", IP: "192.0.2.1", RequestID: "req", Operation: "op"}
	return h
}

// workspace makes one and gives its id.
func (h *hooks) workspace() string {
	h.t.Helper()
	h.made++
	return h.Create(h.t, fmt.Sprintf("owner%d@example.com", h.made)).ID
}

func (h *hooks) exec(sql string, args ...any) {
	h.t.Helper()
	_, err := h.DB.Pool.Exec(h.t.Context(), sql, args...)
	require.NoError(h.t, err)
}

func (h *hooks) set(workspaceID string, c delivery.SettingsChange) delivery.Settings {
	h.t.Helper()
	state, err := h.store.Configure(h.t.Context(), workspaceID, h.caller, c)
	require.NoError(h.t, err)
	return state
}

func (h *hooks) on(workspaceID string) {
	h.set(workspaceID, delivery.SettingsChange{Enabled: new(true)})
}

// endpoint makes one and gives its id.
func (h *hooks) endpoint(workspaceID string, n delivery.NewEndpoint) string {
	h.t.Helper()
	n.URL = "https://hooks.example.com/a"
	made, err := h.store.Create(h.t.Context(), workspaceID, h.caller, n)
	require.NoError(h.t, err)
	return made.ID
}

// refusal is the status and reason of an error.
func refusal(err error) string {
	refused := fault.From(err)
	if refused == nil {
		return ""
	}
	return string(refused.Status) + " " + refused.ReasonOrDefault()
}

// publicKey is one that messages can be encrypted to, as it is stored.
var publicKey = func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(der)
}()

func TestWebhookSettings_FirstUpdateMustEnable(t *testing.T) {
	h := newHooks(t)
	none, err := h.store.Config(t.Context(), h.ws)
	require.NoError(t, err)
	assert.Equal(t, delivery.Settings{}, none)
	for _, c := range []delivery.SettingsChange{{Encoded: new(true)}, {Enabled: new(false)}, {Encrypted: new(true)}} {
		_, err := h.store.Configure(t.Context(), h.ws, h.caller, c)
		assert.Equal(t, "FAILED_PRECONDITION first-update-must-enable", refusal(err))
	}
	assert.Zero(t, h.Count(t, `SELECT count(*) FROM webhook_settings`))
	assert.Zero(t, h.Count(t, `SELECT count(*) FROM audit_rows WHERE operation = 'op'`))
	h.on(h.ws)
	assert.True(t, h.set(h.ws, delivery.SettingsChange{Enabled: new(true)}).Enabled, "twice is fine")
	after, err := h.store.Config(t.Context(), h.ws)
	require.NoError(t, err)
	assert.True(t, after.Enabled)
	assert.Equal(t, 2, h.Count(t, `SELECT count(*) FROM audit_rows WHERE operation = 'op' AND changed_fields = '{isEnabled}'`))
}

func TestWebhookSettings_EncryptionNeedsAKey(t *testing.T) {
	h := newHooks(t)
	_, err := h.store.Configure(t.Context(), h.ws, h.caller, delivery.SettingsChange{Enabled: new(true), Encrypted: new(true)})
	assert.Equal(t, "INVALID_ARGUMENT invalid-argument", refusal(err))
	assert.Zero(t, h.Count(t, `SELECT count(*) FROM webhook_settings`), "nothing is half-done")
	h.set(h.ws, delivery.SettingsChange{Enabled: new(true), PublicKey: &publicKey})
	assert.True(t, h.set(h.ws, delivery.SettingsChange{Encrypted: new(true)}).Encrypted)
	_, err = h.store.Configure(t.Context(), h.ws, h.caller, delivery.SettingsChange{PublicKey: new("")})
	assert.Equal(t, "INVALID_ARGUMENT invalid-argument", refusal(err))
	after := h.set(h.ws, delivery.SettingsChange{PublicKey: new(""), Encrypted: new(false)})
	assert.Empty(t, after.PublicKey)
}

func TestWebhookSettings_UpdatesAtOneTimeAllStay(t *testing.T) {
	h := newHooks(t)
	changes := []delivery.SettingsChange{
		{Enabled: new(true), Encoded: new(true)}, {Enabled: new(true), Protected: new(true)}, {Enabled: new(true), PublicKey: &publicKey},
	}
	for _, err := range modelstest.AtOnce(len(changes), func(i int) error {
		_, err := h.store.Configure(t.Context(), h.ws, h.caller, changes[i])
		return err
	}) {
		require.NoError(t, err)
	}
	after, err := h.store.Config(t.Context(), h.ws)
	require.NoError(t, err)
	assert.True(t, after.Encoded && after.Protected && after.PublicKey != "", "%+v", after)
}

func TestWebhookSettings_SwitchingOffCancelsWhatWaits(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e := h.endpoint(h.ws, delivery.NewEndpoint{})
	other := h.workspace()
	h.on(other)
	h.endpoint(other, delivery.NewEndpoint{})
	h.publish(h.ws, added("a"))
	h.publish(other, added("a"))
	h.set(h.ws, delivery.SettingsChange{Enabled: new(false)})
	assert.Equal(t, []string{e}, <-h.woken)
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM destinations WHERE id = $1 AND cancel_class = 'webhooks-disabled'
		AND cancel_id >= (SELECT id FROM deliveries WHERE destination_id = $1)`, e))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM destinations WHERE cancel_id IS NOT NULL`))
	h.set(h.ws, delivery.SettingsChange{Encoded: new(true)})
	assert.Empty(t, h.woken)
}

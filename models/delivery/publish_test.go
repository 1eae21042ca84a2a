package delivery_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
)

// bodies are the stored messages of a workspace in the order of their sequence.
type stored struct {
	ID, Event string
	Sequence  int64
	Tags      []string
	Body      []byte
	To        []string
}

func (h *hooks) messages(workspaceID string) []stored {
	h.t.Helper()
	rows, err := h.DB.Pool.Query(h.t.Context(), `SELECT m.id, m.event, m.sequence, m.tags, b.body,
		ARRAY(SELECT d.destination_id FROM deliveries d WHERE d.message_id = m.id ORDER BY 1)
		FROM messages m LEFT JOIN message_bodies b ON b.message_id = m.id AND b.workspace_id = m.workspace_id
		WHERE m.workspace_id = $1 ORDER BY m.sequence`, workspaceID)
	require.NoError(h.t, err)
	defer rows.Close()
	var found []stored
	for rows.Next() {
		var m stored
		require.NoError(h.t, rows.Scan(&m.ID, &m.Event, &m.Sequence, &m.Tags, &m.Body, &m.To))
		found = append(found, m)
	}
	require.NoError(h.t, rows.Err())
	return found
}

func (h *hooks) publish(workspaceID string, events ...delivery.Event) []string {
	h.t.Helper()
	for len(h.woken) > 0 {
		<-h.woken
	}
	require.NoError(h.t, publish(h.t.Context(), h.DB, workspaceID, events...))
	select {
	case woken := <-h.woken:
		return woken
	default:
		return nil
	}
}

func added(at string) delivery.Event {
	return delivery.Event{Event: "comment.add", OrganizationID: "acme", DocumentID: at, Data: map[string]any{}}
}

func TestPublish_NothingIsStoredWhereWebhooksWereNeverOn(t *testing.T) {
	h := newHooks(t)
	assert.Empty(t, h.publish(h.ws, added("spring")))
	assert.Empty(t, h.messages(h.ws))
	assert.Empty(t, h.publish(h.ws))
}

func TestPublish_MatchesTypesAndChannels(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	all := h.endpoint(h.ws, delivery.NewEndpoint{})
	adds := h.endpoint(h.ws, delivery.NewEndpoint{FilterTypes: []string{"comment.add", "not.known"}})
	updates := h.endpoint(h.ws, delivery.NewEndpoint{FilterTypes: []string{"comment.update", "comment", "comment.*"}})
	spring := h.endpoint(h.ws, delivery.NewEndpoint{Channels: []string{"document:spring", "x"}})
	runs := h.endpoint(h.ws, delivery.NewEndpoint{Channels: []string{"definition:spring"}, FilterTypes: []string{"comment.add"}})
	h.endpoint(h.ws, delivery.NewEndpoint{Disabled: true})
	gone := h.endpoint(h.ws, delivery.NewEndpoint{})
	_, err := h.store.Delete(t.Context(), h.ws, h.caller, gone)
	require.NoError(t, err)
	other := h.workspace()
	h.on(other)
	h.endpoint(other, delivery.NewEndpoint{})

	woken := h.publish(h.ws, added("spring"), added("autumn"),
		delivery.Event{Event: "webhook.test", Data: map[string]any{}, Except: all},
		delivery.Event{Event: "execution.completed", DefinitionID: "spring", Data: map[string]any{}})
	found := h.messages(h.ws)
	require.Len(t, found, 4)
	assert.ElementsMatch(t, []string{all, adds, spring}, found[0].To)
	assert.ElementsMatch(t, []string{all, adds}, found[1].To, "a document elsewhere")
	assert.Empty(t, found[2].To, "untagged and about the only endpoint that would get it")
	assert.ElementsMatch(t, []string{all}, found[3].To)
	assert.ElementsMatch(t, []string{all, adds, spring}, woken)
	assert.Equal(t, []string{"organization:acme", "document:spring"}, found[0].Tags)
	assert.NotContains(t, woken, updates)
	assert.NotContains(t, woken, runs)
	assert.Empty(t, h.messages(other))
}

func TestPublish_WhileOffMessagesAreStoredWithoutDeliveries(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.endpoint(h.ws, delivery.NewEndpoint{})
	h.set(h.ws, delivery.SettingsChange{Enabled: new(false)})
	assert.Empty(t, h.publish(h.ws, added("spring")))
	found := h.messages(h.ws)
	require.Len(t, found, 1)
	assert.Empty(t, found[0].To)
}

func TestPublish_ABodyIsStoredWhereAnEndpointMatches(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	gone := h.endpoint(h.ws, delivery.NewEndpoint{})
	_, err := h.store.Delete(t.Context(), h.ws, h.caller, gone)
	require.NoError(t, err)
	h.endpoint(h.ws, delivery.NewEndpoint{FilterTypes: []string{"comment.add"}, Channels: []string{"document:spring"}, Disabled: true})
	update := delivery.Event{Event: "comment.update", OrganizationID: "acme", DocumentID: "spring", Data: map[string]any{}}
	h.publish(h.ws, added("spring"), added("autumn"), update)
	h.set(h.ws, delivery.SettingsChange{Enabled: new(false)})
	h.publish(h.ws, added("spring"), update)
	var bodies []bool
	for _, m := range h.messages(h.ws) {
		assert.Empty(t, m.To)
		bodies = append(bodies, m.Body != nil)
	}
	assert.Equal(t, []bool{true, false, false, true, false}, bodies, "also of what is disabled, or switched off")
}

func TestPublish_SequencesFollowTheOrder(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	for range 3 {
		h.publish(h.ws, added("a"), added("b"), added("c"))
	}
	found := h.messages(h.ws)
	require.Len(t, found, 9)
	for i, m := range found {
		assert.Equal(t, "document:"+string("abc"[i%3]), m.Tags[1])
	}
}

// Two transactions that publish the first messages to the same endpoints, in
// opposite order, wait for one another: here until both have queued their first.
func TestPublish_FirstMessagesInOppositeOrderBothCommit(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	events := []string{"comment_annotation.add", "comment.add"}
	for _, event := range events {
		h.endpoint(h.ws, delivery.NewEndpoint{FilterTypes: []string{event}})
	}
	h.exec(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END $$`)
	h.exec(`CREATE TRIGGER wait AFTER INSERT ON deliveries FOR EACH STATEMENT EXECUTE FUNCTION wait()`)
	tx, err := h.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock(7)`)
	require.NoError(t, err)
	published := make(chan error, len(events))
	for i := range events {
		go func() {
			published <- publish(context.Background(), h.DB, h.ws, delivery.Event{Event: events[i], Data: map[string]any{}},
				delivery.Event{Event: events[1-i], Data: map[string]any{}})
		}()
	}
	modelstest.AwaitWaiting(t, h.DB, len(events))
	require.NoError(t, tx.Commit(t.Context()))
	for range events {
		require.NoError(t, <-published)
	}
	assert.Equal(t, 4, h.Count(t, `SELECT count(*) FROM deliveries`))
	assert.Equal(t, 2, h.Count(t, `SELECT count(*) FROM destinations`))
}

func TestPublish_BodySaysWhereAndWho(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.endpoint(h.ws, delivery.NewEndpoint{Disabled: true})
	h.exec(`WITH o AS (INSERT INTO organizations (workspace_id, organization_id, name, extra) VALUES ($1, 'acme', 'Acme', '{"tier":1.50,"organizationId":"x"}')
		RETURNING key) INSERT INTO document_rows (workspace_id, organization_key, document_id, name, default_access, extra)
		SELECT $1, key, 'spring', 'Spring <issue>', 'public', '{"color":"red"}' FROM o`, h.ws)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	h.publish(h.ws, delivery.Event{
		Event: "comment.add", At: at, APIKeyID: "ak_1", OrganizationID: "acme", DocumentID: "spring",
		Data: map[string]any{"n": json.RawMessage("1.0")},
	}, added("unknown"), added("spring"), delivery.Event{Event: "webhook.test", Data: json.RawMessage(`{"test":true}`)})
	found := h.messages(h.ws)
	var body struct {
		Event, WebhookID, Timestamp string
		Sequence                    int64
		Data                        json.RawMessage
	}
	require.NoError(t, json.Unmarshal(found[0].Body, &body))
	assert.Equal(t, found[0].ID, body.WebhookID)
	assert.Equal(t, found[0].Sequence, body.Sequence)
	assert.Equal(t, "2026-01-02T03:04:05.006Z", body.Timestamp)
	location := `"organization":{"organizationId":"acme","organizationName":"Acme","tier":1.50},` +
		`"document":{"documentId":"spring","documentName":"Spring <issue>","color":"red"}}}`
	assert.Equal(t, `{"n":1.0,"metadata":{"apiKey":"ak_1",`+location, string(body.Data))
	assert.Contains(t, string(found[1].Body), `"document":{"documentId":"unknown"}}`)
	assert.Contains(t, string(found[2].Body), `"data":{"metadata":{`+location)
	assert.Contains(t, string(found[3].Body), `"data":{"test":true}}`)
}

func TestPublish_FormOfTheBodies(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.endpoint(h.ws, delivery.NewEndpoint{Disabled: true})
	published := delivery.Event{Event: "execution.completed", Data: json.RawMessage(`{"triggerContext":{"secret":"mine"},"seq":1}`)}
	h.set(h.ws, delivery.SettingsChange{Encoded: new(true), Protected: new(true)})
	h.publish(h.ws, published)
	h.set(h.ws, delivery.SettingsChange{Encrypted: new(true), PublicKey: &publicKey})
	h.publish(h.ws, published)
	h.set(h.ws, delivery.SettingsChange{Encoded: new(false), Protected: new(false), Encrypted: new(false)})
	h.publish(h.ws, published)
	found := h.messages(h.ws)
	var encoded struct{ EncodedPayload []byte }
	require.NoError(t, json.Unmarshal(found[0].Body, &encoded))
	assert.Contains(t, string(encoded.EncodedPayload), `"data":{"seq":1}`)
	var encrypted map[string]string
	require.NoError(t, json.Unmarshal(found[1].Body, &encrypted))
	assert.Len(t, encrypted, 3)
	assert.NotEmpty(t, encrypted["encryptedKey"])
	assert.Contains(t, string(found[2].Body), "mine")
}

func TestPublish_IsOnePartOfItsTransaction(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.endpoint(h.ws, delivery.NewEndpoint{})
	err := publish(t.Context(), h.DB, h.ws, added("spring"), delivery.Event{Event: "no.such", Data: map[string]any{}})
	require.Error(t, err)
	assert.Empty(t, h.messages(h.ws))
}

func TestExpire_RemovesWhatIsTooOld(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e, stays := h.endpoint(h.ws, delivery.NewEndpoint{}), h.endpoint(h.ws, delivery.NewEndpoint{})
	for range 3 {
		h.publish(h.ws, added("a"))
	}
	found := h.messages(h.ws)
	old, aged := found[0].ID, found[1].ID
	h.exec(`UPDATE message_bodies SET created_at = now() - interval '31 days' WHERE message_id IN ($1, $2)`, old, aged)
	h.exec(`UPDATE messages SET created_at = now() - interval '91 days' WHERE id = $1`, old)
	h.exec(`INSERT INTO attempts (delivery_id, id, workspace_id, destination_id, message_id, event, attempt, cause, class, started_at, url)
		SELECT n, 'att_' || n, $1, $2, $3, 'e', 1, 'schedule', 'ok', now() - make_interval(days => n), 'u' FROM unnest('{89,91}'::integer[]) n`, h.ws, e, old)
	h.exec(`UPDATE deliveries SET state = 'delivered'`)
	for _, gone := range []string{e, h.endpoint(h.ws, delivery.NewEndpoint{}), h.endpoint(h.ws, delivery.NewEndpoint{})} {
		_, err := h.store.Delete(t.Context(), h.ws, h.caller, gone)
		require.NoError(t, err)
	}
	h.exec(`UPDATE endpoints SET deleted_at = now() - interval '91 days' WHERE deleted_at IS NOT NULL`)

	deliveries := delivery.New(h.DB, modelstest.NewBox(t), delivery.Rules{}, mail.DeliveryRows)
	_, err := deliveries.ExpireAttempts(t.Context(), 90, 1)
	require.NoError(t, err)
	require.NoError(t, deliveries.ExpireMessages(t.Context(), 30, 90, 1))
	require.NoError(t, h.store.Expire(t.Context(), 90, 1))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM message_bodies WHERE message_id = $1`, found[2].ID))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM message_bodies`))
	assert.Equal(t, 2, h.Count(t, `SELECT count(*) FROM messages WHERE id <> $1`, old))
	assert.Equal(t, 2, h.Count(t, `SELECT count(*) FROM messages`))
	assert.Equal(t, 4, h.Count(t, `SELECT count(*) FROM deliveries`), "with their deliveries")
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM attempts WHERE id = 'att_89'`))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM attempts`))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM endpoints WHERE id = $1`, stays))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM endpoints`))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM destinations`))
}

// publish publishes events in a transaction of their own.
func publish(ctx context.Context, db *pg.DB, workspaceID string, events ...delivery.Event) error {
	return db.InTx(ctx, func(tx *pg.Tx) error { return delivery.Publish(ctx, tx, workspaceID, events...) })
}

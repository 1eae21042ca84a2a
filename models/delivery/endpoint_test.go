package delivery_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

func TestEndpoints_GateBeforeEverything(t *testing.T) {
	h := newHooks(t)
	calls := []func() error{
		func() error {
			_, err := h.store.Create(t.Context(), h.ws, h.caller, delivery.NewEndpoint{URL: "u"})
			return err
		},
		func() error { _, err := h.store.List(t.Context(), h.ws, nil, 10); return err },
		func() error {
			_, err := h.store.Update(t.Context(), h.ws, h.caller, "no", delivery.EndpointChange{})
			return err
		},
		func() error { _, err := h.store.Delete(t.Context(), h.ws, h.caller, "no"); return err },
		func() error { _, _, err := h.store.Secret(t.Context(), h.ws, h.caller, "no"); return err },
		func() error { _, err := h.store.Rotate(t.Context(), h.ws, h.caller, "no", 0); return err },
		func() error { _, err := h.store.Find(t.Context(), h.ws, "no"); return err },
		func() error {
			_, err := h.store.Test(t.Context(), h.ws, h.caller, "no", envelope.Event{})
			return err
		},
		func() error {
			_, err := h.store.Resend(t.Context(), h.ws, h.caller, "no", "no")
			return err
		},
		func() error {
			_, err := h.store.Recover(t.Context(), h.ws, h.caller, "no", time.Now(), nil)
			return err
		},
		func() error { _, err := h.store.Recovery(t.Context(), h.ws, "no"); return err },
		func() error {
			_, err := h.store.Messages(t.Context(), h.ws, delivery.MessageFilter{}, false, nil, 10)
			return err
		},
		func() error {
			_, err := h.store.Attempts(t.Context(), h.ws, delivery.AttemptFilter{EndpointID: "no"}, nil, 10)
			return err
		},
	}
	for i, call := range calls {
		assert.Equal(t, "FAILED_PRECONDITION webhooks-not-configured", refusal(call()), i)
	}
	h.on(h.ws)
	h.set(h.ws, delivery.SettingsChange{Enabled: new(false)})
	for i, call := range calls {
		assert.Equal(t, "FAILED_PRECONDITION webhooks-disabled", refusal(call()), i)
	}
}

func TestEndpoints_CreateKeepsWhatWasSent(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	n := delivery.NewEndpoint{
		URL: "http://Hooks.example.com/a?b=c#d", Description: new("Zoë"), FilterTypes: []string{"comment.add", "x.y"}, Channels: []string{"document:Ä"},
		Disabled: true, RateLimit: new(7), UID: new("our-1"), Metadata: map[string]string{"team": "desk"},
	}
	made, err := h.store.Create(t.Context(), h.ws, h.caller, n)
	require.NoError(t, err)
	assert.Equal(t, n, made.NewEndpoint)
	assert.Regexp(t, "^ep_", made.ID)
	page, err := h.store.List(t.Context(), h.ws, nil, 10)
	require.NoError(t, err)
	assert.Equal(t, []delivery.Endpoint{made}, page.Items)
	bare, err := h.store.Create(t.Context(), h.ws, h.caller, delivery.NewEndpoint{URL: "https://a.example.com"})
	require.NoError(t, err)
	assert.Equal(t, delivery.NewEndpoint{URL: "https://a.example.com"}, bare.NewEndpoint)
	assert.Equal(t, 2, h.Count(t, `SELECT count(*) FROM audit_rows WHERE changed_fields = '{endpoint,secret}' AND target_id = ANY($1)`, []string{made.ID, bare.ID}))
}

func TestEndpoints_UIDsAreUniqueAmongTheLiving(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	create := func(int) error {
		_, err := h.store.Create(t.Context(), h.ws, h.caller, delivery.NewEndpoint{URL: "u", UID: new("our-1")})
		return err
	}
	made := 0
	for _, err := range modelstest.AtOnce(20, create) {
		if err == nil {
			made++
			continue
		}
		assert.Equal(t, "ALREADY_EXISTS uid-taken", refusal(err))
	}
	assert.Equal(t, 1, made)
	other := h.workspace()
	h.on(other)
	h.endpoint(other, delivery.NewEndpoint{UID: new("our-1")})
	_, err := h.store.Delete(t.Context(), h.ws, h.caller, "our-1")
	require.NoError(t, err)
	require.NoError(t, create(0), "the uid of a deleted endpoint is free again")
}

func TestEndpoints_QuotaHoldsUnderParallelCalls(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	create := func(int) error {
		_, err := h.store.Create(t.Context(), h.ws, h.caller, delivery.NewEndpoint{URL: "u"})
		return err
	}
	refused := 0
	for _, err := range modelstest.AtOnce(endpointQuota+5, create) {
		if err != nil {
			assert.Equal(t, "RESOURCE_EXHAUSTED endpoint-quota", refusal(err))
			refused++
		}
	}
	assert.Equal(t, 5, refused)
	page, err := h.store.List(t.Context(), h.ws, nil, 100)
	require.NoError(t, err)
	require.Len(t, page.Items, endpointQuota)
	_, err = h.store.Delete(t.Context(), h.ws, h.caller, page.Items[0].ID)
	require.NoError(t, err)
	require.NoError(t, create(0), "only the living count")
	h.exec(`INSERT INTO limit_overrides (workspace_id, name, value) VALUES ($1, $2, $3)`, h.ws, workspace.LimitEndpoints, endpointQuota+1)
	require.NoError(t, create(0))
	require.Error(t, create(0))
}

func TestEndpoints_IDGoesBeforeUID(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	first := h.endpoint(h.ws, delivery.NewEndpoint{})
	second := h.endpoint(h.ws, delivery.NewEndpoint{UID: &first})
	third := h.endpoint(h.ws, delivery.NewEndpoint{UID: new("our-3")})
	for ref, want := range map[string]string{first: first, second: second, "our-3": third} {
		got, err := h.store.Find(t.Context(), h.ws, ref)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, ref := range []string{"our-4", h.endpointElsewhere()} {
		_, err := h.store.Find(t.Context(), h.ws, ref)
		assert.Equal(t, "NOT_FOUND not-found", refusal(err))
	}
}

func (h *hooks) endpointElsewhere() string {
	h.t.Helper()
	other := h.workspace()
	h.on(other)
	return h.endpoint(other, delivery.NewEndpoint{})
}

func TestEndpoints_SecretsAreFreshAndKept(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	seen := map[string]bool{}
	for range 2 {
		e := h.endpoint(h.ws, delivery.NewEndpoint{Disabled: true})
		id, plain, err := h.store.Secret(t.Context(), h.ws, h.caller, e)
		require.NoError(t, err)
		assert.Equal(t, e, id)
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(plain, "whsec_"))
		require.NoError(t, err)
		assert.Len(t, key, 32)
		_, again, err := h.store.Secret(t.Context(), h.ws, h.caller, e)
		require.NoError(t, err)
		assert.Equal(t, plain, again)
		seen[plain] = true
		assert.Equal(t, 2, h.Count(t, `SELECT count(*) FROM audit_rows WHERE target_id = $1 AND changed_fields = '{}'`, e), "each read is kept")
	}
	assert.Len(t, seen, 2)
	assert.Zero(t, h.Count(t, `SELECT count(*) FROM endpoint_secrets WHERE position('whsec'::bytea IN secret_sealed) > 0`))
}

func TestEndpoints_DeletedIsGone(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e, stays := h.endpoint(h.ws, delivery.NewEndpoint{}), h.endpoint(h.ws, delivery.NewEndpoint{})
	h.publish(h.ws, added("a"))
	id, err := h.store.Delete(t.Context(), h.ws, h.caller, e)
	require.NoError(t, err)
	assert.Equal(t, e, id)
	assert.Equal(t, []string{e}, <-h.woken)
	_, err = h.store.Delete(t.Context(), h.ws, h.caller, e)
	assert.Equal(t, "NOT_FOUND not-found", refusal(err))
	_, err = h.store.Update(t.Context(), h.ws, h.caller, e, delivery.EndpointChange{Disabled: new(true)})
	assert.Equal(t, "NOT_FOUND not-found", refusal(err))
	_, _, err = h.store.Secret(t.Context(), h.ws, h.caller, e)
	assert.Equal(t, "NOT_FOUND not-found", refusal(err))
	_, err = h.store.Find(t.Context(), h.ws, e)
	assert.Equal(t, "NOT_FOUND not-found", refusal(err))
	assert.Zero(t, h.Count(t, `SELECT count(*) FROM endpoint_secrets WHERE endpoint_id = $1`, e))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM destinations WHERE id = $1 AND cancel_class = 'endpoint-deleted'`, e))
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM destinations WHERE id = $1 AND cancel_id IS NULL`, stays))
}

func TestEndpoints_UpdateChangesWhatIsSent(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	whole := delivery.NewEndpoint{Description: new("d"), FilterTypes: []string{"a"}, Channels: []string{"c"}, RateLimit: new(1), UID: new("u"), Metadata: map[string]string{"k": "v"}}
	e := h.endpoint(h.ws, whole)
	before, err := h.store.List(t.Context(), h.ws, nil, 1)
	require.NoError(t, err)
	same, err := h.store.Update(t.Context(), h.ws, h.caller, "u", delivery.EndpointChange{URL: new("https://b.example.com")})
	require.NoError(t, err)
	want := before.Items[0]
	assert.True(t, same.UpdatedAt.After(want.UpdatedAt))
	want.URL, want.UpdatedAt = "https://b.example.com", same.UpdatedAt
	assert.Equal(t, want, same)
	bare, err := h.store.Update(t.Context(), h.ws, h.caller, e, delivery.EndpointChange{Cleared: delivery.Cleared{Description: true, FilterTypes: true, Channels: true, RateLimit: true, Metadata: true}})
	require.NoError(t, err)
	assert.Equal(t, delivery.NewEndpoint{URL: "https://b.example.com", UID: new("u")}, bare.NewEndpoint)
	full, err := h.store.Update(t.Context(), h.ws, h.caller, e, delivery.EndpointChange{
		Description: new("e"), FilterTypes: []string{"b"}, Channels: []string{"d"}, RateLimit: new(2), Metadata: map[string]string{"l": "w"},
	})
	require.NoError(t, err)
	assert.Equal(t, delivery.NewEndpoint{
		URL: "https://b.example.com", Description: new("e"), FilterTypes: []string{"b"}, Channels: []string{"d"}, RateLimit: new(2), UID: new("u"), Metadata: map[string]string{"l": "w"},
	}, full.NewEndpoint)
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM audit_rows WHERE changed_fields = '{description,filterTypes,channels,rateLimit,metadata}' AND operation = 'op' AND target_id = $1
		AND at = (SELECT max(at) FROM audit_rows)`, e))
	assert.Empty(t, h.woken)
}

func TestEndpoints_UpdatesOfDifferentFieldsAllStay(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e := h.endpoint(h.ws, delivery.NewEndpoint{})
	changes := []delivery.EndpointChange{{Description: new("d")}, {RateLimit: new(3)}, {Channels: []string{"c"}}, {Disabled: new(true)}}
	for _, err := range modelstest.AtOnce(len(changes), func(i int) error {
		_, err := h.store.Update(t.Context(), h.ws, h.caller, e, changes[i])
		return err
	}) {
		require.NoError(t, err)
	}
	page, err := h.store.List(t.Context(), h.ws, nil, 1)
	require.NoError(t, err)
	got := page.Items[0]
	assert.True(t, got.Disabled && *got.Description == "d" && *got.RateLimit == 3 && len(got.Channels) == 1, "%+v", got)
}

func TestEndpoints_DisablingCancelsAndEnablingForgetsFailures(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	e := h.endpoint(h.ws, delivery.NewEndpoint{})
	h.publish(h.ws, added("a"))
	h.exec(`UPDATE endpoints SET failing_since = now(), failures = 9, last_attempt_at = now() WHERE id = $1`, e)
	_, err := h.store.Update(t.Context(), h.ws, h.caller, e, delivery.EndpointChange{Disabled: new(true)})
	require.NoError(t, err)
	assert.Equal(t, []string{e}, <-h.woken)
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM destinations WHERE id = $1 AND cancel_class = 'endpoint-disabled'`, e))
	assert.Equal(t, 9, h.Count(t, `SELECT failures FROM endpoints WHERE id = $1 AND failing_since IS NOT NULL`, e))
	assert.Empty(t, h.publish(h.ws, added("a")), "a disabled endpoint gets nothing")
	_, err = h.store.Update(t.Context(), h.ws, h.caller, e, delivery.EndpointChange{Disabled: new(false)})
	require.NoError(t, err)
	assert.Equal(t, 1, h.Count(t, `SELECT count(*) FROM endpoints WHERE id = $1 AND failures = 0 AND failing_since IS NULL AND last_attempt_at IS NULL`, e))
	assert.Equal(t, []string{e}, h.publish(h.ws, added("a")))
}

func TestEndpoints_TestGoesToOneWhateverItWants(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.endpoint(h.ws, delivery.NewEndpoint{})
	e := h.endpoint(h.ws, delivery.NewEndpoint{Disabled: true, FilterTypes: []string{"x"}, Channels: []string{"y"}})
	for i, event := range envelope.Events() {
		messageID, err := h.store.Test(t.Context(), h.ws, h.caller, e, event)
		require.NoError(t, err)
		m := h.messages(h.ws)[i]
		assert.Equal(t, messageID, m.ID)
		assert.Equal(t, []string{e}, m.To)
		assert.Equal(t, event.Name, m.Event)
		assert.Contains(t, string(m.Body), `"test":true`)
		assert.Contains(t, string(m.Body), `"apiKey":"ak_1"`)
		assert.Equal(t, 1, strings.Count(string(m.Body), `"test":`))
		assert.Equal(t, []string{e}, <-h.woken)
	}
	assert.Equal(t, len(envelope.Events()), h.Count(t, `SELECT count(*) FROM deliveries WHERE cause = 'test' AND destination_id = $1`, e))
}

// walk reads a whole list by pages of that size and gives the ids, then back
// again.
func (h *hooks) walk(size int) (there, back []string) {
	h.t.Helper()
	var mark *list.TwoWayPosition
	for {
		page, err := h.store.List(h.t.Context(), h.ws, mark, size)
		require.NoError(h.t, err)
		require.Equal(h.t, mark == nil, page.Prev == nil, "only the first page has none before it")
		for _, e := range page.Items {
			there = append(there, e.ID)
		}
		if page.Next == nil {
			mark = page.Prev
			break
		}
		mark = page.Next
	}
	for mark != nil {
		page, err := h.store.List(h.t.Context(), h.ws, mark, size)
		require.NoError(h.t, err)
		require.NotNil(h.t, page.Next)
		var ids []string
		for _, e := range page.Items {
			ids = append(ids, e.ID)
		}
		back = append(ids, back...)
		mark = page.Prev
	}
	return there, back
}

func TestEndpoints_ListIsWalkedBothWays(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.exec(`INSERT INTO endpoints (id, workspace_id, url, created_at) SELECT 'ep_' || n, $1, 'u', to_timestamp(n / 3) FROM generate_series(10, 33) n`, h.ws)
	var want []string
	for n := 33; n >= 10; n-- {
		want = append(want, fmt.Sprintf("ep_%d", n))
	}
	for _, size := range []int{1, 5, 8, 23} {
		there, back := h.walk(size)
		assert.Equal(t, want, there, size)
		assert.Equal(t, want[:len(back)], back, size)
		assert.Len(t, back, (len(want)-1)/size*size, size)
	}
	page, err := h.store.List(t.Context(), h.ws, nil, 24)
	require.NoError(t, err)
	assert.True(t, page.Next == nil && page.Prev == nil)
}

func TestEndpoints_ListStaysStableWhileRowsComeAndGo(t *testing.T) {
	h := newHooks(t)
	h.on(h.ws)
	h.exec(`INSERT INTO endpoints (id, workspace_id, url, created_at) SELECT 'ep_' || n, $1, 'u', to_timestamp(n) FROM generate_series(10, 17) n`, h.ws)
	first, err := h.store.List(t.Context(), h.ws, nil, 4)
	require.NoError(t, err)
	h.exec(`INSERT INTO endpoints (id, workspace_id, url) VALUES ('ep_new', $1, 'u')`, h.ws)
	h.exec(`UPDATE endpoints SET deleted_at = now() WHERE id IN ('ep_14', 'ep_12')`)
	second, err := h.store.List(t.Context(), h.ws, first.Next, 4)
	require.NoError(t, err)
	ids := []string{}
	for _, e := range second.Items {
		ids = append(ids, e.ID)
	}
	assert.Equal(t, []string{"ep_13", "ep_11", "ep_10"}, ids)
	assert.Nil(t, second.Next)
	before, err := h.store.List(t.Context(), h.ws, second.Prev, 4)
	require.NoError(t, err)
	assert.Equal(t, "ep_new", before.Items[0].ID)
	assert.Nil(t, before.Prev)
	h.exec(`UPDATE endpoints SET deleted_at = now() WHERE id IN ('ep_13', 'ep_11', 'ep_10')`)
	empty, err := h.store.List(t.Context(), h.ws, first.Next, 4)
	require.NoError(t, err)
	assert.Empty(t, empty.Items)
	assert.Nil(t, empty.Next)
	again, err := h.store.List(t.Context(), h.ws, empty.Prev, 10)
	require.NoError(t, err)
	assert.Len(t, again.Items, 4, "from an empty page back to what is left")
}

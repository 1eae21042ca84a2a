package webhook

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func messages(env *kit.Env, data ...map[string]any) redline.MessageList {
	env.T.Helper()
	var page redline.MessageListResult
	env.Call(client.GetMessages, kit.Merged(map[string]any{}, data...), &page)
	return page.Data
}

// namesOf are the ids of messages in their order.
func namesOf(messages []redline.Message) []string {
	ids := []string{}
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestMessagesGet_1and3_WhatMatchedNothingIsListedAndWhoIsUnknownHasNone(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.Dispatch(env, kit.Instant(env), func(d *redline.DispatchRequest) { d.OrganizationID = new("acme") }).Ends("completed")
	page := messages(env)
	require.NotEmpty(t, page.Messages)
	for _, m := range page.Messages {
		require.NotNil(t, m.Deliveries)
		require.Empty(t, m.Deliveries)
		require.Contains(t, m.Channels, "organization:acme")
		require.Regexp(t, `^msg_`, m.ID)
		require.Empty(t, m.Payload)
	}
	require.True(t, page.Done && page.Iterator == nil && page.PrevIterator == nil)
	require.True(t, slices.IsSortedFunc(page.Messages, func(a, b redline.Message) int { return int(b.Sequence - a.Sequence) }), "newest first")
	nobody := messages(env, kit.Of("ep_none"))
	require.NotNil(t, nobody.Messages)
	require.Empty(t, nobody.Messages)
	require.True(t, nobody.Done)
}

// The payload is what was sent, byte for byte.
func TestMessagesGet_TheExactBody(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e, a := deliveredTo(env, "/told")
	body := string(env.Receiver().Requests("/told")[0].Body)
	page := messages(env, kit.Of(e.ID), map[string]any{"includePayload": true})
	require.Len(t, page.Messages, 1)
	m := page.Messages[0]
	assert.Equal(t, a.MessageID, m.ID)
	require.NotEmpty(t, m.Payload)
	assert.Equal(t, body, m.Payload)
	require.Len(t, m.Deliveries, 1)
	d := m.Deliveries[0]
	assert.Equal(t, []any{e.ID, redline.MessageDeliveryStatusSucceeded, int64(1), "ok", a.StartedAt}, []any{d.EndpointID, d.Status, d.Attempts, *d.Class, *d.LastAttemptAt})
	assert.Nil(t, d.NextAttemptAt)
}

// The status that messages are narrowed by is the one that their deliveries show.
func TestMessagesGet_5_TheStatusIsTheDeliveries(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted, map[string]any{"uid": "desk-1"})
	kit.EndpointAt(env, "/other", kit.OnlyCompleted)
	var want []string
	for _, code := range []int{200, 410, 503} {
		env.Receiver().Answer("/told", receiver.Answer{Status: code, Header: map[string]string{"retry-after": "1800"}})
		kit.Dispatch(env, kit.Instant(env)).Ends("completed")
		want = append(want, kit.Attempted(env, kit.Of(e.ID), len(want)+1)[0].MessageID)
		if code == 410 {
			kit.Change(env, e.ID, map[string]any{"disabled": false})
		}
	}
	for i, status := range []string{"succeeded", "failed", "pending"} {
		var page redline.MessageList
		kit.RequireEventually(t, "the endpoint's are told apart", func() bool {
			page = messages(env, kit.Of("desk-1"), map[string]any{"status": status})
			return slices.Equal(namesOf(page.Messages), want[i:i+1])
		})
		for _, d := range page.Messages[0].Deliveries {
			if d.EndpointID == e.ID {
				assert.Equal(t, status, string(d.Status))
				assert.Equal(t, status == "pending", d.NextAttemptAt != nil)
			}
		}
		require.Len(t, page.Messages[0].Deliveries, 2, "the other endpoint's is shown as well")
	}
}

func TestMessagesGet_FiltersAndWalksBothWays(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	for i := range 5 {
		kit.Dispatch(env, kit.Instant(env), func(d *redline.DispatchRequest) { d.OrganizationID = new([]string{"acme", "other"}[i%2]) }).Ends("completed")
	}
	everything := messages(env)
	kit.Attempted(env, kit.Of(e.ID), 5)
	own := messages(env, kit.Of(e.ID)).Messages
	require.Len(t, own, 5)
	keeps := map[*map[string]any]func(m redline.Message) bool{
		{"eventTypes": []string{"execution.completed", "step.completed"}}: func(m redline.Message) bool {
			return m.Event == "execution.completed" || m.Event == "step.completed"
		},
		{"channel": "organization:acme"}:                    func(m redline.Message) bool { return slices.Contains(m.Channels, "organization:acme") },
		{"messageIds": []string{own[3].ID, own[1].ID, "x"}}: func(m redline.Message) bool { return m.ID == own[1].ID || m.ID == own[3].ID },
		{"after": own[3].CreatedAt, "before": own[1].CreatedAt}: func(m redline.Message) bool {
			return m.CreatedAt >= own[3].CreatedAt && m.CreatedAt < own[1].CreatedAt
		},
		{"before": instant(t, own[2].CreatedAt).UnixMilli()}: func(m redline.Message) bool { return m.CreatedAt < own[2].CreatedAt },
		{"endpointId": e.ID, "channel": "organization:other", "status": "succeeded"}: func(m redline.Message) bool {
			return m.Event == "execution.completed" && slices.Contains(m.Channels, "organization:other")
		},
		{"endpointId": e.ID, "messageIds": []string{own[0].ID, everything.Messages[1].ID}}: func(m redline.Message) bool { return m.ID == own[0].ID },
	}
	for filter, keep := range keeps {
		want := slices.DeleteFunc(slices.Clone(everything.Messages), func(m redline.Message) bool { return !keep(m) })
		require.NotEmpty(t, want, "%v", *filter)
		require.Equal(t, namesOf(want), namesOf(messages(env, *filter).Messages), "%v", *filter)
		walkedBothWays(env, *filter, namesOf(want))
	}
	walkedBothWays(env, map[string]any{}, namesOf(everything.Messages))
}

// walkedBothWays proves that pages of two lead through a list to its end and back.
func walkedBothWays(env *kit.Env, filter map[string]any, want []string) {
	env.T.Helper()
	two := kit.Merged(maps.Clone(filter), map[string]any{"limit": 2})
	page := messages(env, two)
	pages := [][]string{namesOf(page.Messages)}
	require.Nil(env.T, page.PrevIterator)
	for !page.Done {
		page = messages(env, two, map[string]any{"iterator": *page.Iterator})
		pages = append(pages, namesOf(page.Messages))
	}
	require.Nil(env.T, page.Iterator)
	require.Equal(env.T, want, slices.Concat(pages...))
	for i := len(pages) - 2; i >= 0; i-- {
		page = messages(env, two, map[string]any{"iterator": *page.PrevIterator})
		require.Equal(env.T, pages[i], namesOf(page.Messages))
		require.False(env.T, page.Done)
	}
	require.Nil(env.T, page.PrevIterator)
}

func TestMessagesGet_WhatIsRefused(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	first := messages(env, map[string]any{"limit": 1})
	require.NotNil(t, first.Iterator)
	for _, faulty := range []map[string]any{
		{"status": "pending"},
		{"status": "delivered", "endpointId": "x"},
		{"eventTypes": kit.Many(51)},
		{"messageIds": kit.Many(101)},
		{"includePayload": true, "limit": 21},
		{"limit": 0},
		{"limit": 251},
		{"after": "yesterday"},
		{"iterator": *first.Iterator + "x"},
		{"iterator": *first.Iterator, "channel": "organization:acme"},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.GetMessages, faulty)
	}
	messages(env, map[string]any{"includePayload": true, "limit": 20}, map[string]any{"eventTypes": kit.Many(50), "messageIds": kit.Many(100)})
}

// Payloads are gone after 30 days, what is known of the message stays.
func TestMessagesGet_4_ThePayloadGoesBeforeTheMessage(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.FastWebhooks)
	kit.EndpointAt(kit.Hooked(env), "/kept", map[string]any{"disabled": true})
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	payloads := map[string]any{"includePayload": true}
	before := messages(env, payloads).Messages
	require.NotEmpty(t, before)
	require.NotEmpty(t, before[0].Payload)
	rows := env.DB()
	agesIn(env, rows, 31, "messages", "message_bodies")
	kit.RequireEventually(t, "the payloads go", func() bool { return stored(env, rows) == 0 })
	after := messages(env, payloads).Messages
	require.Equal(t, namesOf(before), namesOf(after))
	for _, m := range after {
		require.Empty(t, m.Payload)
	}
	require.WithinDuration(t, instant(t, before[0].CreatedAt).AddDate(0, 0, -31), instant(t, after[0].CreatedAt), 2*time.Hour)
}

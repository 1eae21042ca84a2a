package tests

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

type messageView struct {
	ID, Event  string
	Channels   []string
	Sequence   int64
	CreatedAt  string
	Deliveries []struct {
		EndpointID, Status           string
		Attempts                     int
		Class                        *string
		LastAttemptAt, NextAttemptAt *string
	}
	Payload *string
}

type messagePage struct {
	Messages     []messageView
	Iterator     *string
	PrevIterator *string
	Done         bool
}

func (s *scene) messages(data ...map[string]any) messagePage {
	s.t.Helper()
	var page client.Wrapped[messagePage]
	s.call(getMessages, merged(map[string]any{}, data...), &page)
	return page.Data
}

// namesOf are the ids of messages in their order.
func namesOf(messages []messageView) []string {
	ids := []string{}
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestMessagesGet_1and3_WhatMatchedNothingIsListedAndWhoIsUnknownHasNone(t *testing.T) {
	s := begin(t).hooked()
	s.dispatch(s.instant(), func(d *client.Dispatch) { d.OrganizationID = "acme" }).ends("completed")
	page := s.messages()
	require.NotEmpty(t, page.Messages)
	for _, m := range page.Messages {
		require.NotNil(t, m.Deliveries)
		require.Empty(t, m.Deliveries)
		require.Contains(t, m.Channels, "organization:acme")
		require.Regexp(t, `^msg_`, m.ID)
		require.Nil(t, m.Payload)
	}
	require.True(t, page.Done && page.Iterator == nil && page.PrevIterator == nil)
	require.True(t, slices.IsSortedFunc(page.Messages, func(a, b messageView) int { return int(b.Sequence - a.Sequence) }), "newest first")
	nobody := s.messages(of("ep_none"))
	require.NotNil(t, nobody.Messages)
	require.Empty(t, nobody.Messages)
	require.True(t, nobody.Done)
}

// The payload is what was sent, byte for byte.
func TestMessagesGet_TheExactBody(t *testing.T) {
	s := begin(t).hooked()
	e, a := s.deliveredTo("/told")
	body := string(s.receiver().Requests("/told")[0].Body)
	page := s.messages(of(e.ID), map[string]any{"includePayload": true})
	require.Len(t, page.Messages, 1)
	m := page.Messages[0]
	assert.Equal(t, a.MessageID, m.ID)
	require.NotNil(t, m.Payload)
	assert.Equal(t, body, *m.Payload)
	require.Len(t, m.Deliveries, 1)
	d := m.Deliveries[0]
	assert.Equal(t, []any{e.ID, "succeeded", 1, "ok", a.StartedAt}, []any{d.EndpointID, d.Status, d.Attempts, *d.Class, *d.LastAttemptAt})
	assert.Nil(t, d.NextAttemptAt)
}

// The status that messages are narrowed by is the one that their deliveries show.
func TestMessagesGet_5_TheStatusIsTheDeliveries(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCompleted, map[string]any{"uid": "desk-1"})
	s.endpointAt("/other", onlyCompleted)
	var want []string
	for _, code := range []int{200, 410, 503} {
		s.receiver().Answer("/told", receiver.Answer{Status: code, Header: map[string]string{"retry-after": "1800"}})
		s.dispatch(s.instant()).ends("completed")
		want = append(want, s.attempted(of(e.ID), len(want)+1)[0].MessageID)
		if code == 410 {
			s.change(e.ID, map[string]any{"disabled": false})
		}
	}
	for i, status := range []string{"succeeded", "failed", "pending"} {
		var page messagePage
		eventually(t, "the endpoint's are told apart", func() bool {
			page = s.messages(of("desk-1"), map[string]any{"status": status})
			return slices.Equal(namesOf(page.Messages), want[i:i+1])
		})
		for _, d := range page.Messages[0].Deliveries {
			if d.EndpointID == e.ID {
				assert.Equal(t, status, d.Status)
				assert.Equal(t, status == "pending", d.NextAttemptAt != nil)
			}
		}
		require.Len(t, page.Messages[0].Deliveries, 2, "the other endpoint's is shown as well")
	}
}

func TestMessagesGet_FiltersAndWalksBothWays(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCompleted)
	for i := range 5 {
		s.dispatch(s.instant(), func(d *client.Dispatch) { d.OrganizationID = []string{"acme", "other"}[i%2] }).ends("completed")
	}
	everything := s.messages()
	s.attempted(of(e.ID), 5)
	own := s.messages(of(e.ID)).Messages
	require.Len(t, own, 5)
	keeps := map[*map[string]any]func(m messageView) bool{
		{"eventTypes": []string{"execution.completed", "step.completed"}}: func(m messageView) bool {
			return m.Event == "execution.completed" || m.Event == "step.completed"
		},
		{"channel": "organization:acme"}:                    func(m messageView) bool { return slices.Contains(m.Channels, "organization:acme") },
		{"messageIds": []string{own[3].ID, own[1].ID, "x"}}: func(m messageView) bool { return m.ID == own[1].ID || m.ID == own[3].ID },
		{"after": own[3].CreatedAt, "before": own[1].CreatedAt}: func(m messageView) bool {
			return m.CreatedAt >= own[3].CreatedAt && m.CreatedAt < own[1].CreatedAt
		},
		{"before": instant(t, own[2].CreatedAt).UnixMilli()}: func(m messageView) bool { return m.CreatedAt < own[2].CreatedAt },
		{"endpointId": e.ID, "channel": "organization:other", "status": "succeeded"}: func(m messageView) bool {
			return m.Event == "execution.completed" && slices.Contains(m.Channels, "organization:other")
		},
		{"endpointId": e.ID, "messageIds": []string{own[0].ID, everything.Messages[1].ID}}: func(m messageView) bool { return m.ID == own[0].ID },
	}
	for filter, keep := range keeps {
		want := slices.DeleteFunc(slices.Clone(everything.Messages), func(m messageView) bool { return !keep(m) })
		require.NotEmpty(t, want, "%v", *filter)
		require.Equal(t, namesOf(want), namesOf(s.messages(*filter).Messages), "%v", *filter)
		s.walkedBothWays(*filter, namesOf(want))
	}
	s.walkedBothWays(map[string]any{}, namesOf(everything.Messages))
}

// walkedBothWays proves that pages of two lead through a list to its end and back.
func (s *scene) walkedBothWays(filter map[string]any, want []string) {
	s.t.Helper()
	two := merged(maps.Clone(filter), map[string]any{"limit": 2})
	page := s.messages(two)
	pages := [][]string{namesOf(page.Messages)}
	require.Nil(s.t, page.PrevIterator)
	for !page.Done {
		page = s.messages(two, map[string]any{"iterator": *page.Iterator})
		pages = append(pages, namesOf(page.Messages))
	}
	require.Nil(s.t, page.Iterator)
	require.Equal(s.t, want, slices.Concat(pages...))
	for i := len(pages) - 2; i >= 0; i-- {
		page = s.messages(two, map[string]any{"iterator": *page.PrevIterator})
		require.Equal(s.t, pages[i], namesOf(page.Messages))
		require.False(s.t, page.Done)
	}
	require.Nil(s.t, page.PrevIterator)
}

func TestMessagesGet_WhatIsRefused(t *testing.T) {
	s := begin(t).hooked()
	s.dispatch(s.instant()).ends("completed")
	first := s.messages(map[string]any{"limit": 1})
	require.NotNil(t, first.Iterator)
	for _, faulty := range []map[string]any{
		{"status": "pending"},
		{"status": "delivered", "endpointId": "x"},
		{"eventTypes": many(51)},
		{"messageIds": many(101)},
		{"includePayload": true, "limit": 21},
		{"limit": 0},
		{"limit": 251},
		{"after": "yesterday"},
		{"iterator": *first.Iterator + "x"},
		{"iterator": *first.Iterator, "channel": "organization:acme"},
	} {
		s.refusedAs("INVALID_ARGUMENT", getMessages, faulty)
	}
	s.messages(map[string]any{"includePayload": true, "limit": 20}, map[string]any{"eventTypes": many(50), "messageIds": many(100)})
}

// Payloads are gone after 30 days, what is known of the message stays.
func TestMessagesGet_4_ThePayloadGoesBeforeTheMessage(t *testing.T) {
	s, _ := beginAt(t, fastWebhooks)
	s.hooked().dispatch(s.instant()).ends("completed")
	payloads := map[string]any{"includePayload": true}
	before := s.messages(payloads).Messages
	require.NotEmpty(t, before)
	require.NotNil(t, before[0].Payload)
	rows := s.rows()
	s.agesIn(rows, 31, "messages", "message_bodies")
	eventually(t, "the payloads go", func() bool { return s.stored(rows) == 0 })
	after := s.messages(payloads).Messages
	require.Equal(t, namesOf(before), namesOf(after))
	for _, m := range after {
		require.Nil(t, m.Payload)
	}
	require.WithinDuration(t, instant(t, before[0].CreatedAt).AddDate(0, 0, -31), instant(t, after[0].CreatedAt), 2*time.Hour)
}

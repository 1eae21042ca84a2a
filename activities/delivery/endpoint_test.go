package delivery

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

const endpointKey = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// parcel is a message on its way to an endpoint.
func parcel(number int64) *delivery.Claimed {
	return &delivery.Claimed{
		ID: number, WorkspaceID: target.WorkspaceID, DestinationID: target.DestinationID, Limit: 15 * time.Second, BegunAt: time.Now(), URL: "http://hooks.test/",
		Message: &delivery.ClaimedMessage{
			ID: "msg_1", Event: "comment.add", CreatedAt: time.Now(), Body: []byte(`{"event":"comment.add"}`), Secrets: [][]byte{[]byte(endpointKey)},
		},
	}
}

// sent sends one row and gives its outcome.
func sent(t *testing.T, row *delivery.Claimed, reply replies) delivery.Outcome {
	t.Helper()
	o := &outbox{}
	d := newActivities(t, o, 1, reply)
	d.slots.Take(target.WorkspaceID, 1)
	d.start([]*delivery.Claimed{row}, time.Now())
	d.Wait(t.Context())
	require.Len(t, o.outcomes(), 1)
	return o.outcomes()[0]
}

func TestAnEndpointGetsTheStandardsHeadersAlone(t *testing.T) {
	t.Parallel()
	got := sent(t, parcel(1), func(_ context.Context, r guard.Request) (*guard.Response, error) {
		official, err := standardwebhooks.NewWebhook(endpointKey)
		assert.NoError(t, err)
		assert.NoError(t, official.Verify(r.Body, r.Header))
		assert.Len(t, r.Header, 5)
		return &guard.Response{Status: http.StatusNoContent}, nil
	})
	assert.Equal(t, webhook.OK, got.Class)
	assert.Equal(t, 204, got.Status)
}

func TestTheBodyOfAnAnswerNeverDecides(t *testing.T) {
	t.Parallel()
	got := sent(t, parcel(1), func(context.Context, guard.Request) (*guard.Response, error) {
		return &guard.Response{Status: http.StatusOK, Body: []byte("a\xffb\x00c"), BodyErr: &guard.Error{Class: guard.ClassTimeout}}, nil
	})
	assert.Equal(t, webhook.OK, got.Class)
	assert.Equal(t, "a\uFFFDb\uFFFDc", got.Body)
}

func TestOutcomesOfEndpoints(t *testing.T) {
	t.Parallel()
	for status, class := range map[int]webhook.Class{302: "http-3xx", 404: "http-4xx", 410: "gone", 429: "throttled", 500: "http-5xx", 503: "throttled"} {
		got := sent(t, parcel(1), func(context.Context, guard.Request) (*guard.Response, error) {
			return &guard.Response{Status: status, Header: http.Header{"Retry-After": {"7"}}}, nil
		})
		assert.Equal(t, class, got.Class)
		assert.Equal(t, class == webhook.Throttled, got.RetryAfter == 7*time.Second)
		assert.Equal(t, class == webhook.Throttled, got.AsksToWait)
	}
	for _, class := range []guard.Class{guard.ClassTimeout, guard.ClassRefused} {
		got := sent(t, parcel(1), func(context.Context, guard.Request) (*guard.Response, error) { return nil, &guard.Error{Class: class} })
		assert.Equal(t, string(class), string(got.Class))
		assert.Zero(t, got.Status)
	}
}

func TestWhatStartsLateAsksOnceMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for closed, class := range map[bool]webhook.Class{false: webhook.OK, true: webhook.Interrupted} {
			o := &outbox{closed: closed}
			d := newActivities(t, o, 3, func(_ context.Context, r guard.Request) (*guard.Response, error) {
				assert.False(t, closed && r.URL == parcel(1).URL, "nobody is sent anything any more")
				return &guard.Response{Status: http.StatusOK}, nil
			})
			d.slots.Take(target.WorkspaceID, 3)
			d.start([]*delivery.Claimed{parcel(1)}, time.Now().Add(-delivery.StartWithin))
			d.start([]*delivery.Claimed{event(2, "exec_1")}, time.Now().Add(-delivery.StartWithin))
			d.mailer = relay(func(context.Context, string) (Mailed, error) {
				assert.False(t, closed, "mails are switched off")
				return Mailed{Class: webhook.OK, Result: delivery.MailSent}, nil
			})
			d.start([]*delivery.Claimed{mailed(3, "eml_1")}, time.Now().Add(-delivery.StartWithin))
			d.Wait(t.Context())
			assert.ElementsMatch(t, []int64{1, 3}, o.late, "a receiver's are not asked for")
			classes := map[int64]webhook.Class{}
			for _, outcome := range o.outcomes() {
				classes[outcome.Claimed.ID] = outcome.Class
			}
			assert.Equal(t, map[int64]webhook.Class{1: class, 2: webhook.OK, 3: class}, classes)
		}
	})
}

func TestAnAttemptThatPanicsEndsNoOther(t *testing.T) {
	t.Parallel()
	o := &outbox{}
	d := newActivities(t, o, 10, func(_ context.Context, r guard.Request) (*guard.Response, error) {
		if r.URL == parcel(1).URL {
			panic("what the endpoint answers is too much")
		}
		return &guard.Response{Status: http.StatusOK}, nil
	})
	d.slots.Take(target.WorkspaceID, 2)
	d.start([]*delivery.Claimed{parcel(1), event(2, "exec_1")}, time.Now())
	d.Wait(t.Context())
	classes := map[int64]webhook.Class{}
	for _, outcome := range o.outcomes() {
		classes[outcome.Claimed.ID] = outcome.Class
	}
	assert.Equal(t, map[int64]webhook.Class{1: webhook.Interrupted, 2: webhook.OK}, classes)
	assert.EqualValues(t, 10, d.slots.Free(), "all slots are back")
}

func TestAMessageWithoutItsBodyIsNotSent(t *testing.T) {
	t.Parallel()
	row := parcel(1)
	row.Message.Body = nil
	got := sent(t, row, func(context.Context, guard.Request) (*guard.Response, error) {
		t.Error("it was sent")
		return nil, &guard.Error{Class: guard.ClassTimeout}
	})
	assert.Equal(t, webhook.Expired, got.Class)
}

// relay plays the relays of mails.
type relay func(ctx context.Context, mailID string) (Mailed, error)

func (p relay) Send(ctx context.Context, _, mailID string, mayStart func() bool) (Mailed, error) {
	if !mayStart() {
		return Mailed{Class: webhook.Interrupted}, nil
	}
	return p(ctx, mailID)
}

// mailed is a mail on its way to its relay.
func mailed(number int64, mailID string) *delivery.Claimed {
	return &delivery.Claimed{
		ID: number, WorkspaceID: target.WorkspaceID, DestinationID: target.DestinationID, Limit: 30 * time.Second, MailID: mailID,
	}
}

func TestMailsGoToTheirRelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{}
		d := newActivities(t, o, 3, fine)
		begun := time.Now()
		d.mailer = relay(func(ctx context.Context, mailID string) (Mailed, error) {
			until, limited := ctx.Deadline()
			assert.True(t, limited)
			assert.WithinRange(t, until.Add(-30*time.Second), begun, time.Now())
			switch mailID {
			case "eml_lost":
				return Mailed{}, errors.New("the database is away")
			case "eml_bad":
				return Mailed{Class: "recipient", Result: delivery.MailFailed}, nil
			}
			return Mailed{Class: webhook.OK, Result: delivery.MailSent}, nil
		})
		rows := make([]*delivery.Claimed, 0, 3)
		for i, id := range []string{"eml_good", "eml_lost", "eml_bad"} {
			rows = append(rows, mailed(int64(i), id))
		}
		d.slots.Take(target.WorkspaceID, 3)
		d.start(rows, time.Now())
		d.Wait(t.Context())
		results := map[string]string{}
		for _, got := range o.outcomes() {
			results[got.Claimed.MailID] = string(got.Class) + " " + got.MailResult
		}
		assert.Equal(t, map[string]string{"eml_good": "ok sent", "eml_bad": "recipient failed"}, results, "the lost one stays held")
	})
}

func TestCancelledRowsAreEndedBeforeAnyIsClaimed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{kind: contract.KindEndpoint, cancelled: 3, due: []*delivery.Claimed{parcel(1)}}
		d := newActivities(t, o, 10, fine)
		dispatchUntil(t, d, stopWhen(t, func() bool { o.mu.Lock(); defer o.mu.Unlock(); return o.cancelled == 0 && len(o.recorded) == 1 }))
		assert.Zero(t, o.cancelled)
		assert.Len(t, o.outcomes(), 1)
	})
}

func TestThePaceOfADestinationIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{kind: contract.KindEndpoint, owner: "me", more: true, again: 30 * time.Millisecond}
		run := &dispatcher{
			Activities: newActivities(t, o, 1, fine), to: dispatched(contract.KindEndpoint), owner: "me", renewed: time.Now(),
			ends: time.Now().Add(lingers), notified: poll.NewSignal(),
		}
		_, wait, err := run.claimOnce(t.Context())
		require.NoError(t, err)
		assert.True(t, wait)
		begun := time.Now()
		assert.True(t, run.pause(t.Context()))
		assert.Equal(t, 30*time.Millisecond, time.Since(begun))
		o.more, o.again = false, time.Hour
		_, _, err = run.claimOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, run.paced, "nothing is due")
	})
}

func TestTextOfAnAnswerIsText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, strings.Repeat("é", 3), text([]byte("ééé")))
	assert.Empty(t, text(nil))
}

// What stands for bytes that are no text is longer than they are: the text still
// ends within the limit, after a whole character.
func TestTextOfAnAnswerKeepsToTheLimit(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("é", answerLimit/2)
	assert.Equal(t, whole, text([]byte(whole)), "nothing is to be replaced")
	for raw, want := range map[string]string{
		strings.Repeat("\x00", answerLimit):         strings.Repeat(replacement, answerLimit/3),
		"\x00" + strings.Repeat("é", answerLimit/2): replacement + strings.Repeat("é", (answerLimit-3)/2),
		strings.Repeat("\xff😀", answerLimit/5):      strings.Repeat(replacement+"😀", answerLimit/7) + replacement,
		strings.Repeat("a", answerLimit-1) + "\xc3": strings.Repeat("a", answerLimit-1),
	} {
		got := text([]byte(raw))
		assert.LessOrEqual(t, len(got), answerLimit)
		assert.Equal(t, want, got)
	}
}

func TestTheSimpleReceiverGetsItsTokenBesides(t *testing.T) {
	t.Parallel()
	row := parcel(1)
	row.Message.Token = "b3BlbjpzZXNhbWU="
	got := sent(t, row, func(_ context.Context, r guard.Request) (*guard.Response, error) {
		assert.Equal(t, "Basic b3BlbjpzZXNhbWU=", r.Header.Get("authorization"))
		assert.Len(t, r.Header, 6)
		return &guard.Response{Status: http.StatusNoContent}, nil
	})
	assert.Equal(t, webhook.OK, got.Class)
}

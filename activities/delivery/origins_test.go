package delivery

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/pace"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// shop is an origin of receivers, of which all answers came and were fine before.
var shop = originKey{"dst_1", "https://shop.test:443"}

// proven are the origins of a process with a hundred slots, to which none has to prove itself.
func proven(keys ...originKey) *origins {
	o := newOrigins(100, pace.New(time.Now))
	for _, key := range append(keys, shop) {
		o.pace.Answered(key.origin, http.StatusOK)
	}
	return o
}

// takeAll takes all the concurrency there is.
func (o *origins) takeAll(at originKey, kind string) int {
	taken, _ := o.take(at, kind, 1000)
	return taken
}

// all notes the same of n requests to a receiver.
func (o *origins) all(at originKey, n int, class webhook.Class) {
	for range n {
		o.ended(at, delivery.Outcome{Claimed: &delivery.Claimed{}, Class: class}, true, time.Now())
	}
}

func TestConcurrencyGrowsWithSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := proven()
		for _, want := range []int{1, 2, 8, 50, 50} { // each success doubles
			assert.Equal(t, want, o.takeAll(shop, contract.KindReceiver))
			assert.Zero(t, o.takeAll(shop, contract.KindReceiver), "none before an answer")
			o.all(shop, want, webhook.ServerError) // any answer in time counts as a success
		}
		o.all(shop, o.takeAll(shop, contract.KindReceiver), webhook.Timeout)
		time.Sleep(throttledPause)
		assert.Equal(t, 1, o.takeAll(shop, contract.KindReceiver), "fifty failures in a row: it is throttled")
	})
}

func TestAFailureSetsTheConcurrencyBack(t *testing.T) {
	t.Parallel()
	o := proven()
	for range 3 {
		o.all(shop, o.takeAll(shop, contract.KindReceiver), webhook.OK)
	}
	assert.Equal(t, 50, o.takeAll(shop, contract.KindReceiver))
	o.all(shop, 44, webhook.OK)
	o.all(shop, 1, webhook.Unreachable)
	o.all(shop, 5, webhook.OK)
	assert.Equal(t, 32, o.takeAll(shop, contract.KindReceiver), "five successes after the failure")
	o.all(shop, 31, webhook.OK)
	o.all(shop, 1, webhook.Unreachable)
	assert.Equal(t, 1, o.takeAll(shop, contract.KindReceiver))
}

func TestWhatCountsAsASuccess(t *testing.T) {
	t.Parallel()
	receiver, endpoint, mail := &delivery.Claimed{}, &delivery.Claimed{Message: &delivery.ClaimedMessage{}}, &delivery.Claimed{MailID: "eml_1"}
	for _, c := range []struct {
		outcome delivery.Outcome
		want    bool
	}{
		{delivery.Outcome{Claimed: receiver, Class: webhook.ServerError}, true},
		{delivery.Outcome{Claimed: receiver, Class: webhook.Timeout}, false},
		{delivery.Outcome{Claimed: endpoint, Class: webhook.OK}, true},
		{delivery.Outcome{Claimed: endpoint, Class: webhook.ServerError}, false},
		{delivery.Outcome{Claimed: mail, Class: webhook.OK, MailResult: delivery.MailSent}, true},
		{delivery.Outcome{Claimed: mail, Class: "recipient", MailResult: delivery.MailFailed}, true},
		{delivery.Outcome{Claimed: mail, Class: "auth"}, false},
	} {
		assert.Equal(t, c.want, succeeded(c.outcome), "%s %s", c.outcome.Claimed.Kind(), c.outcome.Class)
	}
}

func TestFiveFailuresInARowThrottleAnOrigin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := proven()
		o.all(shop, o.takeAll(shop, contract.KindReceiver), webhook.OK)
		for range 4 {
			o.takeAll(shop, contract.KindReceiver)
			o.all(shop, 1, webhook.Timeout)
		}
		assert.Zero(t, o.countThrottled())
		o.all(shop, 1, webhook.DNS)
		assert.Equal(t, 1, o.countThrottled())
		o.giveBack(shop, 10)
		taken, wait := o.take(shop, contract.KindReceiver, 10)
		assert.Zero(t, taken)
		assert.Equal(t, throttledPause, wait, "it is left alone for a while")
		time.Sleep(wait)
		assert.Equal(t, 1, o.takeAll(shop, contract.KindReceiver))
		time.Sleep(time.Minute)
		taken, wait = o.take(shop, contract.KindReceiver, 10)
		assert.Zero(t, taken, "one at a time")
		assert.Zero(t, wait, "until that one has ended")
		o.all(shop, 1, webhook.OK)
		assert.Equal(t, 2, o.takeAll(shop, contract.KindReceiver), "one success brings it back")
		assert.Zero(t, o.countThrottled())
	})
}

// However many origins hang from the beginning, they hold few slots as soon as they have failed once.
func TestTheFirstFailureThrottlesAnOriginThatNeverAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var keys []originKey
		for i := range 300 {
			keys = append(keys, originKey{fmt.Sprint("dst_", i), fmt.Sprintf("https://hangs-%d.test:443", i)})
		}
		o := proven(keys...)
		all := func() (taken int) {
			for _, key := range keys {
				taken += o.takeAll(key, contract.KindReceiver)
			}
			return taken
		}
		assert.Equal(t, 300, all(), "one of each")
		for _, key := range keys {
			o.all(key, 1, webhook.Timeout)
		}
		time.Sleep(throttledPause)
		assert.Equal(t, 25, all())
		o.all(keys[0], 1, webhook.OK)
		o.takeAll(keys[0], contract.KindReceiver)
		o.all(keys[0], 1, webhook.Timeout)
		assert.Equal(t, 299, o.countThrottled(), "it has answered")
	})
}

func TestAnAttemptThatWasNotMadeSaysNothing(t *testing.T) {
	t.Parallel()
	o := proven()
	for range throttledAfter {
		o.takeAll(shop, contract.KindReceiver)
		o.all(shop, 1, webhook.Interrupted)
		o.all(shop, 1, webhook.RefusedByPolicy)
		o.ended(shop, delivery.Outcome{Claimed: &delivery.Claimed{}, Class: webhook.Timeout}, false, time.Now())
	}
	assert.Equal(t, failing{}, o.failing(shop.destinationID))
	assert.Equal(t, firstConcurrency, o.takeAll(shop, contract.KindReceiver))
}

func TestThrottledOriginsHaveAQuarterOfTheSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var keys []originKey
		for i := range 30 {
			keys = append(keys, originKey{fmt.Sprint("dst_", i), fmt.Sprintf("https://bad-%d.test:443", i)})
		}
		o := proven(keys...)
		for _, key := range keys {
			o.takeAll(key, contract.KindReceiver)
			o.all(key, throttledAfter, webhook.Timeout)
		}
		time.Sleep(time.Second)
		taken := 0
		for _, key := range keys {
			taken += o.takeAll(key, contract.KindReceiver)
		}
		assert.Equal(t, 25, taken)
		other := originKey{"ep_1", shop.origin}
		o.takeAll(other, contract.KindEndpoint)
		for range throttledAfter {
			o.ended(other, delivery.Outcome{Claimed: &delivery.Claimed{Message: &delivery.ClaimedMessage{}}, Class: webhook.Timeout}, true, time.Now())
		}
		time.Sleep(time.Second)
		assert.Equal(t, 1, o.takeAll(other, contract.KindEndpoint), "those of another kind have theirs")
		o.all(keys[0], 1, webhook.Timeout)
		assert.Equal(t, 1, o.takeAll(keys[29], contract.KindReceiver), "what one gives back is another's")
		assert.Equal(t, 1, newOrigins(2, pace.New(time.Now)).throttledMost, "never none at all")
	})
}

func TestWhichOriginHasFailedLongest(t *testing.T) {
	t.Parallel()
	other := originKey{shop.destinationID, "https://other.test:443"}
	o := proven(other)
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	fails := func(at originKey, class webhook.Class, after time.Duration) {
		o.takeAll(at, contract.KindReceiver)
		o.ended(at, delivery.Outcome{Claimed: &delivery.Claimed{}, Class: class}, true, begun.Add(after))
	}
	fails(shop, webhook.OK, 0)
	fails(other, webhook.OK, 0)
	fails(shop, webhook.Timeout, time.Minute)
	fails(other, webhook.DNS, 2*time.Minute)
	fails(shop, webhook.TLS, 3*time.Minute)
	assert.Equal(t, failing{since: begun.Add(time.Minute), lastClass: webhook.TLS}, o.failing(shop.destinationID))
	fails(shop, webhook.OK, 4*time.Minute)
	assert.Equal(t, failing{since: begun.Add(2 * time.Minute), lastClass: webhook.DNS}, o.failing(shop.destinationID))
	fails(other, webhook.OK, 5*time.Minute)
	assert.Equal(t, failing{}, o.failing(shop.destinationID))
	for range throttledAfter {
		fails(other, webhook.DNS, time.Hour)
	}
	assert.True(t, o.failing(shop.destinationID).throttled)
	assert.Equal(t, failing{}, o.failing("dst_2"), "another's are nothing to it")
}

func TestAnIdleOriginIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := proven()
		o.takeAll(shop, contract.KindReceiver)
		o.all(shop, 2, webhook.OK)
		o.takeAll(shop, contract.KindReceiver)
		time.Sleep(forgetAfter + time.Second)
		other := originKey{"dst_2", "https://other.test:443"}
		o.takeAll(other, contract.KindReceiver)
		assert.Equal(t, 2, o.known.Len(), "one with requests under way is not idle")
		o.all(shop, 8, webhook.OK)
		o.all(other, 1, webhook.OK)
		time.Sleep(forgetAfter + time.Second)
		assert.Equal(t, firstConcurrency, o.takeAll(shop, contract.KindReceiver))
		assert.Equal(t, 1, o.known.Len())
		assert.Len(t, o.of, 1)
	})
}

func TestOriginsAreKeptUpToANumber(t *testing.T) {
	t.Parallel()
	o := newOrigins(100, pace.New(time.Now))
	for i := range 2 * knownOrigins {
		o.take(originKey{"dst_1", fmt.Sprint("https://", i)}, contract.KindReceiver, 1)
	}
	assert.Equal(t, knownOrigins, o.known.Len())
	assert.Len(t, o.of["dst_1"], knownOrigins)
	assert.Equal(t, knownOrigins, o.pace.Known())
	gone := originKey{"dst_1", "https://0"}
	o.all(gone, 1, webhook.Timeout)
	assert.Equal(t, failing{}, o.failing("dst_1"), "the end of a request that nobody remembers")
}

// However many workspaces name an origin, it has five attempts a second until it has
// answered with a 2xx.
func TestAnOriginThatHasNotProvedItselfHasFiveAttemptsASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOrigins(1000, pace.New(time.Now))
		begun := 0
		for range 100 { // ten seconds
			for i := range 100 {
				begun += o.takeAll(originKey{fmt.Sprint("ep_", i), shop.origin}, contract.KindEndpoint)
			}
			time.Sleep(100 * time.Millisecond)
		}
		assert.Equal(t, 50, begun)
	})
}

func TestTheFirst2xxLiftsThePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o, other := newOrigins(100, pace.New(time.Now)), originKey{"ep_other", shop.origin}
		assert.Equal(t, 1, o.takeAll(shop, contract.KindReceiver))
		taken, wait := o.take(other, contract.KindEndpoint, 10)
		assert.Zero(t, taken, "of all workspaces together")
		assert.Equal(t, pace.Every, wait)
		assert.Equal(t, firstConcurrency, o.takeAll(originKey{"dst_mail", ""}, contract.KindMail), "mails are not meant")
		o.all(shop, 1, webhook.ServerError)
		o.pace.Answered(shop.origin, http.StatusInternalServerError)
		assert.Zero(t, o.takeAll(other, contract.KindEndpoint), "an answer that is no 2xx proves nothing")
		time.Sleep(pace.Every)
		assert.Equal(t, 1, o.takeAll(other, contract.KindEndpoint))
		o.giveBack(other, 1)
		assert.Equal(t, 1, o.takeAll(other, contract.KindEndpoint), "what has not begun is given back")
		o.all(shop, 1, webhook.OK)
		o.pace.Answered(shop.origin, http.StatusOK)
		o.giveBack(other, 1)
		assert.Equal(t, 1, o.takeAll(other, contract.KindEndpoint), "at once")
		time.Sleep(24 * time.Hour)
		o.giveBack(other, 1)
		assert.Equal(t, 1, o.takeAll(other, contract.KindEndpoint), "for a day")
	})
}

package delivery

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/pace"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// dispatching is a dispatcher that claims of the rows.
func dispatching(d *Activities, o *outbox, kind string) *dispatcher {
	to := dispatched(kind)
	to.URL, o.owner = o.url, "me"
	return &dispatcher{
		Activities: d, to: to, owner: "me", renewed: time.Now(), ends: time.Now().Add(lingers), last: time.Now().Add(dispatchLongest), notified: poll.NewSignal(),
	}
}

// eventsTo is an event for each of n origins, which begin with the prefix.
func eventsTo(prefix string, n int) []*delivery.Claimed {
	rows := events(n, prefix)
	for i, row := range rows {
		row.Origin = fmt.Sprintf("https://%s-%04d.test:443", prefix, i)
	}
	return rows
}

// throttle makes throttled ones of the origins of rows.
func throttle(d *Activities, rows []*delivery.Claimed) {
	for _, row := range rows {
		d.origins.take(originOf(row), row.Kind(), 1)
		for range throttledAfter {
			d.origins.ended(originOf(row), delivery.Outcome{Claimed: row, Class: webhook.Timeout}, true, time.Now())
		}
	}
}

func TestOriginsWithoutConcurrencyHideNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow, well := eventsTo("a-slow", 1500), eventsTo("b-well", 3)
		o := &outbox{due: append(slow, well...)}
		d := newActivities(t, o, 1000, fine)
		throttle(d, slow)
		run := dispatching(d, o, contract.KindReceiver)
		claimed, pieces := 0, 0
		for wait := false; !wait; pieces++ {
			var n int
			var err error
			n, wait, err = run.claimOnce(t.Context())
			require.NoError(t, err)
			claimed += n
			require.Less(t, pieces, 40, "who finds nothing waits")
		}
		assert.Equal(t, len(well), claimed)
		assert.True(t, run.full, "what is due may not be sent yet")
		assert.Equal(t, throttledPause, run.soon)
		assert.Equal(t, len(well), returned(d, o))
		assert.EqualValues(t, 1000, d.slots.Free(), "slots are for what is sent alone")
	})
}

// returned waits for the requests under way and counts them.
func returned(d *Activities, o *outbox) int {
	d.Wait(context.Background())
	return len(o.outcomes())
}

func TestManyOriginsHaveTheirTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{due: eventsTo("each", 250)}
		d := newActivities(t, o, 1000, fine)
		run := dispatching(d, o, contract.KindReceiver)
		for _, want := range []int{100, 100, 50} {
			claimed, wait, err := run.claimOnce(t.Context())
			require.NoError(t, err)
			assert.Equal(t, want, claimed)
			assert.False(t, wait)
			d.Wait(t.Context())
		}
		_, wait, err := run.claimOnce(t.Context())
		require.NoError(t, err)
		assert.True(t, wait)
		seen := map[string]bool{}
		for _, outcome := range o.outcomes() {
			assert.False(t, seen[outcome.Claimed.Origin])
			seen[outcome.Claimed.Origin] = true
		}
		assert.Len(t, seen, 250)
	})
}

// What has no concurrency left takes no slot, and keeps its workspace out of the queue for them.
func TestWhatHasNoConcurrencyTakesNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		o := &outbox{kind: contract.KindEndpoint, url: parcel(1).URL, due: []*delivery.Claimed{parcel(1), parcel(2), parcel(3)}}
		d := newActivities(t, o, 10, func(context.Context, guard.Request) (*guard.Response, error) {
			<-release
			return &guard.Response{Status: http.StatusOK}, nil
		})
		run := dispatching(d, o, contract.KindEndpoint)
		claimed, _, err := run.claimOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, claimed, "one at first")
		time.Sleep(pace.Every)
		claims := o.claims
		claimed, wait, err := run.claimOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, claimed)
		assert.True(t, wait)
		assert.True(t, run.full)
		assert.Equal(t, idlePoll, run.soon, "nothing but the end of a request makes some")
		assert.Equal(t, claims, o.claims, "Postgres is not asked")
		assert.EqualValues(t, 9, d.slots.Free())
		assert.Nil(t, run.queued)
		time.Sleep(delivery.ExtendEvery)
		_, _, err = run.claimOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, claims+1, o.claims, "but now and then, for what is cancelled")
		close(release)
	})
}

func TestADispatcherWithoutConcurrencyStaysAndItsRunSleeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := time.Duration(0)
		o := &outbox{
			kind: contract.KindEndpoint, url: parcel(1).URL, due: []*delivery.Claimed{parcel(1), parcel(2), parcel(3)},
			standing: delivery.DestinationState{Next: &next, Waiting: 1},
		}
		release := make(chan struct{})
		defer close(release)
		d := newActivities(t, o, 10, func(context.Context, guard.Request) (*guard.Response, error) {
			<-release
			return &guard.Response{Status: http.StatusOK}, nil
		})
		begun := time.Now()
		result := dispatchUntil(t, d, make(chan struct{}))
		assert.GreaterOrEqual(t, time.Since(begun), dispatchLongest-lingers, "it waits for the end of a request")
		assert.Equal(t, fullPause.Milliseconds(), *result.NextIn)
		d.dispatchers = 1 // less than half of them is free
		begun = time.Now()
		dispatchUntil(t, d, make(chan struct{}))
		assert.Less(t, time.Since(begun), lingers, "it keeps nobody from starting")
	})
}

func TestADispatcherSaysWhetherItsDestinationIsThrottled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{due: events(9, "exec_1")}
		d := newActivities(t, o, 10, func(context.Context, guard.Request) (*guard.Response, error) {
			return nil, &guard.Error{Class: guard.ClassUnreachable}
		})
		result := dispatchUntil(t, d, stopWhen(t, func() bool { return len(o.outcomes()) > throttledAfter }))
		assert.True(t, o.throttled)
		assert.Equal(t, 1, d.Throttled())
		assert.Contains(t, result.Details, "last class: unreachable\n\nfailing since: ")
	})
}

// A lock that ran out ends the attempt as interrupted: it is not made a second time under its
// number.
func TestAnAttemptWhoseProcessDiedIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lost := event(1, "exec_1")
		lost.Expired, lost.Attempt = true, 3
		o := &outbox{due: []*delivery.Claimed{lost, event(2, "exec_2")}}
		var sent atomic.Int32
		d := newActivities(t, o, 10, func(context.Context, guard.Request) (*guard.Response, error) {
			sent.Add(1)
			return &guard.Response{Status: http.StatusOK}, nil
		})
		earned(d, 2)
		dispatchUntil(t, d, stopWhen(t, func() bool { return len(o.outcomes()) == 2 }))
		d.Wait(t.Context())
		assert.EqualValues(t, 1, sent.Load())
		for _, outcome := range o.outcomes() {
			assert.Equal(t, outcome.Claimed.Expired, outcome.Class == webhook.Interrupted)
		}
		assert.EqualValues(t, 10, d.slots.Free(), "all slots are back")
		assert.Equal(t, 4, d.origins.takeAll(originOf(lost), contract.KindReceiver), "it says nothing about its origin")
	})
}

func TestAnEndpointThatMovedIsSentToItsNewAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		row := parcel(1)
		row.URL = "http://new.test/"
		o := &outbox{kind: contract.KindEndpoint, url: "http://old.test/", due: []*delivery.Claimed{row}}
		d := newActivities(t, o, 10, fine)
		run := dispatching(d, o, contract.KindEndpoint)
		o.url = row.URL
		claimed, wait, err := run.claimOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, claimed)
		assert.False(t, wait)
		claimed, _, err = run.claimOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, claimed)
		d.Wait(t.Context())
		assert.Equal(t, []string{"http://new.test:80"}, keysOf(d.origins.of[target.DestinationID]), "the other one has nothing of it")
	})
}

func keysOf(of map[string]*origin) (names []string) {
	for name, one := range of {
		if one.concurrency != firstConcurrency {
			names = append(names, name)
		}
	}
	return names
}

func TestDispatchersAreNearlyAllTakenAtThreeQuarters(t *testing.T) {
	t.Parallel()
	d := newActivities(t, &outbox{}, 1, fine)
	d.dispatchers = 4
	for i, want := range []struct{ half, nearlyFull bool }{{false, false}, {false, false}, {true, false}, {true, true}} {
		d.enter(&dispatcher{to: delivery.Destination{ID: strconv.Itoa(i)}})
		assert.Equal(t, want.half, d.halfTaken(), "%d", i+1)
		assert.Equal(t, want.nearlyFull, d.nearlyFull(), "%d", i+1)
	}
}

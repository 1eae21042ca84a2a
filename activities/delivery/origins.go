package delivery

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/pace"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

const (
	// firstConcurrency is how many requests an origin may have under way at first and
	// after a failure, mostConcurrency how many it may have once it has earned them.
	firstConcurrency, mostConcurrency = 1, 50
	// throttledAfter is how many failures in a row make an origin a throttled one that has
	// succeeded before; of one that never has, the first does. throttledPause is how long it is
	// left alone after each further failure.
	throttledAfter = 5
	throttledPause = 200 * time.Millisecond
	// throttledShare is the share of the slots that throttled origins of a kind of
	// destination may hold: one in so many.
	throttledShare = 4
	// knownOrigins is how many origins are remembered, the last used ones, forgetAfter
	// for how long one is that nothing is sent to.
	knownOrigins = 10_000
	forgetAfter  = 10 * time.Minute
)

// originKey names an origin of a destination: of receivers and endpoints scheme, host and
// port of the address, of mails nothing.
type originKey struct{ destinationID, origin string }

// origin is how an origin of a destination does.
type origin struct {
	concurrency, underWay int
	// answered reports whether a request has succeeded; failures are those in a row, failedAt is the last one's time by the own clock, and
	// failingSince the first one's by that of Postgres.
	answered     bool
	failures     int
	failedAt     time.Time
	failingSince time.Time
	lastClass    webhook.Class
	// usedAt is when something was last sent to it.
	usedAt time.Time
	// kind is that of the destination, counted whether its request counts among those to
	// throttled origins of the kind.
	kind    string
	counted bool
}

func (o *origin) throttled() bool {
	return o.failures >= throttledAfter || o.failures > 0 && !o.answered
}

// origins is what this process knows of the origins that it sends to: how many requests each
// may have under way, and how it fails. One that is not known, because the process is new
// or has forgotten it, begins gently.
type origins struct {
	// throttledMost is how many requests to throttled origins of a kind may be under way.
	throttledMost int
	clock         activities.Clock

	mu    sync.Mutex
	known *simplelru.LRU[originKey, *origin]
	// of are the same by their destinations, throttled the requests to throttled ones
	// that are under way by kind of destination.
	of        map[string]map[string]*origin
	throttled map[string]int
	pace      *pace.Origins
}

func newOrigins(slots int, unproven *pace.Origins) *origins {
	o := &origins{
		throttledMost: max(1, slots/throttledShare), clock: activities.SystemClock(),
		of: map[string]map[string]*origin{}, throttled: map[string]int{}, pace: unproven,
	}
	o.known, _ = simplelru.NewLRU(knownOrigins, o.forgotten) // fails for a size of none alone
	return o
}

// forgotten is called with each origin that is not remembered any more.
func (o *origins) forgotten(at originKey, _ *origin) {
	delete(o.of[at.destinationID], at.origin)
	if len(o.of[at.destinationID]) == 0 {
		delete(o.of, at.destinationID)
	}
}

// find returns an origin, a new one where it is not known, and forgets what has long been
// idle.
func (o *origins) find(at originKey, kind string) *origin {
	now := o.clock()
	for {
		oldest, idle, some := o.known.GetOldest()
		if !some || idle.underWay > 0 || now.Sub(idle.usedAt) < forgetAfter {
			break
		}
		o.known.Remove(oldest)
	}
	found, known := o.known.Get(at)
	if !known {
		found = &origin{concurrency: firstConcurrency, kind: kind}
		o.known.Add(at, found)
		if o.of[at.destinationID] == nil {
			o.of[at.destinationID] = map[string]*origin{}
		}
		o.of[at.destinationID][at.origin] = found
	}
	found.usedAt = now
	return found
}

// take takes concurrency for up to want requests to an origin and returns how many that is. Where it
// is none, wait is after how long there may be some, zero where that is not before a
// request has ended.
func (o *origins) take(at originKey, kind string, want int) (taken int, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := o.find(at, kind)
	left := found.concurrency - found.underWay
	if found.throttled() {
		if left, wait = o.throttledConcurrency(found); left <= 0 {
			return 0, wait
		}
	}
	if taken = min(want, left); taken <= 0 {
		return 0, 0
	}
	if kind != contract.KindMail {
		if taken, wait = o.pace.Take(at.origin, taken); taken == 0 {
			return 0, wait
		}
	}
	found.underWay += taken
	if found.throttled() {
		found.counted = true
		o.throttled[kind]++
	}
	return taken, 0
}

// throttledConcurrency reports whether a throttled origin may be tried: with one request at a time,
// a while after the last one.
func (o *origins) throttledConcurrency(found *origin) (left int, wait time.Duration) {
	switch wait = throttledPause - o.clock.Since(found.failedAt); {
	case found.underWay > 0:
		return 0, 0
	case wait > 0:
		return 0, wait
	case o.throttled[found.kind] >= o.throttledMost:
		return 0, throttledPause
	default:
		return 1, 0
	}
}

// giveBack frees what there was nothing to send for.
func (o *origins) giveBack(at originKey, n int) {
	if n <= 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if found := o.end(at, n); found != nil && found.kind != contract.KindMail {
		o.pace.GiveBack(at.origin)
	}
}

// ended notes what became of a request, at a time of Postgres. An attempt that was never made
// says nothing about its origin.
func (o *origins) ended(at originKey, outcome delivery.Outcome, made bool, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := o.end(at, 1)
	if found == nil || !made || outcome.Class == webhook.Interrupted || outcome.Class == webhook.RefusedByPolicy {
		return
	}
	found.lastClass = outcome.Class
	if succeeded(outcome) {
		found.answered, found.failures, found.failingSince = true, 0, time.Time{}
		found.concurrency = min(mostConcurrency, 2*found.concurrency)
		return
	}
	if found.failures == 0 {
		found.failingSince = now
	}
	found.failures++
	found.failedAt = o.clock()
	found.concurrency = firstConcurrency
}

// end ends requests to an origin; nil where it is not known any more.
func (o *origins) end(at originKey, n int) *origin {
	found, known := o.known.Get(at)
	if !known {
		return nil
	}
	found.underWay = max(0, found.underWay-n)
	if found.counted {
		found.counted = false
		o.throttled[found.kind]--
	}
	found.usedAt = o.clock()
	return found
}

// succeeded reports whether an outcome counts as a success of its origin: of a receiver any
// answer does, of a mail relay also one that refuses the recipient.
func succeeded(o delivery.Outcome) bool {
	switch o.Claimed.Kind() {
	case contract.KindEndpoint:
		return o.Class == webhook.OK
	case contract.KindMail:
		return o.Class == webhook.OK || o.MailResult != ""
	default:
		return o.Class.Answered()
	}
}

// failing is the origin of a destination that has failed longest.
type failing struct {
	since     time.Time
	lastClass webhook.Class
	throttled bool
}

// failing returns which origin of a destination has failed longest; one without a time where
// none fails.
func (o *origins) failing(destinationID string) (longest failing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range o.of[destinationID] {
		if one.failures > 0 && (longest.since.IsZero() || one.failingSince.Before(longest.since)) {
			longest.since, longest.lastClass = one.failingSince, one.lastClass
		}
		longest.throttled = longest.throttled || one.throttled()
	}
	return longest
}

// countThrottled returns how many origins are throttled.
func (o *origins) countThrottled() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range o.known.Values() {
		if one.throttled() {
			n++
		}
	}
	return n
}

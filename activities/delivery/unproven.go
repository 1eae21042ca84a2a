package delivery

import (
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/redline-svc/redline/activities"
)

const (
	// unprovenEvery is how far apart attempts begin at an origin that has not proved to want
	// them, five a second of all workspaces together; provedFor is for how long one has that
	// answered with a 2xx.
	unprovenEvery = 200 * time.Millisecond
	provedFor     = 24 * time.Hour
)

// unproven keeps the pace of attempts at origins from which no 2xx has come: whoever is made
// a target by the addresses of many endpoints shall not feel it. Its callers hold the lock
// of the origins.
type unproven struct {
	clock activities.Clock
	known *simplelru.LRU[string, *proof]
}

// proof is when an origin last answered with a 2xx, and when the next attempt may begin at one
// that has not.
type proof struct{ provedAt, nextAt time.Time }

func newUnproven(own activities.Clock) unproven {
	known, _ := simplelru.NewLRU[string, *proof](knownOrigins, nil) // fails for a size of none alone
	return unproven{own, known}
}

func (u unproven) find(origin string) *proof {
	found, known := u.known.Get(origin)
	if !known {
		found = &proof{}
		u.known.Add(origin, found)
	}
	return found
}

// take returns how many of so many attempts may begin now; where it is none, after how long
// there may be one.
func (u unproven) take(origin string, want int) (taken int, wait time.Duration) {
	found, now := u.find(origin), u.clock()
	switch {
	case !found.provedAt.IsZero() && now.Sub(found.provedAt) < provedFor:
		return want, 0
	case now.Before(found.nextAt):
		return 0, found.nextAt.Sub(now)
	default:
		found.nextAt = now.Add(unprovenEvery)
		return 1, 0
	}
}

// giveBack takes back an attempt that has not begun.
func (u unproven) giveBack(origin string) {
	found := u.find(origin)
	found.nextAt = found.nextAt.Add(-unprovenEvery)
}

// prove notes a 2xx.
func (u unproven) prove(origin string) { u.find(origin).provedAt = u.clock() }

package pg

import (
	"sync/atomic"
	"time"
)

// ServerClock is how the clock of Postgres goes, by the last time that was read of it: a
// transaction that reads nothing before it writes takes its time from here.
type ServerClock struct{ last atomic.Pointer[reading] }

// reading is a time of Postgres, and when the process got it, which is a little later.
type reading struct{ postgres, here time.Time }

// bestFor is how long a reading is kept that was quicker than those after it. Clocks that
// drift by the 500 millionths that NTP allows are 5 ms apart by then.
const bestFor = 10 * time.Second

// Keep notes a time of Postgres, and when the process got it.
func (c *ServerClock) Keep(postgres, here time.Time) {
	last := c.last.Load()
	if last == nil || here.Sub(last.here) > bestFor || here.Sub(postgres) < last.here.Sub(last.postgres) {
		c.last.Store(&reading{postgres, here})
	}
}

// Now is the time of Postgres, behind by what its answer took. Whoever asks has read
// something before, and with it the time.
func (c *ServerClock) Now() time.Time {
	last := c.last.Load()
	return last.postgres.Add(time.Since(last.here))
}

// IsNow is the condition on a time, the placeholder %[1]s, that is not in the future and
// not far behind.
const IsNow = `clock_timestamp() BETWEEN %[1]s::timestamptz AND %[1]s::timestamptz + interval '100 milliseconds'`

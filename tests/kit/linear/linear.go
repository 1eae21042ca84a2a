package linear

import (
	"runtime"
	"testing"
	"time"
)

const (
	// least is how long the shorter input takes at least, to be measured.
	least = 20 * time.Millisecond
	// longer is how many times longer the other input is, most how many times as long it
	// may take.
	longer, most = 16, 40
	// tries is how many times the longer input is given: the fastest counts.
	tries = 3
)

// Require holds it for a function. prepare makes an input of length n and returns what is
// measured on it.
func Require(t *testing.T, prepare func(n int) (run func())) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	n := 64
	short := took(prepare(n))
	for ; short < least; short = took(prepare(n)) {
		n *= 2
	}
	long := time.Duration(0)
	for range tries {
		if long = took(prepare(longer * n)); long <= most*short {
			return
		}
	}
	t.Errorf("%s for %d, %s for %d", short, n, long, longer*n)
}

// took is how long a function takes.
func took(run func()) time.Duration {
	runtime.GC()
	began := used()
	run()
	return used() - began
}
